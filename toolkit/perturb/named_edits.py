"""Which edits a judge names, and whether a term stands in a text: by whole words, in any form."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from toolkit.perturb.inflections import same_word

__all__ = ["SUBSTITUTED", "NamedEdit", "Words", "named_edits", "stands_in", "words_of"]

Words = tuple[str, ...]
"""A text word by word; see :func:`words_of`."""

SUBSTITUTED: Final = ("term", "measurement")
"""Kinds of edits that put something in the place of something else."""

_WORD: Final = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+|[+%<>=≤≥±]")
_ARROW: Final = re.compile(r"(?:[-–—=]+>|[→⇒⟶⟹➔➜])")
_PIECES: Final = re.compile(r"[;\n]")
_TAKEN: Final = ""
"""Stands where words were that count no longer; no word is empty."""


@lru_cache(maxsize=4096)
def words_of(text: str) -> Words:
    """Return the words, numbers and signs of quantity of a text, in small letters.

    Letters and digits are apart, and spaces, hyphens and other punctuation are no words:
    ``2.1x3.0cm`` and ``2.1 × 3.0 cm`` are the same, as are ``well-defined`` and ``well defined``.
    """
    plain = unicodedata.normalize("NFKC", text.replace("×", "x")).casefold()
    return tuple(_WORD.findall(plain))


def stands_in(term: str, text: Sequence[str], *, inflections: bool = True) -> bool:
    """Return whether a term stands in a text as whole words.

    Args:
        term: the term; one without a word stands nowhere.
        text: from :func:`words_of`.
        inflections: other forms of its words count, see
            :func:`toolkit.perturb.inflections.same_word`.
    """
    return bool(_places(words_of(term), text, inflections))


@dataclass(frozen=True, slots=True)
class NamedEdit:
    """An alteration as a judge names it.

    Attributes:
        old: the words that stood there.
        new: the words that stand there now.
    """

    old: Words
    new: Words

    def holds(self, original: str, replacement: str, *, inflections: bool = True) -> bool:
        """Return whether it names an edit, alone or among other words.

        There must be more of the original before than after and more of the replacement after
        than before. So *mild effusion -> severe effusion* holds mild to severe, and a quotation
        of two whole sentences does not hold what is the same in both. A term inside the other
        does not count: *carcinoma -> squamous carcinoma* holds what it says.

        Args:
            original: the term or size that was there.
            replacement: what stands there now.
            inflections: other forms of the words count.
        """
        old, new = words_of(original), words_of(replacement)
        return self._more(old, new, self.old, self.new, inflections) and self._more(
            new, old, self.new, self.old, inflections
        )

    @staticmethod
    def _more(term: Words, other: Words, here: Words, there: Words, inflections: bool) -> bool:
        """Return whether a term stands more often here than there, outside the other term."""
        found = len(_places(term, here, inflections))
        if not found:
            return False
        left = list(there)
        for start in _places(other, there, inflections):
            left[start : start + len(other)] = [_TAKEN] * len(other)
        return found > len(_places(term, left, inflections))


def named_edits(lines: Iterable[str]) -> list[NamedEdit]:
    """Return the alterations of a judge's list, ``old -> new`` each.

    Several arrows in one line are several alterations where semicolons or line ends divide it;
    otherwise the first and the last part count. A line without an arrow says of nothing what
    became of it, and names no edit: it has no words here, but it is counted.

    Args:
        lines: the list.
    """
    found = []
    for line in lines:
        pieces = [line] if len(_ARROW.findall(line)) < 2 else _PIECES.split(line)
        for piece in pieces:
            parts = _ARROW.split(piece)
            if len(parts) > 1:
                found.append(NamedEdit(words_of(parts[0]), words_of(parts[-1])))
            elif len(pieces) == 1:
                found.append(NamedEdit((), ()))
    return found


def _places(term: Words, text: Sequence[str], inflections: bool) -> list[int]:
    """Return where a term begins in a text, no place overlapping another."""
    same = same_word if inflections else str.__eq__
    places: list[int] = []
    start, last = 0, len(text) - len(term)
    while term and start <= last:
        if all(map(same, term, text[start : start + len(term)])):
            places.append(start)
            start += len(term)
        else:
            start += 1
    return places
