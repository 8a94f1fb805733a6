"""Tests of all pairs of columns at once, each pair over the rows that both have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolkit.statistics.group_errors import cluster_df

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Pairwise", "pairwise_tests"]

_ROUNDING: Final = 1e-13
"""What rounding leaves of equal differences, relative to the largest one."""


@dataclass(frozen=True, slots=True)
class Pairwise:
    """The differences of k columns, each from each.

    Attributes:
        means: (k, k) mean of the first column over the rows that it shares with the second.
        p: (k, k) two-sided p value of no difference; NaN where there is no test.
        rows: (k, k) rows that both have.
    """

    means: NDArray[np.float64]
    p: NDArray[np.float64]
    rows: NDArray[np.int64]


def pairwise_tests(
    values: NDArray[np.float64], clusters: NDArray[np.int64] | None = None
) -> Pairwise:
    """Test every pair of columns as :func:`toolkit.statistics.paired.paired_difference` does.

    Where the differences of all shared rows are equal and not zero, the t test has no variance;
    there the p value is that of flipping their signs cluster by cluster, ``2 ** (1 - g)``.
    Held in memory: a few copies of the values.

    Args:
        values: (n, k) of k columns; NaN where one has no value.
        clusters: (n,) the cluster of each row; without it each row is its own.
    """
    import numpy as np

    columns = values.shape[1]
    starts = None
    if clusters is not None and len(np.unique(clusters)) < len(clusters):
        order = np.argsort(clusters, kind="stable")
        values, clusters = values[order], clusters[order]
        starts = np.flatnonzero(np.r_[True, clusters[1:] != clusters[:-1]])
    means = np.full((columns, columns), np.nan)
    p = np.full((columns, columns), np.nan)
    rows = np.zeros((columns, columns), np.int64)
    for at in range(columns - 1):
        others = slice(at + 1, columns)
        first, second = values[:, [at]], values[:, others]
        known = np.isfinite(first) & np.isfinite(second)
        rows[at, others] = rows[others, at] = known.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            means[at, others] = np.where(known, first, 0.0).sum(axis=0) / rows[at, others]
            means[others, at] = np.where(known, second, 0.0).sum(axis=0) / rows[at, others]
        p[at, others] = p[others, at] = _tested(first - second, known, starts)
    return Pairwise(means, p, rows)


def _tested(
    differences: NDArray[np.float64], known: NDArray[np.bool_], starts: NDArray[np.int64] | None
) -> NDArray[np.float64]:
    """Return the p value of each column of differences; NaN where nothing can be said."""
    import numpy as np
    from scipy.special import stdtr

    plain = np.where(known, differences, 0.0)
    n = known.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = plain.sum(axis=0) / n
        residuals = np.where(known, plain - mean, 0.0)
        sizes = known.astype(np.int64)
        if starts is not None:
            residuals = np.add.reduceat(residuals, starts, axis=0)
            sizes = np.add.reduceat(sizes, starts, axis=0)
        groups = (sizes > 0).sum(axis=0)
        squares = (residuals**2).sum(axis=0)
        still = squares <= n * (_ROUNDING * np.abs(plain).max(axis=0, initial=0.0)) ** 2
        error = np.sqrt(groups / (groups - 1) * squares) / n
        df = n - 1.0 if starts is None else np.array([_degrees(sizes[:, k]) for k in range(len(n))])
        p = 2 * stdtr(df, -np.abs(mean / error))
        p = np.where(still, np.where(mean != 0, 2.0 ** (1.0 - groups), 1.0), p)
    found: NDArray[np.float64] = np.where(groups < 2, np.nan, np.minimum(p, 1.0))
    return found


def _degrees(sizes: NDArray[np.int64]) -> float:
    filled = sizes[sizes > 0]
    return cluster_df(filled) if len(filled) > 1 else 0.0
