"""Correlation, each coefficient with its own test, stars and interval, clusters or not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from toolkit.statistics.group_errors import cluster_df

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Coefficient", "Kind", "correlation", "p_of_pearson", "stars"]

Kind = Literal["pearson", "spearman", "kendall"]

_AT_ONCE: Final = 1 << 22
"""Pairs compared at a time."""

_ENUMERATED: Final = 8
"""Pairs up to which all orders of the ranks are counted, at most 40,320."""

_FEWEST: Final = {"pearson": 4, "spearman": 4, "kendall": 5}
"""Values that the interval of each coefficient needs."""


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One coefficient.

    Attributes:
        kind: which.
        value: from -1 to 1; None where it is undefined.
        p: two-sided, of no association; None where there is no test.
        stars: ``*`` below .05, ``**`` below .01, ``***`` below .001, of this p value.
        low: lower end of the interval, None where there is none.
        high: upper end.
        n: pairs of values.
        clusters: independent clusters they belong to.
        reason: why something is missing; empty otherwise.
    """

    kind: Kind
    value: float | None
    p: float | None
    stars: str
    low: float | None
    high: float | None
    n: int
    clusters: int
    reason: str = ""


def stars(p: float | None) -> str:
    """Return the stars of a p value: ``*`` below .05, ``**`` below .01, ``***`` below .001."""
    if p is None:
        return ""
    return "*" * sum(p < bound for bound in (0.05, 0.01, 0.001))


def p_of_pearson(r: float, n: int) -> float:
    """Return the two-sided p value of Pearson's r of n independent pairs (Student 1908).

    Args:
        r: between -1 and 1.
        n: pairs, at least 3.
    """
    from scipy.special import stdtr

    if abs(r) >= 1:
        return 0.0 if n > 2 else 1.0
    return 2 * float(stdtr(n - 2, -abs(r) * math.sqrt((n - 2) / (1 - r * r))))


def correlation(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    kind: Kind,
    *,
    clusters: NDArray[np.int64] | None = None,
    confidence: float = 0.95,
) -> Coefficient:
    """Return one coefficient of two columns with its own test and interval.

    Independent rows: Pearson's r with Student's test and Fisher's interval (1921); Spearman's
    rho with the same test of ranks, exact for up to 8 pairs, and the interval of Bonett and
    Wright (2000, doi:10.1007/BF02294183); Kendall's tau b with its own test (exact for few values
    without ties) and the interval of Fieller, Hartley and Pearson (1957,
    doi:10.1093/biomet/44.3-4.470).
    Clustered rows: test and interval from the influence of whole clusters on the coefficient
    (the infinitesimal jackknife, Efron 1982, doi:10.1137/1.9781611970319), on Fisher's scale,
    by Student's t with the degrees of freedom of the clusters.

    Args:
        x: (n,) finite values.
        y: (n,) finite values of the same rows.
        kind: which coefficient.
        clusters: (n,) the cluster of each row; without it each row is its own.
        confidence: coverage of the interval, between 0 and 1.
    """
    import numpy as np

    n = len(x)
    groups = n if clusters is None else len(np.unique(clusters))
    if n < 3:
        return _none(kind, n, groups, "fewer than three pairs")
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return _none(kind, n, groups, "a column is constant")
    value, p = _coefficient(x, y, kind)
    if clusters is not None and groups < n:
        return _clustered(x, y, kind, value, clusters, confidence)
    if abs(value) >= 1 - 1e-12:
        return Coefficient(kind, value, p, stars(p), None, None, n, groups, "the order is perfect")
    if n < _FEWEST[kind]:
        reason = "too few pairs for an interval"
        return Coefficient(kind, value, p, stars(p), None, None, n, groups, reason)
    from scipy.special import ndtri

    half = float(ndtri(0.5 + confidence / 2)) * math.sqrt(_variance(value, kind, n))
    centre = math.atanh(value)
    low, high = math.tanh(centre - half), math.tanh(centre + half)
    return Coefficient(kind, value, p, stars(p), low, high, n, groups)


