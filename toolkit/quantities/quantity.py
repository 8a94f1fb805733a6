"""What a quantity of a text is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from toolkit.quantities.units import Unit

__all__ = ["Comparator", "Kind", "Quantity"]

Kind = Literal[
    "interval",
    "measure",
    "number",
    "p_value",
    "percent",
    "range",
    "ratio",
    "share",
    "spread",
    "year",
]
Comparator = Literal["", "<", "<=", ">", ">=", "=", "~", "~<", "~>"]
"""The sign before a number; ``~`` for *about* and *nearly*, ``~<`` and ``~>`` for *less than*,
*at most*, *over* and the like in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A quantity in a text.

    Attributes:
        start: first character in the text.
        end: one past the last character.
        kind: ``measure`` has a unit that converts; ``share`` is n of N; ``ratio`` is 3:1, a fold
            change or a HR, OR, RR; ``interval`` is a confidence interval with its level;
            ``spread`` is 12 ± 3; ``number`` is all else.
        values: one number, or two for a range, an interval, a share, a ratio a:b and a spread,
            in the unit as it is written.
        steps: the size of the last digit of each value, 0 where the number is exact.
        unit: the unit, or None.
        comparator: what compares it, see :data:`Comparator`; empty when nothing does.
        level: the level of a confidence interval in percent, or None.
        signed: a plus or minus is written before it.
        readings: other numbers that the same characters may stand for, e.g. 12 and 5 for ``12,5``.
    """

    start: int
    end: int
    kind: Kind
    values: tuple[float, ...]
    steps: tuple[float, ...]
    unit: Unit | None = None
    comparator: Comparator = ""
    level: float | None = None
    signed: bool = False
    readings: tuple[float, ...] = ()

    @property
    def value(self) -> float:
        """The first value."""
        return self.values[0]
