"""Intervals of bounded quantities."""

from __future__ import annotations

__all__ = ["Limits", "gap_limits", "within"]

Limits = tuple[float | None, float | None]
"""The smallest and the largest possible value, None where there is none."""


def within(low: float, high: float, limits: Limits) -> tuple[float, float]:
    """Return an interval without the part where the quantity cannot be.

    It covers the truth as often as before, since the truth is never in that part. Student's
    intervals of a few clusters reach far beyond the scale of a score.

    Args:
        low: lower end.
        high: upper end.
        limits: of the quantity.
    """
    smallest, largest = limits
    return (
        low if smallest is None else max(low, smallest),
        high if largest is None else min(high, largest),
    )


def gap_limits(span: float | None) -> Limits:
    """Return the limits of a difference of two values that can lie ``span`` apart.

    Args:
        span: largest minus smallest possible value, None where there is none.
    """
    return (None, None) if span is None else (-span, span)
