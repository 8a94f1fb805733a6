"""Scores that a submitter states: compared with those of the review, never ranked."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from toolkit.errors import UserError
from toolkit.report.text import number
from toolkit.results.items import ItemScores
from toolkit.results.record import Result, ScoreResult
from toolkit.submissions.fault_list import shown

__all__ = [
    "FEWEST_JUDGED",
    "Claims",
    "claim_faults",
    "read_claims",
    "sample_faults",
    "unknown_claims",
]

_ABSOLUTE: Final = Decimal("0.000001")
"""Machines differ in the last digits of floating-point sums, and of embeddings."""

_ERRORS: Final = 4.0
"""Standard errors by which a sample may differ: one honest claim in 16,000 is farther away."""

FEWEST_JUDGED: Final = 20
"""Fewer judged answers than this have no standard error worth the name."""

Claims = Mapping[str, Mapping[str, Decimal]]
"""Stated scores by prompt."""


def read_claims(path: Path, prompts: tuple[str, ...]) -> Claims:
    """Read stated scores.

    Args:
        path: JSON: scores by prompt, or of one prompt the scores alone.
        prompts: the prompts that were answered.

    Raises:
        UserError: the file is not of that form.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal, parse_int=Decimal)
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"{path}: the stated scores cannot be read: {error}", hint=_FORM) from None
    if isinstance(data, dict) and len(prompts) == 1 and _is_scores(data):
        return {prompts[0]: data}
    if isinstance(data, dict) and all(_is_scores(one) for one in data.values()):
        return data
    raise UserError(f"{path}: no scores by prompt", hint=_FORM)


_FORM: Final = 'write {"A": {"rouge1": 0.312}}'


def _is_scores(data: Any) -> bool:
    return isinstance(data, dict) and all(
        isinstance(value, Decimal) and value.is_finite() for value in data.values()
    )


def unknown_claims(claims: Claims, results: tuple[Result, ...]) -> Iterator[str]:
    """Yield a sentence for each stated score that the review does not have."""
    known = {(one.prompt, score.score) for one in results for score in one.scores}
    for prompt, scores in sorted(claims.items()):
        for name in sorted(scores):
            if (prompt, name) not in known:
                yield (
                    f"stated score {shown(name)} of prompt {shown(prompt)} was not compared: "
                    "the review has none"
                )


def claim_faults(claims: Claims, result: Result) -> Iterator[str]:
    """Yield a sentence for each stated score that is not the one computed from all answers.

    A statement is as exact as it is written: 0.31 holds from 0.305 to 0.315.
    """
    for score, claim in _stated(claims, result, judged=False):
        half = Decimal(1).scaleb(_exponent(claim)) / 2
        tolerance = max(half, _ABSOLUTE)
        if score.value is None or abs(Decimal(score.value) - claim) > tolerance:
            yield _differs(result, score, claim, f"{tolerance:f}")


def sample_faults(claims: Claims, result: Result, items: ItemScores | None) -> Iterator[str]:
    """Yield a sentence for each stated judge's score that the judged sample contradicts."""
    for score, claim in _stated(claims, result, judged=True):
        error = _standard_error(items, score.score)
        if score.value is None or error is None or score.n < FEWEST_JUDGED:
            continue
        tolerance = _ERRORS * error + float(Decimal(1).scaleb(_exponent(claim)) / 2)
        if abs(score.value - float(claim)) > tolerance:
            yield _differs(result, score, claim, f"{tolerance:.3g}, {_ERRORS:g} standard errors")


def _exponent(claim: Decimal) -> int:
    exponent = claim.as_tuple().exponent
    assert isinstance(exponent, int)
    return min(exponent, 0)


def _stated(
    claims: Claims, result: Result, *, judged: bool
) -> Iterator[tuple[ScoreResult, Decimal]]:
    stated = claims.get(result.prompt, {})
    for score in result.scores:
        if score.score in stated and bool(score.judges) == judged:
            yield score, stated[score.score]


def _differs(result: Result, score: ScoreResult, claim: Decimal, tolerance: str) -> str:
    computed = "no value" if score.value is None else number(score.value, score.digits + 3)
    return (
        f"prompt {result.prompt}, {score.score}: {claim} is stated, {computed} was computed from "
        f"{score.n:,} answers (tolerance {tolerance})"
    )


def _standard_error(items: ItemScores | None, score: str) -> float | None:
    column = None if items is None else items.column(score)
    if column is None:
        return None
    values = [value for value in column.tolist() if math.isfinite(value)]
    if len(values) < 2:
        return None
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return math.sqrt(variance / len(values))
