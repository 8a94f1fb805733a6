"""Observed differences between levels of a factor: within each cluster, or between clusters.

No model is behind them: a cluster's value of a level is the mean of its cells, which are the
combinations of levels of the other factors, each with the same weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolkit.statistics.group_errors import alike
from toolkit.statistics.intervals import students_t

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "FactorCells",
    "LevelDifference",
    "between_clusters",
    "factor_cells",
    "within_clusters",
]

_FEW: Final = "fewer than two clusters"


@dataclass(frozen=True, slots=True)
class FactorCells:
    """The cells of the other factors in each cluster that have a value.

    Attributes:
        clusters: (c,) the cluster of each cell, as codes from 0.
        means: (c, levels) mean of the values at each level of the factor; NaN for none.
        counts: (c, levels) how many values.
    """

    clusters: NDArray[np.int64]
    means: NDArray[np.float64]
    counts: NDArray[np.int64]

    @property
    def between(self) -> bool:
        """Whether no cluster has two levels of the factor, so that only clusters compare."""
        import numpy as np

        size = int(self.clusters.max()) + 1 if len(self.clusters) else 0
        seen = np.zeros((size, self.counts.shape[1]), bool)
        np.logical_or.at(seen, self.clusters, self.counts > 0)
        return not (seen.sum(axis=1) > 1).any()


@dataclass(frozen=True, slots=True)
class LevelDifference:
    """The difference between two sides, over clusters.

    Attributes:
        first: mean over clusters of the first side; None without any.
        second: of the second.
        difference: first minus second.
        low: lower end of its interval.
        high: upper end.
        p: of Welch's test of no difference, between clusters.
        n: values behind it.
        cells: cells behind it, summed over clusters.
        clusters: clusters with such a cell.
        reason: why something is missing; empty otherwise.
        by_cluster: (clusters,) within clusters the difference of each, by its code; NaN where no
            cell of the cluster has both sides.
    """

    first: float | None = None
    second: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    n: int = 0
    cells: int = 0
    clusters: int = 0
    reason: str = ""
    by_cluster: NDArray[np.float64] | None = None


def factor_cells(
    values: NDArray[np.float64],
    codes: NDArray[np.int64],
    clusters: NDArray[np.int64],
    factor: int,
    levels: int,
) -> FactorCells:
    """Average values by cluster, cell of the other factors, and level of a factor.

    Args:
        values: (n,) finite values.
        codes: (n, factors) the level of each factor.
        clusters: (n,) the cluster of each row.
        factor: position of the factor.
        levels: how many it has.
    """
    import numpy as np

    place = np.unique(clusters, return_inverse=True)[1].ravel()
    for column in np.delete(codes, factor, axis=1).T:
        # Renumbered each time, so that no number of factors makes it overflow.
        wide = place * (1 + column.max(initial=0)) + column
        place = np.unique(wide, return_inverse=True)[1].ravel()
    owner = np.unique(place, return_index=True)[1]
    at = place * levels + codes[:, factor]
    size = len(owner) * levels
    counts = np.bincount(at, minlength=size).reshape(len(owner), levels)
    sums = np.bincount(at, values, size).reshape(len(owner), levels)
    means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    owners = np.unique(clusters[owner], return_inverse=True)[1].ravel()
    return FactorCells(owners, means, counts)


def within_clusters(
    cells: FactorCells, first: Sequence[int], second: Sequence[int]
) -> LevelDifference:
    """Return the mean over clusters of the difference within each.

    Only cells with a value of every level of both sides count, so that both sides stand for the
    same cells; levels of one side weigh the same, so do cells of a cluster, and clusters.

    Args:
        cells: of the factor.
        first: levels of the first side.
        second: levels of the second.
    """
    import numpy as np

    size = int(cells.clusters.max()) + 1 if len(cells.clusters) else 0
    one = cells.means[:, list(first)].mean(axis=1)
    other = cells.means[:, list(second)].mean(axis=1)
    both = np.isfinite(one) & np.isfinite(other)
    owners = cells.clusters[both]
    held = np.bincount(owners, minlength=size)
    known = held > 0
    by_cluster = np.full(size, np.nan)
    if not known.any():
        return LevelDifference(reason="no cluster has a value of both", by_cluster=by_cluster)
    gaps = np.bincount(owners, one[both] - other[both], size)
    by_cluster[known] = gaps[known] / held[known]
    means = [
        float((np.bincount(owners, side[both], size)[known] / held[known]).mean())
        for side in (one, other)
    ]
    found = by_cluster[known]
    n = int(cells.counts[both][:, [*first, *second]].sum())
    low, high = (None, None) if alike(found) else students_t(found.tolist())
    reason = ""
    if low is None:
        reason = _FEW if len(found) < 2 else "no variation: all differences are equal"
    return LevelDifference(
        means[0], means[1], float(found.mean()), low, high, None, n, int(both.sum()), len(found),
        reason, by_cluster,
    )  # fmt: skip


def between_clusters(
    cells: FactorCells, first: Sequence[int], second: Sequence[int], *, confidence: float = 0.95
) -> LevelDifference:
    """Return the difference of means of clusters that have different levels.

    The interval and the test are Welch's (1947, doi:10.1093/biomet/34.1-2.28), for a side of
    several levels those of the mean of their means.

    Args:
        cells: of a factor that varies between clusters alone.
        first: levels of the first side, each of which occurs.
        second: levels of the second, too.
        confidence: coverage of the interval, between 0 and 1.
    """
    import numpy as np
    from scipy.special import stdtr, stdtrit

    named = [*first, *second]
    samples = [_cluster_means(cells, level) for level in named]
    groups = [len(sample) for sample in samples]
    held = cells.counts[:, named]
    sizes = (int(held.sum()), int((held > 0).sum()), sum(groups))
    means = np.array([sample.mean() for sample in samples])
    one, other = float(means[: len(first)].mean()), float(means[len(first) :].mean())
    gap = one - other
    reason = "a level has fewer than two clusters" if min(groups) < 2 else ""
    if not reason and all(alike(sample) for sample in samples):
        reason = "no variation: all clusters of a level are equal"
    if reason:
        return LevelDifference(one, other, gap, None, None, None, *sizes, reason)
    weights = np.repeat([1 / len(first), 1 / len(second)], [len(first), len(second)])
    spreads = np.array([float(np.var(sample, ddof=1)) / len(sample) for sample in samples])
    parts = weights**2 * spreads
    variance = float(parts.sum())
    df = variance**2 / float((parts**2 / (np.array(groups) - 1)).sum())
    error = variance**0.5
    half = float(stdtrit(df, 0.5 + confidence / 2)) * error
    p = 2 * float(stdtr(df, -abs(gap) / error))
    return LevelDifference(one, other, gap, gap - half, gap + half, p, *sizes)


def _cluster_means(cells: FactorCells, level: int) -> NDArray[np.float64]:
    """Return the mean over its cells of each cluster that has the level."""
    import numpy as np

    known = cells.counts[:, level] > 0
    owners = cells.clusters[known]
    held = np.bincount(owners)
    sums = np.bincount(owners, cells.means[known, level])
    found: NDArray[np.float64] = sums[held > 0] / held[held > 0]
    return found
