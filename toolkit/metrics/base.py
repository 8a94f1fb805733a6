"""What a metric is: named scores of a prediction against a reference, with a signature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

__all__ = ["Direction", "Metric", "Profile", "ScoreDefinition", "Value", "check_pairs"]

Direction = Literal["higher", "lower", "target", "none"]
Profile = Literal["default", "paper"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreDefinition:
    """What one number means.

    Attributes:
        name: the column it is stored under, e.g. ``rouge1``.
        title: how people call it, e.g. ``ROUGE-1 F``.
        low: smallest possible value, or None when unbounded.
        high: largest possible value, or None when unbounded.
        direction: which way is better; ``target`` ranks by closeness to ``target``.
        target: the best value where direction is ``target``, else None.
        digits: decimals worth printing.
    """

    name: str
    title: str
    low: float | None = 0.0
    high: float | None = 1.0
    direction: Direction = "higher"
    target: float | None = None
    digits: int = 3


@dataclass(frozen=True, slots=True)
class Value:
    """One score of one row.

    Attributes:
        value: the number, or None when there is none; never NaN and never infinite.
        reason: why there is no number, e.g. ``empty reference``; empty when there is one.
    """

    value: float | None
    reason: str = ""


@runtime_checkable
class Metric(Protocol):
    """A metric: built from its frozen parameters dataclass, then called on rows of text.

    Instances are cheap and picklable; models and tables load on the first call to
    :meth:`score` in a process and are kept for the process's life.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    Params: ClassVar[type]

    def __init__(self, params: Any) -> None: ...

    def definitions(self) -> tuple[ScoreDefinition, ...]:
        """Return what each column holds, in the order of the columns."""

    def signature(self) -> str:
        """Return ``key:value|key:value`` naming all that can change the numbers."""

    def fingerprint(self) -> dict[str, Any]:
        """Return the JSON values that make two results of this metric interchangeable."""

    def score(
        self, predictions: Sequence[str], references: Sequence[str]
    ) -> dict[str, list[Value]]:
        """Score rows of text.

        Args:
            predictions: n generated texts.
            references: n reference texts, in the same order.

        Returns:
            For each definition's name, n values in the order of the rows.

        Raises:
            ValueError: the two lengths differ.
        """


def check_pairs(predictions: Sequence[str], references: Sequence[str]) -> None:
    """Refuse rows that do not pair up.

    Raises:
        ValueError: the two lengths differ.
    """
    if len(predictions) != len(references):
        raise ValueError(f"{len(predictions)} predictions but {len(references)} references")
