"""95 % intervals that have a closed form: of a share and of a mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from toolkit.statistics.group_errors import clustered_mean

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["clustered_wilson", "share_row", "students_t", "wilson"]

_Z: Final = 1.959963984540054
"""The 97.5 % point of the standard normal distribution."""


def wilson(count: int, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927), each end from 0 to 1.

    Args:
        count: successes, from 0 to n.
        n: trials, at least 1.
    """
    return _wilson(count / n, n, _Z)


def _wilson(share: float, n: float, z: float) -> tuple[float, float]:
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(share * (1 - share) / n + z**2 / (4 * n * n))
    low = 0.0 if share == 0 else centre - half
    return low, 1.0 if share == 1 else centre + half


def share_row(name: str, count: int, n: int) -> dict[str, float | None]:
    """Return a share and its interval as cells ``name``, ``name_low`` and ``name_high``.

    Args:
        name: of the share.
        count: successes, from 0 to n.
        n: trials; of none all three are None.
    """
    low, high = wilson(count, n) if n else (None, None)
    return {name: count / n if n else None, f"{name}_low": low, f"{name}_high": high}


def students_t(values: Sequence[float]) -> tuple[float, float] | tuple[None, None]:
    """Return the 95 % interval of a mean by Student's t.

    Args:
        values: independent values in any unit.

    Returns:
        Both ends in that unit; None twice for fewer than two values or none that differ.
    """
    if len(values) < 2 or len(set(values)) == 1:
        return None, None
    from scipy import stats

    n = len(values)
    mean = math.fsum(values) / n
    variance = math.fsum((value - mean) ** 2 for value in values) / (n - 1)
    half = float(stats.t.ppf(0.975, n - 1)) * math.sqrt(variance / n)
    return mean - half, mean + half


def clustered_wilson(
    shares: NDArray[np.float64], clusters: NDArray[np.int64]
) -> tuple[float, float] | tuple[None, None]:
    """Return the 95 % interval of a share whose rows come in clusters.

    Wilson's interval of the number of independent rows that would be as sure as these are
    (Korn and Graubard 1998): the variance of a share of independent rows over that of whole
    clusters, with Student's quantile for their degrees of freedom. It is :func:`wilson` where
    every row is 0 or 1 and its own cluster, which
    :func:`toolkit.statistics.clustered_shares.clustered_share` is not: that one never jumps between
    both quantiles as rows are repeated. Where nothing varies, a cluster counts as one row.

    Args:
        shares: (n,) 0 or 1, or the share of an item's answers; at least one.
        clusters: (n,) the cluster of each row.

    Returns:
        Both ends, from 0 to 1; None twice for rows of one cluster.
    """
    import numpy as np
    from scipy.special import stdtrit

    found = clustered_mean(shares, clusters)
    share, groups = float(shares.mean()), found.clusters
    if groups == len(shares) and np.isin(shares, (0, 1)).all():
        return wilson(int(shares.sum()), len(shares))
    if groups < 2:
        return None, None
    error = found.standard_error
    spread = share * (1 - share)
    n = spread / error**2 if error and spread > 0 else float(groups)
    return _wilson(share, n, float(stdtrit(found.df or groups - 1, 0.975)))
