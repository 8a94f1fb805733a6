"""Answers that are nearly the reference, and answers that somebody else handed in before."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from toolkit.store.canonical import text_digest
from toolkit.submissions.predictions import Prediction

__all__ = ["Near", "copied_share", "jaccard", "near_references", "output_marks"]

MIN_WORDS: Final = 8
"""Shorter texts are not compared: a right answer of one word is the reference."""

_WORD: Final = re.compile(r"\w+")
_MARK_DIGITS: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """How many answers are nearly their references.

    Attributes:
        compared: answers whose reference is long enough.
        found: (prompt, item, similarity) of those at or above the threshold, sorted.
    """

    compared: int
    found: tuple[tuple[str, str, float], ...]

    @property
    def share(self) -> float:
        """Share of the answers compared; 0 where none was."""
        return len(self.found) / self.compared if self.compared else 0.0


def jaccard(first: str, second: str) -> float:
    """Return the Jaccard similarity of the 3-grams of words of two texts (Broder 1997).

    Case and punctuation do not count. Texts of fewer than three words have none in common.
    """
    one, two = _grams(first), _grams(second)
    union = len(one | two)
    return len(one & two) / union if union else 0.0


def _grams(text: str) -> frozenset[tuple[str, str, str]]:
    words = _WORD.findall(text.casefold())
    return frozenset(zip(words, words[1:], words[2:], strict=False))


def near_references(
    predictions: Iterable[Prediction],
    references: Mapping[str, Mapping[str, str | None]],
    threshold: float,
) -> Near:
    """Find answers that are nearly their references.

    Args:
        predictions: the answers.
        references: by prompt, the reference of each item.
        threshold: similarity from which an answer counts.
    """
    compared = 0
    found: list[tuple[str, str, float]] = []
    for one in predictions:
        reference = references.get(one.prompt, {}).get(one.item_id)
        if one.output is None or not reference or len(_WORD.findall(reference)) < MIN_WORDS:
            continue
        compared += 1
        similarity = jaccard(one.output, reference)
        if similarity >= threshold:
            found.append((one.prompt, one.item_id, similarity))
    return Near(compared=compared, found=tuple(sorted(found)))


def output_marks(predictions: Iterable[Prediction]) -> dict[str, str]:
    """Return a digest of each answer that is long enough to be told apart, by prompt and item.

    Case, punctuation and blanks do not count.
    """
    marks: dict[str, str] = {}
    for one in predictions:
        words = _WORD.findall((one.output or "").casefold())
        if len(words) >= MIN_WORDS:
            key = f"{one.prompt}/{one.item_id}"
            marks[key] = text_digest(" ".join(words))[:_MARK_DIGITS]
    return marks


def copied_share(mine: Mapping[str, str], theirs: Mapping[str, str]) -> float:
    """Return the share of my answers that others gave to the same item, word by word."""
    both = mine.keys() & theirs.keys()
    same = sum(mine[key] == theirs[key] for key in both)
    return same / len(mine) if mine else 0.0
