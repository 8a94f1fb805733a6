"""Means of groups of rows that come in clusters: covariance, differences, heterogeneity.

A row may belong to several groups, and rows of one cluster may stand in different groups; both
make the means of groups depend on one another, and the covariance says how. It is the sandwich
of Liang and Zeger (1986, doi:10.1093/biomet/73.1.13) for weighted means: a cluster's influence on
a mean is the weighted sum of its rows' deviations from it over the group's weight. The square of
these influences is multiplied by G / (G - 1) for the G clusters of a group, so that independent
rows give the textbook variance of a mean, s^2 / n.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolkit.statistics.group_errors import cluster_df
from toolkit.statistics.limits import Limits, gap_limits, within

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "Contrast",
    "Heterogeneity",
    "JointMeans",
    "difference",
    "heterogeneity",
    "joint_means",
]

_ROUNDING: Final = 1e-24
"""Variance, relative to a squared mean, that rounding leaves of none."""

_DENSE: Final = 4
"""Groups up to which a full table of clusters and groups is the quicker one."""


@dataclass(frozen=True, slots=True)
class JointMeans:
    """Weighted means of k groups.

    Attributes:
        means: (k,) NaN for a group without rows.
        covariance: (k, k) NaN where a group has fewer than two clusters.
        rows: (k,) rows with a value.
        clusters: (k,) clusters that these rows belong to.
        df: (k,) degrees of freedom of each variance; NaN for fewer than two clusters.
        limits: the smallest and the largest value that a row can have.
    """

    means: NDArray[np.float64]
    covariance: NDArray[np.float64]
    rows: NDArray[np.int64]
    clusters: NDArray[np.int64]
    df: NDArray[np.float64]
    limits: Limits = (None, None)

    def interval(self, group: int, confidence: float = 0.95) -> tuple[float, float] | None:
        """Return Student's interval of a mean, within the limits of its rows.

        None when its variance is unknown or zero.
        """
        from scipy.special import stdtrit

        variance = float(self.covariance[group, group])
        if not variance > _ROUNDING * (1 + float(self.means[group]) ** 2):
            return None
        half = float(stdtrit(self.df[group], 0.5 + confidence / 2)) * math.sqrt(variance)
        mean = float(self.means[group])
        return within(mean - half, mean + half, self.limits)


@dataclass(frozen=True, slots=True)
class Contrast:
    """A difference of two means.

    Attributes:
        value: first minus second.
        low: lower end of its interval, None where there is none.
        high: upper end.
        p: two-sided, of no difference; None where it cannot be tested.
        df: degrees of freedom.
        reason: why there is no test; empty otherwise.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    df: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Heterogeneity:
    """Whether k means differ.

    Attributes:
        groups: how many means were compared.
        q: Cochran's Q; with dependent means the Wald statistic that it is a case of.
        p: of equal means; None where it cannot be tested.
        i_squared: share of the variation of the means beyond chance, 0 to 1.
        reason: why there is no test; empty otherwise.
    """

    groups: int
    q: float | None = None
    p: float | None = None
    i_squared: float | None = None
    reason: str = ""


def joint_means(
    values: NDArray[np.float64],
    groups: Sequence[tuple[NDArray[np.int64], NDArray[np.float64]]],
    clusters: NDArray[np.int64],
    limits: Limits = (None, None),
) -> JointMeans:
    """Return the means of groups of rows and their covariance.

    Args:
        values: (n,) NaN where a row has none; such a row counts nowhere.
        groups: the rows of each group and how much each counts, above 0.
        clusters: (n,) the cluster of each row.
        limits: the smallest and the largest value that a row can have.
    """
    import numpy as np

    k = len(groups)
    means = np.full(k, np.nan)
    rows = np.zeros(k, np.int64)
    seen = np.zeros(k, np.int64)
    df = np.full(k, np.nan)
    size = int(clusters.max()) + 1 if len(clusters) else 0
    influences: list[NDArray[np.float64]] = []
    where: list[NDArray[np.int64]] = []
    for at, (members, weights) in enumerate(groups):
        known = np.isfinite(values[members])
        held, weight = members[known], weights[known]
        rows[at] = len(held)
        where.append(clusters[held])
        if not len(held):
            influences.append(np.empty(0))
            continue
        total = float(weight.sum())
        # Differences of equal values come out as exactly zero.
        base = float(values[held].min())
        means[at] = base + float((weight * (values[held] - base)).sum()) / total
        sizes = np.bincount(where[at], weight, size)
        sizes = sizes[sizes > 0]
        seen[at] = len(sizes)
        if len(sizes) > 1:
            df[at] = cluster_df(sizes)
        influences.append(weight * (values[held] - means[at]) / total)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.sqrt(np.where(seen > 1, seen / (seen - 1.0), np.nan))
    products = _products(influences, where, size) * np.outer(factor, factor)
    return JointMeans(means, products, rows, seen, df, limits)


