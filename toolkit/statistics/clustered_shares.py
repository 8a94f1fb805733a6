"""Shares of rows that come in clusters, and how well a number tells two kinds of rows apart.

The variance is the clusters' own (Liang and Zeger 1986, doi:10.1093/biomet/73.1.13; for the area
under the curve Obuchowski 1997, doi:10.2307/2533958). The interval is Wilson's (1927,
doi:10.1080/01621459.1927.10502953) at the number of independent rows that would have this
variance, with Student's quantile for the normal one, as Korn and Graubard (1998, Survey
Methodology 24:193) do for shares of clustered samples.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Share", "area_under_curve", "clustered_share"]


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its interval.

    Attributes:
        value: from 0 to 1; None of no rows.
        low: lower end of the interval; None where there is none.
        high: upper end.
        n: rows behind it.
        clusters: clusters behind it; of two kinds of rows the smaller number.
        reason: why there is no interval; empty otherwise.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    clusters: int = 0
    reason: str = ""


def clustered_share(
    hits: NDArray[np.bool_],
    clusters: NDArray[np.int64],
    *,
    confidence: float = 0.95,
    further: float = 0.0,
) -> Share:
    """Return the share of rows that hit, with an interval over clusters.

    Args:
        hits: (n,) whether each row does.
        clusters: (n,) the cluster of each row, any whole numbers.
        confidence: coverage aimed at, between 0 and 1.
        further: variance of the share that the rows do not show, such as that of an estimated
            threshold which decides what hits.

    Returns:
        The share. Where every cluster has the same share the rows' variance is unknown, and the
        interval is Wilson's with clusters for rows: all that certainty is not theirs to give.
    """
    import numpy as np

    n = len(hits)
    if not n:
        return Share(None, reason="no rows")
    groups, at = np.unique(clusters, return_inverse=True)
    sizes = np.bincount(at)
    share = float(hits.mean())
    off = np.bincount(at, weights=hits) - share * sizes
    count = len(groups)
    variance = _sandwich(off, count) / n**2
    # Of rows that are all alike the variance is unknown, whatever else there is.
    variance += further if variance > 1e-12 else 0.0
    return _interval(share, variance, n, count, confidence)


def area_under_curve(
    positives: NDArray[np.float64],
    negatives: NDArray[np.float64],
    positive_clusters: NDArray[np.int64],
    negative_clusters: NDArray[np.int64],
    *,
    confidence: float = 0.95,
) -> Share:
    """Return the chance that a positive row has a larger number than a negative one.

    Ties count half, so that 0.5 is chance and 1 tells the two kinds apart without a mistake.

    Args:
        positives: (n,) numbers of the positive rows.
        negatives: (m,) numbers of the negative rows.
        positive_clusters: (n,) their clusters; a cluster may have rows of both kinds.
        negative_clusters: (m,) their clusters.
        confidence: coverage aimed at, between 0 and 1.

    Returns:
        The area; without an interval when either kind has fewer than two clusters, or when no
        number differs from another.
    """
    import numpy as np

    n, m = len(positives), len(negatives)
    if not n or not m:
        return Share(None, n=n, reason="rows of one kind only")
    above, area = _components(positives, negatives)
    below = 1.0 - _components(negatives, positives)[0]
    groups, at = np.unique(
        np.concatenate([positive_clusters, negative_clusters]), return_inverse=True
    )
    one = np.bincount(at[:n], weights=above - area, minlength=len(groups)) / n
    other = np.bincount(at[n:], weights=below - area, minlength=len(groups)) / m
    counts = (len(np.unique(at[:n])), len(np.unique(at[n:])))
    if min(counts) < 2:
        return Share(area, n=n, clusters=min(counts), reason="fewer than two clusters of one kind")
    if np.ptp(np.concatenate([positives, negatives])) == 0:
        return Share(area, n=n, clusters=min(counts), reason="no number differs from another")
    total = len(groups)
    variance = (
        _sandwich(one, counts[0])
        + _sandwich(other, counts[1])
        + 2 * float((one * other).sum()) * total / (total - 1)
    )
    return _interval(area, variance, n, min(counts), confidence)


def _components(
    one: NDArray[np.float64], other: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """Return, for each number, the share of the others that it lies above, and their mean."""
    import numpy as np

    ordered = np.sort(other)
    under = np.searchsorted(ordered, one, side="left")
    up_to = np.searchsorted(ordered, one, side="right")
    above = (under + up_to) / (2.0 * len(other))
    return above, float(above.mean())


def _sandwich(off: NDArray[np.float64], clusters: int) -> float:
    """Return the variance of a sum of cluster deviations; 0 where it is not known."""
    return float((off**2).sum()) * clusters / (clusters - 1) if clusters > 1 else 0.0


def _interval(share: float, variance: float, n: int, clusters: int, confidence: float) -> Share:
    from scipy.special import ndtri, stdtrit

    if clusters < 2:
        return Share(share, None, None, n, clusters, "one cluster")
    z = float(ndtri(0.5 + confidence / 2))
    t = float(stdtrit(clusters - 1, 0.5 + confidence / 2))
    spread = share * (1 - share)
    # Rounding leaves a trace of variance where there is none.
    alike = variance <= 1e-12 or spread <= 1e-12
    rows = float(clusters) if alike else spread / variance * (z / t) ** 2
    centre = (share + z**2 / (2 * rows)) / (1 + z**2 / rows)
    half = z / (1 + z**2 / rows) * math.sqrt(spread / rows + z**2 / (4 * rows**2))
    low = 0.0 if share == 0 else max(0.0, centre - half)
    high = 1.0 if share == 1 else min(1.0, centre + half)
    return Share(share, low, high, n, clusters)
