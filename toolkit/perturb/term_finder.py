"""Find the terms of a list in a text: whole words, the longest first, none inside another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["Found", "TermFinder", "folded", "term_key"]


@dataclass(frozen=True, slots=True)
class Found:
    """One occurrence of a term.

    Attributes:
        term: as the list has it.
        start: first character in the text, from 0.
        end: the character after the last one.
    """

    term: str
    start: int
    end: int


def folded(text: str) -> str:
    """Return a text whose case does not matter any more, with as many characters as before.

    Letters that fold to several, such as ``ß`` and ``İ``, become their one small letter or stay,
    so that every character keeps its place.
    """
    return text.lower() if text.isascii() else "".join(map(_letter, text))


@lru_cache(maxsize=4096)
def _letter(letter: str) -> str:
    for small in (letter.casefold(), letter.lower()):
        if len(small) == 1:
            return small
    return letter


def term_key(term: str) -> str:
    """Return a term in the form in which terms are compared: folded, with single spaces."""
    return " ".join(folded(term).split())


class TermFinder:
    """Finds terms in texts, whatever their case and the white space inside them.

    The expression is grouped by first word, so that the time for a text hardly depends on the
    number of terms.
    """

    def __init__(self, terms: Iterable[str]) -> None:
        """Prepare the search.

        Args:
            terms: the terms; of two that differ in case or white space alone the first counts.
        """
        self._terms: dict[str, str] = {}
        for term in terms:
            if key := term_key(term):
                self._terms.setdefault(key, term)
        by_first: dict[str, list[str]] = {}
        for key in self._terms:
            by_first.setdefault(key.split(" ", 1)[0], []).append(key)
        branches = [_branch(first, keys) for first, keys in sorted(by_first.items(), reverse=True)]
        # A term that ends in a letter ends at the end of a word, and so for its beginning.
        pattern = rf"(?<!\w)(?:{'|'.join(branches)})(?!\w)"
        # Term and text are folded alike: IGNORECASE knows pairs of letters that lower() does not.
        self._pattern = re.compile(pattern) if branches else None

    def find(self, text: str) -> list[Found]:
        """Return the occurrences in the order of the text; none overlaps another."""
        if self._pattern is None:
            return []
        return [
            Found(self._terms[term_key(match.group())], *match.span())
            for match in self._pattern.finditer(folded(text))
        ]

    def inside(self, text: str, found: Found) -> Iterator[Found]:
        """Yield the terms that a longer one hides: ``nodule`` in ``pulmonary nodule``."""
        if self._pattern is None:
            return
        words = [match.span() for match in re.finditer(r"\S+", text[found.start : found.end])]
        for at, (first, _) in enumerate(words):
            for _, last in words[at:]:
                piece = text[found.start + first : found.start + last]
                term = self._terms.get(term_key(piece))
                if term is not None and len(piece) < found.end - found.start:
                    yield Found(term, found.start + first, found.start + last)


def _branch(first: str, keys: list[str]) -> str:
    rests = sorted((key[len(first) :].strip() for key in keys), key=lambda rest: (-len(rest), rest))
    longer = [_words(rest) for rest in rests if rest]
    if not longer:
        return re.escape(first)
    optional = "?" if "" in rests else ""
    # (?!\w) inside: a longer term that runs into a word must not hide the shorter one.
    return rf"{re.escape(first)}(?:\s+(?:{'|'.join(longer)})(?!\w)){optional}"


def _words(rest: str) -> str:
    return r"\s+".join(re.escape(word) for word in rest.split(" "))
