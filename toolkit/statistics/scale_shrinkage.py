"""How far scores on a scale of 1 to 10 shrink towards its middle.

A true score w between 1 and 10 is taken to be answered as a score between ``low`` and ``high``,
distances keeping their proportion: (10 - w) : (w - 1) = (high - answer) : (answer - low).
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ScaleEnds", "scale_ends"]

_TOP = 10.0
_BOTTOM = 1.0
_SPAN = _TOP - _BOTTOM


@dataclass(frozen=True, slots=True)
class ScaleEnds:
    """Which answers the ends of the true scale would get.

    Attributes:
        low: the answer to a text that deserves 1.
        high: the answer to a text that deserves 10.
    """

    low: float
    high: float

    @property
    def feasible(self) -> bool:
        """Whether both lie on the scale of answers."""
        return self.low >= _BOTTOM and self.high <= _TOP

    def answer(self, true: float) -> float:
        """Return the answer to a true score."""
        return (self.high - self.low) / _SPAN * true + (_TOP * self.low - self.high) / _SPAN

    def true(self, answer: float) -> float:
        """Return the true score behind an answer.

        Raises:
            ZeroDivisionError: both ends are one answer.
        """
        return (_SPAN * answer + self.high - _TOP * self.low) / (self.high - self.low)

    def smallest_difference(self, step: float) -> float:
        """Return how far two true scores must lie apart to differ by a step of the answers.

        Raises:
            ZeroDivisionError: both ends are one answer.
        """
        return _SPAN * step / (self.high - self.low)


def scale_ends(
    true_mean: float, true_lowest: float, mean: float, lowest: float
) -> ScaleEnds | None:
    """Return the ends that explain a mean and a lowest answer, or None when nothing can.

    Args:
        true_mean: what the texts deserve on average, 1 to 10.
        true_lowest: what the worst of them deserves.
        mean: mean of the answers.
        lowest: lowest answer.
    """
    if true_mean == true_lowest:
        return None
    high = ((_TOP - true_lowest) * mean - (_TOP - true_mean) * lowest) / (true_mean - true_lowest)
    low = ((true_mean - _BOTTOM) * lowest - (true_lowest - _BOTTOM) * mean) / (
        true_mean - true_lowest
    )
    return ScaleEnds(low, high)
