"""Means of small groups, drawn towards what all groups have in common."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Shrunken", "ShrunkenMean", "pooled_errors", "shrunken_means"]


@dataclass(frozen=True, slots=True)
class ShrunkenMean:
    """The mean of one group, shrunken.

    Attributes:
        mean: between the group's own mean and the common one.
        low: lower end of its interval.
        high: upper end.
        drawn: how far it was drawn: 0 not at all, 1 wholly.
    """

    mean: float
    low: float
    high: float
    drawn: float


@dataclass(frozen=True, slots=True)
class Shrunken:
    """The means of all groups, shrunken.

    Attributes:
        groups: in the order given; None for a group without mean or variance.
        common: the common mean; None where there are too few groups.
        between: estimated variance between the true means of the groups.
        reason: why nothing was shrunken; empty otherwise.
    """

    groups: list[ShrunkenMean | None]
    common: float | None
    between: float | None
    reason: str = ""


def shrunken_means(
    means: Sequence[float | None],
    errors: Sequence[float | None],
    *,
    method: Literal["paule_mandel", "dersimonian_laird"] = "paule_mandel",
    confidence: float = 0.95,
) -> Shrunken:
    """Draw the means of groups towards their common mean, small groups most.

    The empirical Bayes estimate of the normal model with unequal variances: true means vary
    around the common one with a variance found by Paule and Mandel (1982,
    doi:10.6028/jres.087.022) or DerSimonian and Laird (1986, doi:10.1016/0197-2456(86)90046-2).
    Factor and interval are Morris's (1983, doi:10.1080/01621459.1983.10477920): they know that
    the common mean and the variance between groups are themselves estimates. The interval
    covers 95 % of the groups' true means on the average over groups; for a single group that
    lies apart it may cover less.

    Args:
        means: of the k groups; None for a group without one.
        errors: standard error of each mean; None or 0 for a group that has none, which stays
            out.
        method: how the variance between groups is estimated.
        confidence: coverage of the intervals, between 0 and 1.
    """
    import numpy as np

    usable = [
        at
        for at, (mean, error) in enumerate(zip(means, errors, strict=True))
        if mean is not None and error
    ]
    if len(usable) < 4:
        reason = "fewer than four groups with a mean and its error"
        return Shrunken([None] * len(means), None, None, reason)
    y = np.array([means[at] for at in usable], np.float64)
    v = np.array([errors[at] for at in usable], np.float64) ** 2
    between = _between(y, v, method)
    weights = 1 / (v + between)
    common = float((weights * y).sum() / weights.sum())
    k = len(usable)
    # The factor (k - 3) / (k - 1) undoes the bias of estimating the variance between groups.
    drawn = (k - 3) / (k - 1) * v / (v + between)
    pulled = y - drawn * (y - common)
    mean_v = float((weights * v).sum() / weights.sum())
    doubt = 2 / (k - 3) * drawn**2 * (y - common) ** 2 * (mean_v + between) / (v + between)
    variance = v * (1 - drawn * (1 - weights / weights.sum())) + doubt
    from scipy.special import ndtri

    half = float(ndtri(0.5 + confidence / 2)) * np.sqrt(variance)
    groups: list[ShrunkenMean | None] = [None] * len(means)
    for place, at in enumerate(usable):
        mean, wide = float(pulled[place]), float(half[place])
        groups[at] = ShrunkenMean(mean, mean - wide, mean + wide, float(drawn[place]))
    return Shrunken(groups, common, between)


def pooled_errors(errors: Sequence[float | None], sizes: Sequence[int]) -> list[float | None]:
    """Return the standard errors of means whose values spread alike in all groups.

    :func:`shrunken_means` takes errors as known. Those of a few values are not: two that happen to
    be close would make a small group look surest of all, and be drawn least. The variance within
    groups is pooled as in an analysis of variance (Fisher 1925), which gives groups of one value an
    error too.

    Args:
        errors: each group's own standard error; None for a group of one.
        sizes: independent values, or clusters, of each.

    Returns:
        An error for each group; None for all where no group's values vary, and for an empty one.
    """
    own = [(error, size) for error, size in zip(errors, sizes, strict=True) if error is not None]
    freedom = sum(size - 1 for _, size in own)
    squares = math.fsum((size - 1) * size * error**2 for error, size in own)
    if not squares > 0:
        return [None] * len(sizes)
    return [math.sqrt(squares / freedom / size) if size else None for size in sizes]


def _between(y: NDArray[np.float64], v: NDArray[np.float64], method: str) -> float:
    import numpy as np
    from scipy.optimize import brentq

    def excess(between: float) -> float:
        weights = 1 / (v + between)
        common = (weights * y).sum() / weights.sum()
        return float((weights * (y - common) ** 2).sum()) - (len(y) - 1)

    if excess(0.0) <= 0:
        return 0.0
    if method == "dersimonian_laird":
        weights = 1 / v
        scale = weights.sum() - (weights**2).sum() / weights.sum()
        return excess(0.0) / float(scale)
    # Not from statsmodels, whose iteration divides by zero where all means are equal.
    high = float(np.ptp(y)) ** 2
    while excess(high) > 0:
        high *= 2
    return float(brentq(excess, 0.0, high, xtol=1e-14 * high, rtol=1e-12))
