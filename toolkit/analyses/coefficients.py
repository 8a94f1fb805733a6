"""Coefficients of agreement, as functions of sums, so that they can be resampled quickly.

Every function takes (r, k) sums and returns (r,) values: one row is the data, many rows are
resamples. Where a coefficient has no value (no variation, one category) it is NaN.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "Weights",
    "alpha_columns",
    "alpha_interval",
    "alpha_unit_columns",
    "kappa",
    "macro_f1",
    "mean_of",
]

Weights = Literal["none", "linear", "quadratic"]


def mean_of(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return column 0 over column 1: a mean from a sum and a count."""
    import numpy as np

    with np.errstate(invalid="ignore", divide="ignore"):
        result: NDArray[np.float64] = sums[:, 0] / sums[:, 1]
    return result


def alpha_columns(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (n, 4) what :func:`alpha_interval` needs of n pairs of ratings."""
    import numpy as np

    both = _centred(np.concatenate([a, b]))
    one, other = both[: len(a)], both[len(a) :]
    squares = one**2 + other**2
    return np.column_stack([2 * (one - other) ** 2, one + other, squares, np.full(len(a), 2.0)])


def alpha_unit_columns(
    units: NDArray[np.int64], values: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return what :func:`alpha_interval` needs of units that any number of raters rated.

    Args:
        units: (n,) the unit of each rating.
        values: (n,) the ratings.

    Returns:
        The u units with at least two ratings, ascending, and (u, 4) columns of them; a rating
        that stands alone has nothing to agree with.
    """
    import numpy as np

    found, place, counts = np.unique(units, return_inverse=True, return_counts=True)
    paired = counts[place] > 1
    place, values = place[paired], _centred(values[paired])
    kept = counts > 1
    n = counts.astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        sums = np.bincount(place, values, len(found))
        squares = np.bincount(place, values**2, len(found))
        spread = np.bincount(place, (values - (sums / n)[place]) ** 2, len(found))
        # The squared differences of all ordered pairs are 2 m times those from the mean.
        within = 2 * n * spread / (n - 1)
    return found[kept], np.column_stack([within, sums, squares, n])[kept]


def alpha_interval(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Krippendorff's alpha for interval data.

    ``1 - D_o / D_e`` with ``D_o`` the mean squared difference of pairs within units and ``D_e``
    that of all pairs of the pooled values (Krippendorff 2011, "Computing Krippendorff's
    Alpha-Reliability"); linear in the number of ratings, where the general algorithm needs a
    table of values by values.
    """
    import numpy as np

    within, total, squares, n = sums.T
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = 2 * (squares - total**2 / n) / (n - 1)
        result: NDArray[np.float64] = np.where(
            expected > 1e-12 * squares / n, 1 - within / n / expected, np.nan
        )
    return result


def _centred(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values minus their mean: alpha stays, and sums of squares keep their digits."""
    import numpy as np

    if len(values) == 0:
        return values
    centred: NDArray[np.float64] = values - values.mean()
    centred[np.abs(centred) < 1e-12 * np.abs(values).max()] = 0.0
    return centred


def kappa(
    sums: NDArray[np.float64], values: NDArray[np.float64], weights: Weights = "none"
) -> NDArray[np.float64]:
    """Return Cohen's kappa of confusion tables (Cohen 1960, 1968 with weights).

    Args:
        sums: (r, k*k) tables.
        values: (k,) the categories' values, for weights.
        weights: none, or disagreement by distance or squared distance of the values.
    """
    import numpy as np

    k = len(values)
    tables = sums.reshape(-1, k, k)
    distance = np.abs(values[:, None] - values[None, :])
    if weights == "none":
        distance = (distance > 0).astype(float)
    elif weights == "quadratic":
        distance = distance**2
    n = tables.sum(axis=(1, 2))
    chance = tables.sum(axis=2)[:, :, None] * tables.sum(axis=1)[:, None, :]
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = (tables * distance).sum(axis=(1, 2)) / n
        expected = (chance * distance).sum(axis=(1, 2)) / n**2
        result: NDArray[np.float64] = np.where(expected > 0, 1 - observed / expected, np.nan)
    return result


def macro_f1(sums: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Return the mean over categories of ``2 n_cc / (n_c. + n_.c)``: symmetric in the raters.

    Over the union of the categories that either rater used; those nobody used are left out.
    """
    import numpy as np

    tables = sums.reshape(-1, k, k)
    agreed = np.diagonal(tables, axis1=1, axis2=2)
    used = tables.sum(axis=2) + tables.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        scores = np.where(used > 0, 2 * agreed / used, np.nan)
        counts = (used > 0).sum(axis=1)
        result: NDArray[np.float64] = np.where(
            counts > 0, np.nansum(scores, axis=1) / counts, np.nan
        )
    return result
