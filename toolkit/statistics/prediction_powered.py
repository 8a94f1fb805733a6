"""Means of human ratings sharpened by a judge that rated everything, whatever the judge's bias.

A judge's own mean has the judge's bias, and no number of items cures it. The mean of human
ratings has none but is of few items. Prediction-powered inference adds to the human mean what the
judge says of the items that no human rated, times a factor lambda: ``mean(Y) + lambda (mean of
the judge on unrated items - mean of the judge on rated ones)``, which has no bias for any fixed
lambda (Angelopoulos et al. 2023, doi:10.1126/science.adi6000). Lambda is chosen to make the
interval shortest: a useless judge gets 0, which is the human mean alone (Angelopoulos, Duchi and
Zrnic 2023, arXiv:2311.01453).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolkit.statistics.group_errors import clustered_mean

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Estimate", "PredictionPowered", "prediction_powered"]

_FEWEST: Final = 4
"""Independent rated items below which lambda cannot be estimated."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its interval.

    Attributes:
        mean: None where there is none.
        low: lower end of Student's interval.
        high: upper end.
        n: values.
        clusters: independent clusters they belong to.
    """

    mean: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int


@dataclass(frozen=True, slots=True)
class PredictionPowered:
    """Three means of one score, and the judge's bias.

    Attributes:
        raw: the judge's mean over all items it rated.
        human: the humans' mean over the items they rated.
        powered: the prediction-powered mean; its ``n`` counts human ratings.
        bias: judge minus human on the items that both rated.
        factor: lambda, from 0 to 1; None where nothing is powered.
        n_unrated: items that the judge alone rated.
        reason: why there is no prediction-powered mean; empty otherwise.
    """

    raw: Estimate
    human: Estimate
    powered: Estimate
    bias: Estimate
    factor: float | None
    n_unrated: int
    reason: str = ""


def prediction_powered(
    human: NDArray[np.float64],
    judge: NDArray[np.float64],
    *,
    clusters: NDArray[np.int64] | None = None,
    confidence: float = 0.95,
) -> PredictionPowered:
    """Return the judge's, the human and the prediction-powered mean.

    The variance of rated and unrated items is that of whole clusters, and lambda minimises it:
    ``cov(Y, f) / (var f + n / N var f')``, here by clusters, kept between 0 and 1. At that
    lambda the estimated variance is never above that of the human mean, for which lambda is 0,
    and both are referred to Student's t with the degrees of freedom of the rated clusters: the
    interval is never wider than the human one over the same items, on any data, by construction
    and not by picking. The items that humans rated must be a random sample of all.

    Args:
        human: (n,) human rating of each item; NaN where there is none.
        judge: (n,) the judge's score of each item; NaN where there is none.
        clusters: (n,) the cluster of each item; without it each item is its own. A cluster with
            rated and unrated items ties both samples together, which is accounted for.
        confidence: coverage of the intervals, between 0 and 1.
    """
    import numpy as np

    codes = np.arange(len(human)) if clusters is None else clusters
    by_human, by_judge = np.isfinite(human), np.isfinite(judge)
    both, alone = by_human & by_judge, by_judge & ~by_human
    raw = _estimate(judge[by_judge], codes[by_judge], confidence)
    only = _estimate(human[by_human], codes[by_human], confidence)
    bias = _estimate((judge - human)[both], codes[both], confidence)
    rated = len(np.unique(codes[both]))
    unrated = int(alone.sum())
    nothing = Estimate(None, None, None, int(both.sum()), rated)
    if rated < _FEWEST or not unrated or len(np.unique(codes[alone])) < 2:
        few = f"fewer than {_FEWEST} items rated by both" if rated < _FEWEST else ""
        reason = few or "no item that the judge alone rated"
        return PredictionPowered(raw, only, nothing, bias, None, unrated, reason)
    if np.ptp(human[both]) == 0:
        reason = "no variation: all human ratings are equal"
        return PredictionPowered(raw, only, nothing, bias, None, unrated, reason)
    factor, variance = _tuned(human, judge, both, alone, codes)
    moved = float(judge[alone].mean() - judge[both].mean())
    mean = float(human[both].mean()) + factor * moved
    from scipy.special import stdtrit

    df = clustered_mean(human[both], codes[both]).df
    half = float(stdtrit(df, 0.5 + confidence / 2)) * math.sqrt(variance)
    powered = Estimate(mean, mean - half, mean + half, int(both.sum()), rated)
    return PredictionPowered(raw, only, powered, bias, factor, unrated)


def _estimate(values: NDArray[np.float64], codes: NDArray[np.int64], confidence: float) -> Estimate:
    found = clustered_mean(values, codes)
    half = found.half_width(confidence)
    if found.mean is None or half is None:
        return Estimate(found.mean, None, None, found.n, found.clusters)
    return Estimate(found.mean, found.mean - half, found.mean + half, found.n, found.clusters)


def _tuned(
    human: NDArray[np.float64],
    judge: NDArray[np.float64],
    both: NDArray[np.bool_],
    alone: NDArray[np.bool_],
    codes: NDArray[np.int64],
) -> tuple[float, float]:
    """Return lambda and the variance of the mean at it."""
    import numpy as np

    def influence(values: NDArray[np.float64], rows: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return how much each cluster moves the mean of some rows, scaled for small samples."""
        residuals = np.where(rows, values - values[rows].mean(), 0.0)
        found: NDArray[np.float64] = np.bincount(places, residuals) / rows.sum()
        groups = len(np.unique(places[rows]))
        return found * math.sqrt(groups / (groups - 1))

    _, places = np.unique(codes, return_inverse=True)
    by_human = influence(np.where(both, human, 0.0), both)
    by_judge = influence(np.where(alone, judge, 0.0), alone) - influence(
        np.where(both, judge, 0.0), both
    )
    # The mean moves by h + lambda j: a square of lambda whose least value is sought.
    cross, square = float((by_human * by_judge).sum()), float((by_judge**2).sum())
    factor = min(1.0, max(0.0, -cross / square)) if square > 0 else 0.0
    return factor, float(((by_human + factor * by_judge) ** 2).sum())
