"""Whether two judges put models in the same order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from toolkit.analyses.base import AnalysisInputs
from toolkit.analyses.bootstrap import generator
from toolkit.analyses.paired_values import PairedValues
from toolkit.analyses.resampling import resampled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["flip_rows", "rank_row", "system_name"]

_SAME: Final = 1e-12
"""Differences of means below this are none."""


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
    total = sums.sum(axis=0, keepdims=True)
    spearman = float(_spearman(total)[0])
    spread = resampled(
        sums,
        _spearman,
        generator(inputs.seed, "model_ranks", *names),
        resamples=resamples,
    )
    known = np.isfinite(spearman)
    return row | {
        "spearman": spearman if known else None,
        "spearman_low": spread.low,
        "spearman_high": spread.high,
        "kendall": _kendall(total) if known else None,
        "n_flips": sum(1 for _ in flip_rows(values, pair, inputs)),
        "reason": "" if known else "all models have the same mean",
    }


def flip_rows(
    values: PairedValues, pair: tuple[str, str], inputs: AnalysisInputs
) -> Iterator[dict[str, Any]]:
    """Yield the pairs of models whose means stand the other way round under the other judge."""
    systems, sums = _sums(values, pair, inputs)
    if not systems:
        return
    first, second = _means(sums.sum(axis=0, keepdims=True))
    for one, other in combinations(range(len(systems)), 2):
        by_a = float(first[0, one] - first[0, other])
        by_b = float(second[0, one] - second[0, other])
        if by_a * by_b < 0 and min(abs(by_a), abs(by_b)) > _SAME:
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
    competing = [
        code
        for code in sorted(set(system.tolist()), key=lambda code: values.systems[code])
        if inputs.kinds.get(values.systems[code][0], "model") != "reference"
    ]
    place = np.full(len(values.systems), -1, np.int64)
    place[competing] = np.arange(len(competing))
    kept = place[system] >= 0
    at = place[system][kept]
    row = np.unique(values.item_of(answers)[kept], return_inverse=True)[1]
    k = len(competing)
    sums = np.zeros((int(row.max()) + 1 if len(row) else 0, 3 * k))
    for offset, what in ((0, a[kept]), (k, b[kept]), (2 * k, np.ones(len(at)))):
        np.add.at(sums, (row, offset + at), what)
    return [values.systems[code] for code in competing], sums


def _means(sums: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    import numpy as np

    k = sums.shape[1] // 3
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums[:, :k] / sums[:, 2 * k :], sums[:, k : 2 * k] / sums[:, 2 * k :]


def _spearman(sums: NDArray[np.float64]) -> NDArray[np.float64]:
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


def _kendall(total: NDArray[np.float64]) -> float | None:
    from scipy import stats

    first, second = _means(total)
    value = float(stats.kendalltau(first[0], second[0]).statistic)
    return value if value == value else None
