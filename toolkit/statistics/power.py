"""The smallest difference that so many items can show."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

__all__ = [
    "Detectable",
    "design_effect",
    "power_of_difference",
    "smallest_difference",
    "smallest_share_difference",
]

_WIDEST: Final = 1e3
"""Standard errors within which the smallest difference is searched."""


@dataclass(frozen=True, slots=True)
class Detectable:
    """The smallest true difference that a test finds with a given power.

    Attributes:
        difference: in the unit of the score; None where there is none.
        reason: why there is none; empty otherwise.
    """

    difference: float | None
    reason: str = ""


def design_effect(rows_in_cluster: float, correlation: float) -> float:
    """Return by how much clusters multiply the variance of a mean (Kish 1965, 5.4).

    Args:
        rows_in_cluster: mean size of a cluster, at least 1.
        correlation: of two rows of one cluster, from 0 to 1.
    """
    return 1 + (rows_in_cluster - 1) * correlation


def power_of_difference(
    difference: float, standard_error: float, df: float, *, level: float = 0.05
) -> float:
    """Return how often a two-sided t test finds a true difference (Cohen 1988, 2.2).

    Args:
        difference: in the unit of the score.
        standard_error: of the estimated difference, above 0; of whole clusters where rows
            come in clusters, so that it holds the design effect.
        df: its degrees of freedom, n - 1 for n independent pairs.
        level: of the test.
    """
    from scipy.special import nctdtr, stdtrit

    bound = float(stdtrit(df, 1 - level / 2))
    shift = abs(difference) / standard_error
    # The far tail alone is counted where the near one is too small for the series.
    near = float(nctdtr(df, shift, -bound))
    return 1.0 - float(nctdtr(df, shift, bound)) + (near if math.isfinite(near) else 0.0)


def smallest_difference(
    standard_error: float | None, df: float | None, *, level: float = 0.05, power: float = 0.8
) -> Detectable:
    """Return the smallest true difference that a two-sided t test finds with some power.

    For n independent pairs whose differences have standard deviation s, the standard error is
    ``s / sqrt(n)`` and ``df = n - 1``.

    Args:
        standard_error: of the estimated difference; None or 0 where nothing varies.
        df: its degrees of freedom, n - 1 for n independent pairs.
        level: of the test.
        power: how often it is to be found, above the level and below 1.
    """
    if not standard_error or not df:
        return Detectable(None, "no standard error: too few clusters, or nothing varies")
    from scipy.optimize import brentq

    def missing(shift: float) -> float:
        return power_of_difference(shift, 1.0, df, level=level) - power

    high = 1.0
    while missing(high) < 0 and high < _WIDEST:
        high *= 2
    if missing(high) < 0:
        return Detectable(None, "too few clusters to find any difference")
    return Detectable(float(brentq(missing, 0.0, high, xtol=1e-10)) * standard_error)


def smallest_share_difference(
    share: float, first: int, second: int, *, level: float = 0.05, power: float = 0.8
) -> Detectable:
    """Return the smallest rise of a share that two independent samples show with some power.

    By the arcsine transformation (Cohen 1988, 6.2), two-sided.

    Args:
        share: of the sample with the smaller share, from 0 to 1.
        first: values of one sample, at least 1.
        second: values of the other.
        level: of the test.
        power: how often it is to be found.
    """
    from statsmodels.stats.power import NormalIndPower

    effect = NormalIndPower().solve_power(
        nobs1=first, ratio=second / first, alpha=level, power=power
    )
    angle = 2 * math.asin(math.sqrt(share)) + float(effect)
    if angle >= math.pi:
        return Detectable(None, "not even a share of 1 would be told apart")
    return Detectable(math.sin(angle / 2) ** 2 - share)
