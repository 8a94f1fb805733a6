"""Look through texts that are about to be shown for texts that must not be, word for word."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from toolkit.report.text import printable

__all__ = ["LEAST", "Verbatim"]

LEAST: Final = 40
"""Fewest characters of a text that is looked for: shorter ones are anybody's words."""

_ENOUGH: Final = 200
"""Characters of a text that are looked for: what was cut after them is found as well."""

_BEGINNING: Final = 4 * _ENOUGH


class Verbatim:
    """Texts to be shown, indexed once; each text looked for then costs one look-up.

    Spaces of any length count as one. A text of 40 characters or more is found wherever it
    begins at a word; of a longer one its first 200 characters are looked for.
    """

    def __init__(self, shown: Iterable[str]) -> None:
        """Index texts as they will be shown."""
        self._words = {text: _plain(text) for text in shown if len(text) >= LEAST}
        self._starts: dict[str, list[str]] = {}
        for text, words in self._words.items():
            for at in range(len(words) - LEAST + 1):
                if at == 0 or not (words[at].isalnum() and words[at - 1].isalnum()):
                    self._starts.setdefault(words[at : at + LEAST], []).append(text)
        self.found: set[str] = set()

    def look(self, text: str) -> None:
        """Look for a text that must not be shown; what holds it is added to ``found``."""
        wanted = _plain(printable(text[:_BEGINNING]))[:_ENOUGH]
        if len(wanted) < LEAST:
            return
        for shown in self._starts.get(wanted[:LEAST], ()):
            if wanted in self._words[shown]:
                self.found.add(shown)


def _plain(text: str) -> str:
    return " ".join(text.split())
