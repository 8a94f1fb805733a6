"""A mean of paired differences: interval, size of the effect, and what lacks a partner."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from toolkit.statistics.bootstrap import (
    Interval,
    bound_without_variation,
    resample_means,
    resampled_interval,
)
from toolkit.statistics.effect_size import paired_d

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["gap_row"]

_SAME = 1e-12


def gap_row(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    clusters: NDArray[np.int64],
    rng: np.random.Generator,
    *,
    resamples: int,
    span: float | None,
    weights: NDArray[np.float64] | None = None,
) -> dict[str, Any]:
    """Return the cells of one mean difference of paired values.

    The effect size is Cohen's d of paired values, the mean difference over the standard deviation
    of the differences (Cohen 1988, d_z), unweighted.

    Args:
        first: (n,) NaN where there is none.
        second: (n,) of the same items.
        clusters: (n,) the cluster of each item; whole clusters are resampled.
        rng: source of the resamples.
        resamples: how many.
        span: how far two values can lie apart; None when that is not bounded.
        weights: (n,) how much each item counts; 1 each by default.

    Returns:
        ``n, n_unpaired, n_clusters, first_mean, second_mean, difference, difference_low,
        difference_high, effect, effect_low, effect_high, reason``.
    """
    import numpy as np

    both = np.isfinite(first) & np.isfinite(second)
    either = np.isfinite(first) | np.isfinite(second)
    n = int(both.sum())
    row: dict[str, Any] = {"n": n, "n_unpaired": int(either.sum()) - n}
    if not n:
        return row | {"n_clusters": 0, "reason": "no item has both"}
    weight = np.ones(n) if weights is None else weights[both]
    difference = first[both] - second[both]
    value = float((weight * difference).sum() / weight.sum())
    _, place = np.unique(clusters[both], return_inverse=True)
    interval = _interval(difference, weight, place, rng, resamples=resamples, span=span)
    effect = paired_d(difference)
    independent = int(place.max()) + 1 == n
    return row | {
        "n_clusters": int(place.max()) + 1,
        "first_mean": float((weight * first[both]).sum() / weight.sum()),
        "second_mean": float((weight * second[both]).sum() / weight.sum()),
        "difference": value,
        "difference_low": interval.low,
        "difference_high": interval.high,
        "effect": effect.value,
        # The interval of d holds for independent pairs.
        "effect_low": effect.low if independent else None,
        "effect_high": effect.high if independent else None,
        "reason": interval.reason,
    }


def _interval(
    difference: NDArray[np.float64],
    weight: NDArray[np.float64],
    place: NDArray[np.int64],
    rng: np.random.Generator,
    *,
    resamples: int,
    span: float | None,
) -> Interval:
    import numpy as np

    groups = int(place.max()) + 1
    if groups < 2:
        return Interval(None, None, reason="one cluster: nothing to resample")
    if float(np.ptp(difference)) < _SAME:
        low, high = (None, None) if span is None else (-span, span)
        return bound_without_variation(
            math.fsum(difference) / len(difference), groups, low=low, high=high, confidence=0.95
        )
    sums: Any = np.bincount(place, weight * difference, groups)
    counts: Any = np.bincount(place, weight, groups)
    means = resample_means(sums, counts, rng, resamples)
    return resampled_interval(means, sums, counts, confidence=0.95, method="expanded")