def _products(
    influences: Sequence[NDArray[np.float64]], where: Sequence[NDArray[np.int64]], size: int
) -> NDArray[np.float64]:
    """Return the sums over clusters of the products of groups' influences, (k, k)."""
    import numpy as np
    from scipy import sparse

    k = len(influences)
    if k <= _DENSE:
        summed = np.zeros((size, k))
        for at in range(k):
            summed[:, at] = np.bincount(where[at], influences[at], size)
        dense: NDArray[np.float64] = summed.T @ summed
        return dense
    group_of = np.repeat(np.arange(k), [len(part) for part in where])
    matrix = sparse.csr_array(
        (np.concatenate(influences), (np.concatenate(where), group_of)), shape=(size, k)
    )
    found: NDArray[np.float64] = (matrix.T @ matrix).toarray()
    return found


def difference(joint: JointMeans, first: int, second: int, *, confidence: float = 0.95) -> Contrast:
    """Return the difference of two means with its interval and test.

    Degrees of freedom are those of Welch (1947, doi:10.1093/biomet/34.1-2.28) from those of both
    variances, so that independent rows give Welch's t test itself.

    Args:
        joint: the means.
        first: position of the first group.
        second: position of the second group.
        confidence: coverage of the interval.
    """
    from scipy.special import stdtr, stdtrit

    if not min(joint.rows[first], joint.rows[second]):
        return Contrast(None, reason="one side has no value")
    value = float(joint.means[first] - joint.means[second])
    if min(joint.clusters[first], joint.clusters[second]) < 2:
        return Contrast(value, reason="one side has a single cluster")
    cov = joint.covariance
    one, other = float(cov[first, first]), float(cov[second, second])
    variance = one + other - 2 * float(cov[first, second])
    if not variance > _ROUNDING * (1 + value * value):
        return Contrast(value, reason="no variation")
    df = (one + other) ** 2 / (one**2 / float(joint.df[first]) + other**2 / float(joint.df[second]))
    error = math.sqrt(variance)
    half = float(stdtrit(df, 0.5 + confidence / 2)) * error
    p = 2 * float(stdtr(df, -abs(value) / error))
    low, high = joint.limits
    span = None if low is None or high is None else high - low
    ends = within(value - half, value + half, gap_limits(span))
    return Contrast(value, *ends, p, df)


def heterogeneity(joint: JointMeans) -> Heterogeneity:
    """Test whether all means are equal; groups of one cluster or without variation stay out.

    The Wald statistic of all contrasts is Cochran's Q (1954, doi:10.2307/3001666) where means are
    independent. Its p value allows for estimated variances as Welch does (1951,
    doi:10.1093/biomet/38.3-4.330), from the degrees of freedom of each. I^2 is Higgins and
    Thompson's (2002, doi:10.1002/sim.1186).
    """
    import numpy as np
    from scipy.special import fdtrc

    spread = np.diag(joint.covariance)
    trace = _ROUNDING * (1 + np.nan_to_num(joint.means) ** 2)
    held = np.flatnonzero((joint.clusters > 1) & (np.nan_to_num(spread) > trace))
    k = len(held)
    if k < 2:
        return Heterogeneity(k, reason="fewer than two groups whose values vary")
    means = joint.means[held]
    contrasts = np.hstack([np.ones((k - 1, 1)), -np.eye(k - 1)])
    gaps = contrasts @ means
    covariance = contrasts @ joint.covariance[np.ix_(held, held)] @ contrasts.T
    if np.linalg.matrix_rank(covariance) < k - 1:
        return Heterogeneity(k, reason="groups overlap so much that their means are not free")
    q = float(gaps @ np.linalg.solve(covariance, gaps))
    shares = 1 / spread[held]
    shares /= shares.sum()
    lack = float(((1 - shares) ** 2 / joint.df[held]).sum())
    f = q / (k - 1) / (1 + 2 * (k - 2) / (k**2 - 1) * lack)
    df = (k**2 - 1) / (3 * lack)
    p = float(fdtrc(k - 1, df, f))
    return Heterogeneity(k, q, p, max(0.0, 1 - (k - 1) / q) if q > 0 else 0.0)
