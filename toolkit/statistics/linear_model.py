"""What a fitted model of odds says: Wald tests of terms, odds ratios with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["LinearFit", "OddsRatio", "WaldTest", "geometric_mean", "odds_ratio", "wald_test"]

_RANK: Final = 1e-9
"""Relative size below which a variance is rounding."""

_LARGEST: Final = 300.0
"""Log odds beyond which no number is left."""


@dataclass(frozen=True, slots=True)
class LinearFit:
    """Coefficients on the scale of log odds.

    Attributes:
        params: (p,) NaN throughout where there is a reason.
        covariance: (p, p).
        n: rows.
        clusters: independent clusters of them.
        alpha: correlation of two rows of one cluster, where the model has one.
        thresholds: of an ordered outcome, on the scale of log odds.
        reason: why the model says nothing; empty otherwise.
        reaching: of an ordered outcome, the logistic model of reaching each value above the
            lowest that follows from this one.
    """

    params: NDArray[np.float64]
    covariance: NDArray[np.float64]
    n: int
    clusters: int
    alpha: float | None = None
    thresholds: tuple[float, ...] = ()
    reason: str = ""
    reaching: tuple[LinearFit, ...] = ()


@dataclass(frozen=True, slots=True)
class WaldTest:
    """A test that some combinations of coefficients are zero."""

    df: int
    chi2: float | None = None
    p: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class OddsRatio:
    """A ratio of odds.

    Attributes:
        value: the ratio.
        low: lower end of its interval.
        high: upper end.
        log: its natural logarithm.
        error: standard error of the logarithm.
        p: two-sided, of a ratio of one.
        reason: why there is none; empty otherwise.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    log: float | None = None
    error: float | None = None
    p: float | None = None
    reason: str = ""


def wald_test(fit: LinearFit, rows: NDArray[np.float64]) -> WaldTest:
    """Test that combinations of coefficients are zero: Wald's chi-squared (Wald 1943).

    With the columns of one term under sum coding this is the Type III test of the term.

    Args:
        fit: the model.
        rows: (df, p) the combinations, linearly independent.
    """
    import numpy as np
    from scipy.special import chdtrc

    df = len(rows)
    if fit.reason:
        return WaldTest(df, reason=fit.reason)
    covariance = rows @ fit.covariance @ rows.T
    scale = np.sqrt(np.clip(np.diag(covariance), 0, None))
    if not (scale > 0).all():
        return WaldTest(df, reason="a coefficient has no variance")
    correlation = covariance / np.outer(scale, scale)
    if np.linalg.matrix_rank(correlation, tol=_RANK, hermitian=True) < df:
        return WaldTest(df, reason="too few clusters for so many coefficients")
    standard = (rows @ fit.params) / scale
    chi2 = float(standard @ np.linalg.solve(correlation, standard))
    return WaldTest(df, chi2, float(chdtrc(df, chi2)))


def odds_ratio(fit: LinearFit, row: NDArray[np.float64], *, confidence: float = 0.95) -> OddsRatio:
    """Return the odds ratio of a contrast, with its normal interval and test on the log scale.

    Args:
        fit: the model.
        row: (p,) weights of the coefficients.
        confidence: coverage of the interval, between 0 and 1.
    """
    from scipy.special import ndtr, ndtri

    if fit.reason:
        return OddsRatio(reason=fit.reason)
    log = float(row @ fit.params)
    variance = float(row @ fit.covariance @ row)
    if not variance > 0:
        return OddsRatio(math.exp(log), log=log, reason="the contrast has no variance")
    error = math.sqrt(variance)
    half = float(ndtri(0.5 + confidence / 2)) * error
    if abs(log) + half > _LARGEST:
        return OddsRatio(reason="the odds ratio or its interval is too large to be a number")
    return OddsRatio(
        math.exp(log), math.exp(log - half), math.exp(log + half), log, error,
        2 * float(ndtr(-abs(log) / error)),
    )  # fmt: skip


def geometric_mean(ratios: Sequence[float]) -> float:
    """Return the geometric mean of odds ratios: their mean on the scale of log odds.

    Over the levels of a factor this is the odds ratio of the contrast whose cells weigh the same.

    Args:
        ratios: one or more, above 0.
    """
    return math.exp(math.fsum(math.log(ratio) for ratio in ratios) / len(ratios))
