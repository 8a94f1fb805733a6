"""How much of the variance of values lies between clusters: the intraclass correlation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Intraclass", "intraclass"]


@dataclass(frozen=True, slots=True)
class Intraclass:
    """An intraclass correlation.

    Attributes:
        value: share of the variance between clusters, at most 1; below 0 where values of one
            cluster differ more than values of several; None where it is undefined.
        low: lower end of its interval.
        high: upper end.
        n: values.
        clusters: clusters.
        size: size of a cluster, as unequal ones count.
        design_effect: by how much clusters multiply the variance of a mean.
        reason: why there is none; empty otherwise.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    size: float | None
    design_effect: float | None
    reason: str = ""


def intraclass(
    values: NDArray[np.float64], clusters: NDArray[np.int64], *, confidence: float = 0.95
) -> Intraclass:
    """Return the intraclass correlation of one-way random effects, ICC(1,1).

    From the mean squares between and within clusters with the exact interval of equal clusters
    (Shrout and Fleiss 1979, doi:10.1037/0033-2909.86.2.420); unequal ones enter by their
    effective size, which makes the interval approximate (Donner 1986, doi:10.2307/1403259).

    Args:
        values: (n,) finite values.
        clusters: (n,) the cluster of each.
        confidence: coverage of the interval, between 0 and 1.
    """
    import numpy as np
    from scipy.special import fdtri

    _, places, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
    n, k = len(values), len(sizes)
    if k < 2 or n <= k:
        reason = "fewer than two clusters" if k < 2 else "one value in each cluster"
        return Intraclass(None, None, None, n, k, None, None, reason)
    means = np.bincount(places, values) / sizes
    within = float(((values - means[places]) ** 2).sum()) / (n - k)
    between = float((sizes * (means - values.mean()) ** 2).sum()) / (k - 1)
    size = float(n - (sizes**2).sum() / n) / (k - 1)
    if within <= 1e-24 and between <= 1e-24:
        return Intraclass(None, None, None, n, k, size, None, "no variation: all values are equal")
    value = (between - within) / (between + (size - 1) * within)
    effect = max(0.0, 1 + (size - 1) * value)
    if within <= 1e-24:
        reason = "no variation within clusters"
        return Intraclass(value, None, None, n, k, size, effect, reason)
    ratio, tail = between / within, 0.5 - confidence / 2
    low, high = (
        (ratio / bound - 1) / (ratio / bound + size - 1)
        for bound in (
            float(fdtri(k - 1, n - k, 1 - tail)),
            float(fdtri(k - 1, n - k, tail)),
        )
    )
    return Intraclass(value, low, high, n, k, size, effect)
