"""Alternatives of a term that no curated entry has: by number, by opposites, by similarity."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from toolkit.lexicon.rules import pair_faults
from toolkit.lexicon.similarity import Space
from toolkit.lexicon.synonyms import Synonyms
from toolkit.perturb.dictionary import Entry

__all__ = ["Finder", "is_graded"]

NEAR_OPPOSITE: Final = 0.7
"""Cosine to a concept from which on its opposites count as those of a term."""

_GRADED: Final = re.compile(r"(grade|stage|type) ([1-4])")


def is_graded(term: str) -> bool:
    """Tell whether a term is a grade, stage or type from 1 to 4."""
    return _GRADED.fullmatch(term) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finder:
    """Finds alternatives.

    Attributes:
        space: the terms that may be alternatives.
        written: each of them as it is written, by its name in the space.
        category: its category, likewise.
        synonyms: words that say the same.
        most: alternatives looked for.
        opposites: categories in which opposites come first.
    """

    space: Space
    written: Mapping[str, str]
    category: Mapping[str, str]
    synonyms: Synonyms
    most: int
    opposites: Sequence[str]

    def find(self, term: str, concept: Entry, cosine: float) -> tuple[tuple[str, ...], str]:
        """Return alternatives of a term, and where they come from.

        Args:
            term: a term of the space.
            concept: the nearest concept.
            cosine: to that concept.
        """
        graded = _GRADED.fullmatch(term)
        if graded:
            others = [f"{graded[1]} {n}" for n in range(1, 5) if str(n) != graded[2]]
            return tuple(others[: self.most]), "other numbers"
        found: list[str] = []
        preferred = concept.category in self.opposites and concept.mutual_opposite
        if preferred and cosine >= NEAR_OPPOSITE:
            found += [a for a in concept.alternatives if not self.faulty(term, a)][: self.most]
        parts = [f"opposites of '{concept.term}'"] if found else []
        many = len(found)
        for other in self._band(term, concept.category):
            if len(found) >= self.most:
                break
            if other not in found and not self.faulty(term, other):
                found.append(other)
        return tuple(found), ", ".join([*parts, *(["embedding"] if len(found) > many else [])])

    def faulty(self, term: str, alternative: str) -> bool:
        """Tell whether an alternative breaks a rule of language."""
        return any(pair_faults(term, alternative, self.synonyms))

    def _band(self, term: str, category: str) -> Iterator[str]:
        for other, _ in self.space.band(term):
            if self.category[other] == category:
                yield self.written[other]
