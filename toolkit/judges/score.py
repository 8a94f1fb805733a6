"""One number a judge gives: its range, its key in the reply, which way is better."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from toolkit.errors import UserError
from toolkit.metrics.base import ScoreDefinition

__all__ = ["Score", "score_definition", "score_fault", "score_schema"]

_WHOLE = 1e-9
"""How far a value may lie from a step, relative to the step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One number a judge gives.

    Raises:
        UserError: the range is empty.
    """

    range: tuple[float, float] = field(metadata={"about": "lowest and highest value"})
    step: float | None = field(
        default=None,
        metadata={"about": "smallest difference; 1 for whole numbers", "minimum": 0},
    )
    key: str | None = field(default=None, metadata={"about": "its key in the judge's reply"})
    title: str | None = field(default=None, metadata={"about": "name shown in tables"})
    invert: bool = field(default=False, metadata={"about": "report lowest + highest - value"})
    direction: Literal["higher", "lower", "none"] = field(
        default="higher", metadata={"about": "which way is better"}
    )

    def __post_init__(self) -> None:
        low, high = self.range
        if not low < high:
            raise UserError(
                f"the range [{low:g}, {high:g}] is empty", hint="write [lowest, highest]"
            )
        if self.step and not _on_step((high - low) / self.step):
            raise UserError(
                f"the range [{low:g}, {high:g}] is no multiple of the step {self.step:g}",
                hint="write a highest value that a judge may give",
            )

    def reported(self, value: float) -> float:
        """Return a value of a reply as tables show it."""
        low, high = self.range
        return low + high - value if self.invert else value


def score_definition(column: str, name: str, score: Score) -> ScoreDefinition:
    """Return what the column of a score means."""
    low, high = score.range
    digits = 1 if high - low >= 20 else 3
    return ScoreDefinition(
        name=column,
        title=score.title or column.replace("_", " "),
        low=low,
        high=high,
        direction=score.direction,
        digits=digits,
    )


def score_fault(name: str, score: Score, value: Any) -> str:
    """Return what is wrong with a value that a judge gave; empty for nothing.

    A value out of range is a fault, never clamped; text and truth values are no numbers.
    """
    low, high = score.range
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not _finite(value):
        return f"'{name}' must be a number from {low:g} to {high:g}"
    if not low <= value <= high:
        return f"'{name}' is {value:g}, it must lie from {low:g} to {high:g}"
    if score.step and not _on_step((value - low) / score.step):
        return f"'{name}' is {value:g}, it must be {low:g} plus a multiple of {score.step:g}"
    return ""


def score_schema(scores: Mapping[str, Score]) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a reply that holds these scores.

    Further keys are allowed: a judge that explains itself beside its scores is not at fault.
    """
    properties: dict[str, Any] = {}
    for name, score in scores.items():
        low, high = score.range
        whole = score.step is not None and score.step == int(score.step) and low == int(low)
        kind = "integer" if whole else "number"
        bounds: list[float] = [int(low), int(high)] if whole else [low, high]
        properties[score.key or name] = {"type": kind, "minimum": bounds[0], "maximum": bounds[1]}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
    }


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _on_step(steps: float) -> bool:
    return abs(steps - round(steps)) <= _WHOLE * max(1.0, abs(steps))