def _variance(value: float, kind: Kind, n: int) -> float:
    """Return the variance of Fisher's transform of a coefficient of n independent pairs."""
    if kind == "kendall":
        return 0.437 / (n - 4)
    return (1.0 if kind == "pearson" else 1 + value * value / 2) / (n - 3)


def _none(kind: Kind, n: int, groups: int, reason: str) -> Coefficient:
    return Coefficient(kind, None, None, "", None, None, n, groups, reason)


def _coefficient(x: NDArray[np.float64], y: NDArray[np.float64], kind: Kind) -> tuple[float, float]:
    from scipy import stats

    test = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
    found = test[kind](x, y)
    value = float(found.statistic)
    if kind == "spearman" and len(x) <= _ENUMERATED:
        return value, _exact_p_of_spearman(x, y)
    return value, float(found.pvalue)


def _exact_p_of_spearman(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Return the share of all orders whose rho is at least as far from 0 as the one seen.

    Student's distribution has no place for few ranks: a perfect order of three has p = 1/3, and
    Student's test says 0.
    """
    from itertools import permutations

    import numpy as np
    from scipy import stats

    first, second = (stats.rankdata(part) - (len(part) + 1) / 2 for part in (x, y))
    orders = np.array(list(permutations(range(len(x)))), np.int64)
    # Products of half ranks are whole numbers of quarters, so that ties are exact.
    products = np.abs(second[orders] @ first)
    return float((products >= abs(float(second @ first))).mean())


def _clustered(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    kind: Kind,
    value: float,
    clusters: NDArray[np.int64],
    confidence: float,
) -> Coefficient:
    import numpy as np
    from scipy import stats
    from scipy.special import stdtr, stdtrit

    n = len(x)
    if kind == "kendall":
        influence = _kendall_influence(x, y, value)
    else:
        if kind == "spearman":
            x, y = stats.rankdata(x), stats.rankdata(y)
        u, v = ((part - part.mean()) / part.std() for part in (x, y))
        influence = u * v - value * (u * u + v * v) / 2
    _, places = np.unique(clusters, return_inverse=True)
    summed = np.bincount(places, influence)
    groups = len(summed)
    if groups < 2:
        return Coefficient(kind, value, None, "", None, None, n, groups, "fewer than two clusters")
    error = math.sqrt(groups / (groups - 1) * float((summed**2).sum())) / n
    spread = 1 - value * value
    if error <= 1e-12 or spread <= 1e-12:
        reason = "no variation between clusters"
        return Coefficient(kind, value, None, "", None, None, n, groups, reason)
    # Fisher's transformation has derivative 1 / (1 - value^2).
    error /= spread
    centre, df = math.atanh(value), cluster_df(np.bincount(places))
    p = 2 * float(stdtr(df, -abs(centre) / error))
    half = float(stdtrit(df, 0.5 + confidence / 2)) * error
    low, high = math.tanh(centre - half), math.tanh(centre + half)
    return Coefficient(kind, value, p, stars(p), low, high, n, groups)


def _kendall_influence(
    x: NDArray[np.float64], y: NDArray[np.float64], tau: float
) -> NDArray[np.float64]:
    """Return n times the influence of each row on tau b, from what it agrees and ties with."""
    import numpy as np

    n = len(x)
    agree, apart_x, apart_y = (np.empty(n) for _ in range(3))
    step = max(1, _AT_ONCE // n)
    for start in range(0, n, step):
        one = np.sign(x[start : start + step, None] - x[None, :])
        other = np.sign(y[start : start + step, None] - y[None, :])
        rows = slice(start, start + len(one))
        agree[rows] = (one * other).sum(axis=1)
        apart_x[rows], apart_y[rows] = np.abs(one).sum(axis=1), np.abs(other).sum(axis=1)
    # tau = A / sqrt(X Y), each a sum over pairs, whose influences are twice those of a row.
    a, b, c = agree.mean(), apart_x.mean(), apart_y.mean()
    scale = math.sqrt(b * c)
    influence: NDArray[np.float64] = 2 * (
        (agree - a) / scale - tau * ((apart_x - b) / b + (apart_y - c) / c) / 2
    )
    return influence
