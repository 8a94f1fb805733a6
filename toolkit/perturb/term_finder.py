"""Find the terms of a list in a text: whole words, the longest first, none inside another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

__all__ = ["Found", "TermFinder"]


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
            self._terms.setdefault(_key(term), term)
        by_first: dict[str, list[str]] = {}
        for key in self._terms:
            by_first.setdefault(key.split(" ", 1)[0], []).append(key)
        branches = [_branch(first, keys) for first, keys in sorted(by_first.items(), reverse=True)]
        # A term that ends in a letter ends at the end of a word, and so for its beginning.
        pattern = rf"(?<!\w)(?:{'|'.join(branches)})(?!\w)"
        self._pattern = re.compile(pattern, re.IGNORECASE) if branches else None

    def find(self, text: str) -> list[Found]:
        """Return the occurrences in the order of the text; none overlaps another."""
        if self._pattern is None:
            return []
        return [
            Found(self._terms[_key(match.group())], *match.span())
            for match in self._pattern.finditer(text)
        ]

    def inside(self, text: str, found: Found) -> Iterator[Found]:
        """Yield the terms that a longer one hides: ``nodule`` in ``pulmonary nodule``."""
        if self._pattern is None:
            return
        words = [match.span() for match in re.finditer(r"\S+", text[found.start : found.end])]
        for at, (first, _) in enumerate(words):
            for _, last in words[at:]:
                piece = text[found.start + first : found.start + last]
                term = self._terms.get(_key(piece))
                if term is not None and len(piece) < found.end - found.start:
                    yield Found(term, found.start + first, found.start + last)


def _key(term: str) -> str:
    return " ".join(term.lower().split())


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
