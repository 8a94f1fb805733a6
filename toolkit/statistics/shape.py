"""The shape of a distribution: centre, spread, skewness, kurtosis."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Shape", "shape"]


@dataclass(frozen=True, slots=True)
class Shape:
    """What a distribution looks like; None where a number is not defined.

    Attributes:
        n: values.
        mean: their mean.
        median: the middle value, or the mean of the middle two.
        mode: the most frequent value, the smallest of several.
        sd: standard deviation with n - 1 in the denominator.
        low: smallest value.
        high: largest value.
        skewness: m3 / m2^1.5 of the moments about the mean, not corrected for bias.
        kurtosis: m4 / m2^2 - 3, so 0 for a normal distribution.
    """

    n: int
    mean: float | None = None
    median: float | None = None
    mode: float | None = None
    sd: float | None = None
    low: float | None = None
    high: float | None = None
    skewness: float | None = None
    kurtosis: float | None = None


def shape(values: Sequence[float]) -> Shape:
    """Return the shape of finite values; of none, only n.

    Skewness and kurtosis are those of Fisher (1930) as scipy gives them with ``bias=True``; they
    are None where all values are equal.
    """
    n = len(values)
    if not n:
        return Shape(0)
    ordered = sorted(values)
    mean = math.fsum(ordered) / n
    moments = [math.fsum((value - mean) ** power for value in ordered) / n for power in (2, 3, 4)]
    counts = Counter(ordered)
    often = max(counts.values())
    varied = ordered[0] != ordered[-1]
    return Shape(
        n=n,
        mean=mean,
        median=(ordered[(n - 1) // 2] + ordered[n // 2]) / 2,
        mode=min(value for value, count in counts.items() if count == often),
        sd=math.sqrt(moments[0] * n / (n - 1)) if n > 1 else None,
        low=ordered[0],
        high=ordered[-1],
        skewness=moments[1] / moments[0] ** 1.5 if varied else None,
        kurtosis=moments[2] / moments[0] ** 2 - 3 if varied else None,
    )
