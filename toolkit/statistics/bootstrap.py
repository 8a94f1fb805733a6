"""Bootstrap intervals of a mean, over independent rows or over clusters of rows.

The mean is a ratio of two sums, over the rows of all clusters; whole clusters are resampled
(Field and Welsh 2007, doi:10.1111/j.1467-9868.2007.00593.x), and a row that stands alone is a
cluster of one. Three ways turn the resampled means into an interval:

``percentile``
    the quantiles of the resampled means (Efron 1979).
``bca``
    bias-corrected and accelerated (Efron 1987, doi:10.1080/01621459.1987.10478410).
``expanded``
    the percentile interval at quantiles that undo its narrowness for few clusters
    (Hesterberg 2015, doi:10.1080/00031305.2015.1089789), with the degrees of freedom of
    :func:`toolkit.statistics.group_errors.cluster_df`.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from toolkit.statistics.group_errors import cluster_df

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "Interval",
    "Method",
    "bound_without_variation",
    "generator",
    "mean_interval",
    "resample_means",
    "resampled_interval",
]

Method = Literal["percentile", "bca", "expanded"]

_DRAWS_AT_ONCE: Final = 1 << 20
"""Draws held at a time: about 20 MB whatever the number of clusters and resamples."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval of a mean.

    Attributes:
        low: lower end, or None when there is no interval.
        high: upper end, or None when there is no interval.
        standard_error: standard deviation of the resampled means times ``sqrt(G / (G - 1))``
            for G clusters, which makes its square unbiased for independent rows; None when
            nothing was resampled.
        reason: why there is no interval, or what is unusual about it; empty otherwise.
    """

    low: float | None
    high: float | None
    standard_error: float | None = None
    reason: str = ""


def generator(seed: int, *names: str) -> np.random.Generator:
    """Return the random generator of one number of a table.

    It depends on the seed and the names of that number alone, so that adding a model, a prompt
    or a score changes the interval of no other.
    """
    import numpy as np

    key = json.dumps([seed, *names], ensure_ascii=True).encode()
    digest = hashlib.blake2b(key, digest_size=16).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest, "big")))


def mean_interval(
    sums: NDArray[np.float64],
    counts: NDArray[np.int64],
    rng: np.random.Generator,
    *,
    resamples: int,
    confidence: float,
    method: Method,
) -> Interval:
    """Return the bootstrap interval of ``sums.sum() / counts.sum()``.

    Args:
        sums: for each of the G clusters, the sum of its values.
        counts: for each cluster, how many values it has; at least 1.
        rng: source of the resamples.
        resamples: how many resamples to draw.
        confidence: coverage aimed at, between 0 and 1.
        method: how the resampled means become an interval.

    Returns:
        The interval; without ends, and with the reason, when G is less than 2.

    Raises:
        ValueError: the arrays differ in length, a cluster is empty, or a number is out of range.
    """
    if len(sums) != len(counts):
        raise ValueError(f"{len(sums)} sums but {len(counts)} counts")
    if len(counts) and counts.min() < 1:
        raise ValueError("a cluster without values cannot be resampled")
    if resamples < 1 or not 0 < confidence < 1:
        raise ValueError(f"resamples={resamples} or confidence={confidence} is out of range")
    if len(sums) < 2:
        return Interval(None, None, reason="one cluster: nothing to resample")
    means = resample_means(sums, counts, rng, resamples)
    return resampled_interval(means, sums, counts, confidence=confidence, method=method)


def resample_means(
    sums: NDArray[np.float64],
    counts: NDArray[np.int64],
    rng: np.random.Generator,
    resamples: int,
) -> NDArray[np.float64]:
    """Return the means of ``resamples`` draws of G clusters out of G, with replacement.

    Args:
        sums: for each of the G clusters, the sum of its values.
        counts: for each cluster, how many values it has.
        rng: source of the draws.
        resamples: how many means to return.

    Returns:
        An array of ``resamples`` means.
    """
    import numpy as np

    groups = len(sums)
    single = bool((counts == 1).all())
    means = np.empty(resamples)
    step = max(1, _DRAWS_AT_ONCE // groups)
    for start in range(0, resamples, step):
        stop = min(start + step, resamples)
        drawn = rng.integers(0, groups, size=(stop - start, groups), dtype=np.uint32)
        total = sums[drawn].sum(axis=1)
        means[start:stop] = total / (groups if single else counts[drawn].sum(axis=1))
    return means


def resampled_interval(
    means: NDArray[np.float64],
    sums: NDArray[np.float64],
    counts: NDArray[np.int64],
    *,
    confidence: float,
    method: Method,
) -> Interval:
    """Turn resampled means into an interval.

    Args:
        means: the resampled means.
        sums: for each of at least 2 clusters, the sum of its values.
        counts: for each cluster, how many values it has.
        confidence: coverage aimed at, between 0 and 1.
        method: see the module.

    Returns:
        The interval; without ends, and with the reason, when ``bca`` is undefined.
    """
    import numpy as np

    groups = len(sums)
    error = float(means.std(ddof=0)) * math.sqrt(groups / (groups - 1))
    tails = (0.5 - confidence / 2, 0.5 + confidence / 2)
    if method == "expanded":
        tails = _expanded_tails(tails, counts)
    elif method == "bca":
        adjusted = _bca_tails(tails, means, sums, counts)
        if adjusted is None:
            reason = "BCa is undefined: all resampled means fall on one side of the mean"
            return Interval(None, None, error, reason)
        tails = adjusted
    low, high = np.quantile(means, tails)
    return Interval(float(low), float(high), error)


def _expanded_tails(tails: tuple[float, float], counts: NDArray[np.int64]) -> tuple[float, float]:
    # Hesterberg 2015: a resample varies by (n - 1) / n too little and its quantiles
    # are normal ones where Student's would be right; both are put into the quantiles' level.
    from scipy.special import ndtr, stdtrit

    groups = len(counts)
    widen = math.sqrt(groups / (groups - 1))
    low = float(ndtr(widen * stdtrit(cluster_df(counts), tails[0])))
    return low, 1.0 - low


def _bca_tails(
    tails: tuple[float, float],
    means: NDArray[np.float64],
    sums: NDArray[np.float64],
    counts: NDArray[np.int64],
) -> tuple[float, float] | None:
    # Efron and Tibshirani 1993, equations 14.10 to 14.15; resamples equal to the mean count half
    # to each side, as discrete scores make many of them.
    from scipy.special import ndtr, ndtri

    mean = sums.sum() / counts.sum()
    below = ((means < mean).mean() + (means <= mean).mean()) / 2
    left_out: NDArray[Any] = (sums.sum() - sums) / (counts.sum() - counts)
    deviation = left_out.mean() - left_out
    spread = (deviation**2).sum() ** 1.5
    if not 0 < below < 1 or spread == 0:
        return None
    acceleration = (deviation**3).sum() / (6 * spread)
    bias = ndtri(below)
    adjusted = []
    for tail in tails:
        shifted = bias + ndtri(tail)
        adjusted.append(float(ndtr(bias + shifted / (1 - acceleration * shifted))))
    return adjusted[0], adjusted[1]


def bound_without_variation(
    value: float, clusters: int, *, low: float | None, high: float | None, confidence: float
) -> Interval:
    """Return an interval for a mean whose values are all equal.

    Resampling equal values claims certainty: 0 right of 20 would have an interval of width zero.
    At most a share p of all items differs from what was seen, p being the upper end of Wilson's
    interval for 0 of ``clusters`` (Wilson 1927, doi:10.1080/01621459.1927.10502953), and each
    of these may lie as far away as the score's range allows. For scores of 0 and 1 this is
    Wilson's interval itself.

    Args:
        value: the one value.
        clusters: independent clusters seen, at least 1.
        low: smallest possible score, or None.
        high: largest possible score, or None.
        confidence: coverage aimed at, between 0 and 1.

    Returns:
        The interval with a reason that says so; without ends when the range is not bounded.
    """
    from statistics import NormalDist

    if low is None or high is None or not low <= value <= high:
        return Interval(None, None, reason="no variation: all values are equal")
    squared = NormalDist().inv_cdf(0.5 + confidence / 2) ** 2
    share = squared / (clusters + squared)
    return Interval(
        value - share * (value - low),
        value + share * (high - value),
        reason="no variation: all values are equal; Wilson bound instead of resampling",
    )
