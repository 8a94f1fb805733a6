"""Standardised differences of means, each with the interval of the noncentral t distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from toolkit.statistics.group_errors import alike

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["EffectSize", "cohens_d", "hedges_correction", "hedges_g", "paired_d"]


@dataclass(frozen=True, slots=True)
class EffectSize:
    """A standardised difference.

    Attributes:
        value: in standard deviations; None where there is none.
        low: lower end of its interval.
        high: upper end.
        kind: ``d`` by the pooled standard deviation, ``g`` corrected for small samples, ``d_z``
            by the standard deviation of paired differences.
        reason: why there is no value; empty otherwise.
    """

    value: float | None
    low: float | None
    high: float | None
    kind: Literal["d", "g", "d_z"]
    reason: str = ""


def cohens_d(
    first: NDArray[np.float64], second: NDArray[np.float64], *, confidence: float = 0.95
) -> EffectSize:
    """Return the difference of two means over the pooled standard deviation (Cohen 1988, 2.5).

    Args:
        first: values of one sample.
        second: values of the other.
        confidence: coverage of the interval, between 0 and 1.
    """
    sizes = len(first), len(second)
    if min(sizes) < 1 or sum(sizes) < 3:
        return EffectSize(None, None, None, "d", "too few values")
    df = sum(sizes) - 2
    squares = sum(float(((part - part.mean()) ** 2).sum()) for part in (first, second))
    if alike(first) and alike(second):
        return EffectSize(None, None, None, "d", "no variation: all values are equal")
    d = float(first.mean() - second.mean()) / math.sqrt(squares / df)
    return _with_interval(d, math.sqrt(1 / sizes[0] + 1 / sizes[1]), df, "d", confidence)


def hedges_g(
    first: NDArray[np.float64], second: NDArray[np.float64], *, confidence: float = 0.95
) -> EffectSize:
    """Return :func:`cohens_d` without its small-sample bias (Hedges 1981).

    doi:10.3102/10769986006002107.

    Args:
        first: values of one sample.
        second: values of the other.
        confidence: coverage of the interval, between 0 and 1.
    """
    d = cohens_d(first, second, confidence=confidence)
    if d.value is None:
        return EffectSize(None, None, None, "g", d.reason)
    df = len(first) + len(second) - 2
    if df < 2:
        return EffectSize(None, None, None, "g", "too few values")
    factor = hedges_correction(df)
    low, high = (None if end is None else factor * end for end in (d.low, d.high))
    return EffectSize(factor * d.value, low, high, "g")


def hedges_correction(df: int) -> float:
    """Return the factor that makes a standardised difference unbiased (Hedges 1981).

    Args:
        df: degrees of freedom of the standard deviation, at least 2.
    """
    return math.exp(math.lgamma(df / 2) - math.lgamma((df - 1) / 2)) / math.sqrt(df / 2)


def paired_d(differences: NDArray[np.float64], *, confidence: float = 0.95) -> EffectSize:
    """Return the mean of paired differences over their standard deviation, d_z (Cohen 1988, 2.3).

    Args:
        differences: (n,) first minus second, of independent pairs.
        confidence: coverage of the interval, between 0 and 1.
    """
    n = len(differences)
    if n < 2:
        return EffectSize(None, None, None, "d_z", "fewer than two pairs")
    if alike(differences):
        return EffectSize(None, None, None, "d_z", "no variation: all differences are equal")
    d = float(differences.mean()) / float(differences.std(ddof=1))
    return _with_interval(d, 1 / math.sqrt(n), n - 1, "d_z", confidence)


def _with_interval(
    d: float, scale: float, df: int, kind: Literal["d", "g", "d_z"], confidence: float
) -> EffectSize:
    # Steiger and Fouladi 1997: the noncentralities for which t = d / scale is a tail quantile.
    from scipy.special import nctdtrinc

    t, tail = d / scale, 0.5 - confidence / 2
    low, high = (scale * float(nctdtrinc(df, level, t)) for level in (1 - tail, tail))
    if not (math.isfinite(low) and math.isfinite(high)):
        return EffectSize(d, None, None, kind, "the interval cannot be computed")
    return EffectSize(d, low, high, kind)
