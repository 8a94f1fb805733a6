"""Which terms of a list stand in a text, alone or inside or across others."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from toolkit.perturb.term_finder import term_key

__all__ = ["StandingTerms"]

_BEGINNINGS: Final = re.compile(r"\w+|[^\w\s]")


class StandingTerms:
    """Tells the terms that a text holds as whole words; unlike a finder, those that overlap too."""

    def __init__(self, terms: Iterable[str]) -> None:
        """Prepare the search.

        Args:
            terms: in any case, with any white space inside.
        """
        self._by_beginning: dict[str, list[str]] = {}
        for key in sorted({term_key(term) for term in terms}):
            if beginning := _BEGINNINGS.match(key):
                self._by_beginning.setdefault(beginning.group(), []).append(key)

    def keys(self, text: str) -> frozenset[str]:
        """Return the terms in a text, as :func:`toolkit.perturb.term_finder.term_key` has them."""
        plain = term_key(text)
        return frozenset(
            key
            for beginning in _BEGINNINGS.finditer(plain)
            for key in self._by_beginning.get(beginning.group(), ())
            if plain.startswith(key, beginning.start())
            and _is_whole(plain, beginning.start(), beginning.start() + len(key))
        )


def _is_whole(text: str, start: int, end: int) -> bool:
    around = (text[start - 1 : start] if start else "", text[end : end + 1])
    return not any(letter.isalnum() or letter == "_" for letter in around)
