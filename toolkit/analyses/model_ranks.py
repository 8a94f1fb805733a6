"""Whether two judges put models in the same order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from toolkit.analyses.base import AnalysisInputs
from toolkit.analyses.paired_values import PairedValues
from toolkit.statistics.bootstrap import generator
from toolkit.statistics.resampling import resampled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "flip_rows",
    "kendall_of_means",
    "kendall_rows",
    "rank_row",
    "spearman_of_means",
    "system_name",
]

_DIGITS: Final = 10
"""Decimals of a mean; equal values summed in another order differ in the digits behind."""


def system_name(system: tuple[str, str]) -> str:
    """Return how tables call a model with a prompt."""
    model, prompt = system
    return f"{model} {prompt}" if prompt else model


def rank_row(
    values: PairedValues,
    pair: tuple[str, str],
    inputs: AnalysisInputs,
    names: tuple[str, ...],
    resamples: int,
) -> dict[str, Any]:
    """Return the rank correlation of the models' means under two judges, with its interval."""
    import numpy as np

    systems, sums = _sums(values, pair, inputs)
    row: dict[str, Any] = {
        "n_models": len(systems),
        "n_pairs": len(systems) * (len(systems) - 1) // 2,
    }
    if len(systems) < 3:
        return row | {"reason": "fewer than three models: their order says nothing"}
    row["n_flips"] = sum(1 for _ in flip_rows(values, pair, inputs))
    total = sums.sum(axis=0, keepdims=True)
    if not np.isfinite(spearman_of_means(total)[0]):
        return row | {"reason": "one judge gives all models the same mean"}
    for name, statistic in (("spearman", spearman_of_means), ("kendall", kendall_of_means)):
        # The same resamples for both.
        rng = generator(inputs.seed, "model_ranks", *names)
        spread = resampled(sums, statistic, rng, resamples=resamples)
        row |= {
            name: float(statistic(total)[0]),
            f"{name}_low": spread.low,
            f"{name}_high": spread.high,
            "reason": spread.reason,
        }
    return row


def flip_rows(
    values: PairedValues, pair: tuple[str, str], inputs: AnalysisInputs
) -> Iterator[dict[str, Any]]:
    """Yield the pairs of models whose means stand the other way round under the other judge.

    The most serious come first: those whose smaller difference is the largest.
    """
    systems, sums = _sums(values, pair, inputs)
    if not systems:
        return
    first, second = (means[0] for means in _means(sums.sum(axis=0, keepdims=True)))
    flips = []
    for one, other in combinations(range(len(systems)), 2):
        by_a, by_b = float(first[one] - first[other]), float(second[one] - second[other])
        if by_a < 0 < by_b or by_b < 0 < by_a:
            flips.append((-min(abs(by_a), abs(by_b)), one, other, by_a, by_b))
    for _, one, other, by_a, by_b in sorted(flips):
        yield {
            "first": system_name(systems[one]),
            "second": system_name(systems[other]),
            "difference_a": by_a,
            "difference_b": by_b,
        }


def _sums(
    values: PairedValues, pair: tuple[str, str], inputs: AnalysisInputs
) -> tuple[list[tuple[str, str]], NDArray[np.float64]]:
    """Return the competing systems and (items, 3s) sums under a, under b, and counts."""
    import numpy as np

    answers, a, b, _ = values.pair(*pair)
    system = values.system_of(answers)
    systems = values.systems
    competing = [
        code
        for code in np.unique(system).tolist()
        if inputs.kinds.get(systems[code][0], "model") != "reference"
    ]
    place = np.full(len(systems), -1, np.int64)
    place[competing] = np.arange(len(competing))
    kept = place[system] >= 0
    at, k = place[system][kept], len(competing)
    found, row = np.unique(values.cluster_of(answers)[kept], return_inverse=True)
    sums = np.hstack(
        [
            np.bincount(row * k + at, what, len(found) * k).reshape(len(found), k)
            for what in (a[kept], b[kept], np.ones(len(at)))
        ]
    ).astype(np.float64)
    return [systems[code] for code in competing], sums


def _means(sums: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    import numpy as np

    k = sums.shape[1] // 3
    counts = sums[:, 2 * k :]
    with np.errstate(invalid="ignore", divide="ignore"):
        return (
            np.round(sums[:, :k] / counts, _DIGITS),
            np.round(sums[:, k : 2 * k] / counts, _DIGITS),
        )


def spearman_of_means(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Spearman's rho of the means in each row; NaN where they do not vary."""
    import numpy as np
    from scipy import stats

    first, second = (stats.rankdata(means, axis=1) for means in _means(sums))
    first = first - first.mean(axis=1, keepdims=True)
    second = second - second.mean(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
        result: NDArray[np.float64] = np.where(
            scale > 0, (first * second).sum(axis=1) / scale, np.nan
        )
    return result


def kendall_of_means(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Kendall's tau b of the means in each row; NaN without variation."""
    return kendall_rows(*_means(sums))


def kendall_rows(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Kendall's tau b (Kendall 1945) of each row of one with that of the other.

    Args:
        first: (r, k) numbers of k competitors.
        second: (r, k).

    Returns:
        (r,) NaN where a side does not vary, or a number is missing.
    """
    import numpy as np

    agreeing, apart_a, apart_b = (np.zeros(len(first)) for _ in range(3))
    for at in range(first.shape[1] - 1):
        one = np.sign(first[:, at : at + 1] - first[:, at + 1 :])
        other = np.sign(second[:, at : at + 1] - second[:, at + 1 :])
        agreeing += (one * other).sum(axis=1)
        apart_a += np.abs(one).sum(axis=1)
        apart_b += np.abs(other).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.sqrt(apart_a * apart_b)
        result: NDArray[np.float64] = np.where(scale > 0, agreeing / scale, np.nan)
    return result
