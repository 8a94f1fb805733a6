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
    "confusion_columns",
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

    return np.column_stack([(a - b) ** 2, a + b, a**2 + b**2, np.ones(len(a))])


def alpha_interval(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Krippendorff's alpha for interval data of two raters without gaps.

    ``1 - D_o / D_e`` with ``D_o`` the mean squared difference within pairs and ``D_e`` that of
    all pairs of the pooled values (Krippendorff 2011, "Computing Krippendorff's
    Alpha-Reliability"); linear in the number of pairs, where the general algorithm needs a
    table of values by values.
    """
    import numpy as np

    n = sums[:, 3]
    pooled = 2 * n
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = sums[:, 0] / n
        variance = (sums[:, 2] - sums[:, 1] ** 2 / pooled) / (pooled - 1)
        expected = 2 * variance
        result: NDArray[np.float64] = np.where(
            expected > 1e-12 * np.maximum(1.0, sums[:, 2] / pooled), 1 - observed / expected, np.nan
        )
    return result


def confusion_columns(
    a: NDArray[np.int64], b: NDArray[np.int64], categories: int
) -> NDArray[np.float64]:
    """Return (n, categories**2) one-hot cells of the confusion table."""
    import numpy as np

    cells = np.zeros((len(a), categories * categories))
    cells[np.arange(len(a)), a * categories + b] = 1.0
    return cells


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
