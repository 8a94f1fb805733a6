"""Answers without a value: a mean over the rest may be one over what suited the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolkit.results.record import Result, ScoreResult

__all__ = ["asked", "coverage_faults", "unanswered"]

_NO_ANSWER: Final = ("error", "invalid", "refused")


def asked(result: Result) -> int:
    """Return how many answers a record is about: items, each as often as it was asked."""
    return result.items * result.repeats


def unanswered(result: Result) -> float:
    """Return the share of a record's answers that failed, whatever a score made of them."""
    total = sum(result.statuses.values())
    return sum(result.statuses.get(name, 0) for name in _NO_ANSWER) / total if total else 0.0


def coverage_faults(numbers: Sequence[tuple[Result, ScoreResult]], most: float) -> list[str]:
    """Return for each number of one score why it has too few values to be ranked, or nothing.

    What counts is the share of answers that failed and the share of scored answers without a
    value. A score that most competitors lack for more answers than that is one that many answers
    have none of by its nature, e.g. the share of right numbers; there only failures count.

    Args:
        numbers: the numbers of the competitors, each with its record.
        most: share up to which a number is ranked, 0 to 1.
    """
    bare = [_without_value(number) for _, number in numbers]
    known = [share for (_, number), share in zip(numbers, bare, strict=True) if number.n]
    by_nature = 2 * sum(share > most for share in known) > len(known)
    found = []
    for (result, number), share in zip(numbers, bare, strict=True):
        failed = unanswered(result)
        fault = ""
        if failed > most:
            fault = f"{failed:.1%} of its answers failed"
        elif share > most and not by_nature:
            fault = f"{number.missing:,} of {number.n + number.missing:,} answers have no value"
        found.append(f"{fault}, and up to {most:.0%} are ranked" if fault else "")
    return found


def _without_value(number: ScoreResult) -> float:
    total = number.n + number.missing
    return number.missing / total if total else 0.0
