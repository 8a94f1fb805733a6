"""Answers that are nearly the reference, and answers that somebody else handed in before."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from toolkit.metrics.tokens import rouge_score_tokens
from toolkit.store.canonical import text_digest
from toolkit.submissions.predictions import Prediction

__all__ = ["Near", "contained", "copied_share", "near_references", "output_marks", "word_views"]

MIN_WORDS: Final = 8
"""Shorter texts are not compared: a right answer of one word is the reference."""

# An underscore is a word character to `re`, and a blank to every metric.
_WORD: Final = re.compile(r"[^\W_]+")
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


def word_views(text: str) -> tuple[list[str], list[str], list[str]]:
    """Return the words of a text as each kind of metric may see them.

    Returns:
        Runs of letters and digits of all scripts, after NFKC and without case, invisible
        characters (category Cf) left out; the same with those characters as blanks; the words
        of ROUGE, to which every character but ``a``-``z`` and ``0``-``9`` is a blank.
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    joined = "".join(sign for sign in plain if unicodedata.category(sign) != "Cf")
    parted = "".join(" " if unicodedata.category(sign) == "Cf" else sign for sign in plain)
    return _WORD.findall(joined), _WORD.findall(parted), rouge_score_tokens(text)


def contained(answer: Sequence[str], reference: Sequence[str]) -> float:
    """Return the share of a reference's 3-grams of words that stand in an answer (Broder 1997).

    It is never below the Jaccard similarity of the two, and whatever else the answer says takes
    nothing away, so filler hides no copy. A reference of fewer than three words has no 3-gram.
    """
    wanted = _grams(reference)
    return len(wanted & _grams(answer)) / len(wanted) if wanted else 0.0


def _grams(words: Sequence[str]) -> frozenset[tuple[str, str, str]]:
    return frozenset(zip(words, words[1:], words[2:], strict=False))


def near_references(
    predictions: Iterable[Prediction],
    references: Mapping[str, Mapping[str, str | None]],
    threshold: float,
) -> Near:
    """Find answers that hold nearly all of their references, in whichever view of their words.

    Args:
        predictions: the answers.
        references: by prompt, the reference of each item.
        threshold: share of the reference's 3-grams from which an answer counts.
    """
    compared = 0
    found: list[tuple[str, str, float]] = []
    for one in predictions:
        reference = references.get(one.prompt, {}).get(one.item_id)
        if one.output is None or not reference:
            continue
        views = zip(word_views(one.output), word_views(reference), strict=True)
        shares = [contained(mine, words) for mine, words in views if len(words) >= MIN_WORDS]
        if not shares:
            continue
        compared += 1
        if max(shares) >= threshold:
            found.append((one.prompt, one.item_id, max(shares)))
    return Near(compared=compared, found=tuple(sorted(found)))


def output_marks(predictions: Iterable[Prediction]) -> dict[str, str]:
    """Return a digest of each answer that is long enough to be told apart, by prompt and item.

    Case, punctuation, blanks and invisible characters do not count.
    """
    marks: dict[str, str] = {}
    for one in predictions:
        joined, parted, _ = word_views(one.output or "")
        if len(parted) >= MIN_WORDS:
            key = f"{one.prompt}/{one.item_id}"
            marks[key] = text_digest("".join(joined))[:_MARK_DIGITS]
    return marks


def copied_share(mine: Mapping[str, str], theirs: Mapping[str, str]) -> float:
    """Return the share of my answers that others gave to the same item, word by word."""
    both = mine.keys() & theirs.keys()
    same = sum(mine[key] == theirs[key] for key in both)
    return same / len(mine) if mine else 0.0
