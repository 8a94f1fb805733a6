"""Error bars of a group that name their estimator: spread of values is no error of a mean."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "ESTIMATORS",
    "ClusteredMean",
    "Estimator",
    "GroupError",
    "alike",
    "cluster_df",
    "clustered_mean",
    "group_error",
]

Estimator = Literal["sd", "se", "clustered_se", "ci", "clustered_ci"]

ESTIMATORS: Final[dict[Estimator, str]] = {
    "sd": "standard deviation of the values",
    "se": "standard error of the mean, rows independent",
    "clustered_se": "standard error of the mean, whole clusters independent",
    "ci": "Student's t interval of the mean, rows independent",
    "clustered_ci": "Student's t interval of the mean, whole clusters independent",
}
"""What each error bar says, for a legend or a note."""


_ROUNDING: Final = 1e-12
"""Relative distance of values that are equal on paper."""


@dataclass(frozen=True, slots=True)
class ClusteredMean:
    """A mean and how sure it is.

    Attributes:
        mean: of all rows; None without rows.
        standard_error: None for fewer than two clusters.
        n: rows.
        clusters: independent clusters they belong to.
        df: degrees of freedom of the standard error, 0 where there is none.
    """

    mean: float | None
    standard_error: float | None
    n: int
    clusters: int
    df: float = 0.0

    def half_width(self, confidence: float = 0.95) -> float | None:
        """Return half of Student's interval; None where there is none or nothing varies."""
        if not self.standard_error:
            return None
        from scipy.special import stdtrit

        return float(stdtrit(self.df, 0.5 + confidence / 2)) * self.standard_error


def cluster_df(sizes: NDArray[Any]) -> float:
    """Return the degrees of freedom of a clustered standard error of a mean.

    G - 1 for G clusters of one size, fewer for unequal ones: a few large clusters tell as little
    of the variance as few clusters do. Satterthwaite's approximation (Bell and McCaffrey 2002,
    Survey Methodology 28:169-181) for rows of a cluster that vary together wholly, which is the
    careful assumption.

    Args:
        sizes: (G,) rows of each cluster, at least 1; G at least 2.
    """
    import numpy as np

    if np.ptp(sizes) == 0:
        return float(len(sizes) - 1)
    # The residuals are (I - w 1') u for independent cluster totals u of variance t = w^2; with
    # M = (I - w 1')' (I - w 1') the result is trace(M T)^2 / trace(M T M T).
    w = sizes / sizes.sum()
    t = w * w
    square = float(t.sum())
    own = 1 - 2 * w + square
    zeroth, first, second = square, float((t * w).sum()), float((t * t).sum())
    crossed = (
        square**2 * zeroth**2 + 2 * zeroth * second + 2 * first**2 - 4 * square * zeroth * first
    )
    diagonal = float((t * t * (own**2 - (own - 1) ** 2)).sum())
    return float((t * own).sum()) ** 2 / (diagonal + crossed)


@dataclass(frozen=True, slots=True)
class GroupError:
    """One error bar.

    Attributes:
        mean: of the group; None without rows.
        low: lower end of the bar, None where there is none.
        high: upper end.
        estimator: what the bar is.
        about: the same in words.
        n: rows.
        clusters: independent clusters.
        reason: why there is no bar; empty otherwise.
    """

    mean: float | None
    low: float | None
    high: float | None
    estimator: Estimator
    about: str
    n: int
    clusters: int
    reason: str = ""


def alike(values: NDArray[np.float64]) -> bool:
    """Return whether values are all equal but for rounding: 0.3 - 0.2 and 0.7 - 0.6 are.

    What rounding leaves has a spread, and a difference many million times as large as that.

    Args:
        values: (n,) finite, at least one.
    """
    import numpy as np

    return bool(np.ptp(values) <= _ROUNDING * np.abs(values).max())


def clustered_mean(
    values: NDArray[np.float64], clusters: NDArray[np.int64] | None = None
) -> ClusteredMean:
    """Return a mean with the standard error of whole clusters (Liang and Zeger 1986).

    The residuals of a cluster are summed before they are squared, and the sum of squares is
    multiplied by G / (G - 1) for G clusters (doi:10.1093/biomet/73.1.13); for clusters of one
    row this is s / sqrt(n). Repeats of one item are such a cluster.

    Args:
        values: (n,) finite values.
        clusters: (n,) the cluster of each; without it each row is its own.
    """
    import numpy as np

    n = len(values)
    if not n:
        return ClusteredMean(None, None, 0, 0)
    mean = math.fsum(values) / n
    residuals = np.asarray(values, np.float64) - mean
    df = float(n - 1)
    if clusters is not None:
        _, places, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
        df = cluster_df(sizes) if len(sizes) > 1 else 0.0
        residuals = np.bincount(places, residuals).astype(np.float64)
    groups = len(residuals)
    if groups < 2:
        return ClusteredMean(mean, None, n, groups)
    squares = math.fsum(residuals**2)
    # Sums of clusters that are equal on paper leave a trace, and so do values.
    if squares <= n * (_ROUNDING * float(np.abs(values).max())) ** 2:
        squares = 0.0
    return ClusteredMean(mean, math.sqrt(groups / (groups - 1) * squares) / n, n, groups, df)


def group_error(
    values: NDArray[np.float64],
    estimator: Estimator,
    *,
    clusters: NDArray[np.int64] | None = None,
    confidence: float = 0.95,
) -> GroupError:
    """Return the error bar of a group.

    Args:
        values: (n,) finite values.
        estimator: what the bar is to be.
        clusters: (n,) the cluster of each value, which the clustered estimators need.
        confidence: coverage of the intervals, between 0 and 1.

    Raises:
        ValueError: a clustered estimator without clusters.
    """
    import numpy as np

    clustered = estimator.startswith("clustered")
    if clustered and clusters is None:
        raise ValueError(f"'{estimator}' needs clusters")
    found = clustered_mean(values, clusters if clustered else None)
    if estimator == "sd":
        half = float(np.std(values, ddof=1)) if found.n > 1 else None
    elif estimator.endswith("se"):
        half = found.standard_error
    else:
        half = found.half_width(confidence)
    about = ESTIMATORS[estimator]
    if found.mean is None or not half:
        unit = "cluster" if clustered else "value"
        few = f"fewer than two {unit}s"
        reason = few if found.clusters < 2 else "no variation: all values are equal"
        return GroupError(found.mean, None, None, estimator, about, found.n, found.clusters, reason)
    low, high = found.mean - half, found.mean + half
    return GroupError(found.mean, low, high, estimator, about, found.n, found.clusters)
