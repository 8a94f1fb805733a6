"""What two raters agree on: each statistic as a function of sums over items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from toolkit.analyses.coefficients import (
    Weights,
    alpha_columns,
    alpha_interval,
    kappa,
    macro_f1,
    mean_of,
)
from toolkit.statistics.bootstrap import bound_without_variation
from toolkit.statistics.resampling import item_cells, item_sums, resampled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Ratings", "Statistic", "asked_statistics", "measured", "prevalence"]

Statistic = Literal[
    "macro_f1",
    "kappa",
    "kappa_linear",
    "kappa_quadratic",
    "alpha",
    "exact",
    "within_one",
    "mean_absolute_error",
]

_MOST_CATEGORIES: Final = 25
"""Distinct values up to which ratings count as categories."""

_TABLES: Final = ("macro_f1", "kappa", "kappa_linear", "kappa_quadratic")

_WEIGHTS: Final[Mapping[str, Weights]] = {
    "kappa": "none",
    "kappa_linear": "linear",
    "kappa_quadratic": "quadratic",
}


@dataclass(frozen=True, slots=True)
class Ratings:
    """The ratings that two raters gave the same cases.

    Attributes:
        a: (n,) ratings of the first.
        b: (n,) ratings of the second.
        items: (n,) rank of each case's item; cases of an item are resampled together.
        span: how far two ratings of the score can lie apart; None when unbounded.
    """

    a: NDArray[np.float64]
    b: NDArray[np.float64]
    items: NDArray[np.int64]
    span: float | None = None

    def categories(self) -> NDArray[np.float64]:
        """Return the distinct values, ascending."""
        import numpy as np

        return np.unique(np.concatenate([self.a, self.b]))


def asked_statistics(asked: Sequence[Statistic], categories: int) -> list[Statistic]:
    """Return the statistics to compute; beside kappa the weighted ones, where they differ."""
    found: list[Statistic] = []
    for statistic in asked:
        found.append(statistic)
        if statistic == "kappa" and 2 < categories <= _MOST_CATEGORIES:
            found += ["kappa_linear", "kappa_quadratic"]
    return list(dict.fromkeys(found))


def measured(
    statistic: Statistic, ratings: Ratings, rng: np.random.Generator, resamples: int
) -> dict[str, Any]:
    """Return value, interval, mean and sd of the resamples, and what to know of them.

    The value is None, with its reason, where the statistic is undefined.
    """
    import numpy as np

    if len(ratings.a) == 0:
        return {"reason": "no case was rated by both"}
    found = _sums(statistic, ratings)
    if isinstance(found, str):
        return {"reason": found}
    sums, function = found
    value = float(function(sums.sum(axis=0, keepdims=True))[0])
    if not np.isfinite(value):
        return {"reason": "no variation: it has no value"}
    spread = resampled(sums, function, rng, resamples=resamples)
    low, high, reason = spread.low, spread.high, spread.reason
    if spread.flat:
        low, high, reason = _without_variation(statistic, value, len(sums), ratings.span)
    return {
        "value": value,
        "low": low,
        "high": high,
        "bootstrap_mean": spread.mean,
        "bootstrap_sd": spread.sd,
        "reason": reason,
    }


def _sums(
    statistic: Statistic, ratings: Ratings
) -> tuple[NDArray[np.float64], Callable[[NDArray[np.float64]], NDArray[np.float64]]] | str:
    """Return the sums by item and the function of their totals, or why there is no value."""
    import numpy as np

    if statistic in _TABLES:
        return _table(statistic, ratings)
    if statistic == "alpha":
        return item_sums(ratings.items, alpha_columns(ratings.a, ratings.b)), alpha_interval
    apart = np.abs(ratings.a - ratings.b)
    what = {"exact": apart == 0, "within_one": apart <= 1, "mean_absolute_error": apart}[statistic]
    columns = np.column_stack([what.astype(float), np.ones(len(apart))])
    return item_sums(ratings.items, columns), mean_of


def _table(
    statistic: Statistic, ratings: Ratings
) -> tuple[NDArray[np.float64], Callable[[NDArray[np.float64]], NDArray[np.float64]]] | str:
    import numpy as np

    values = ratings.categories()
    k = len(values)
    if k > _MOST_CATEGORIES:
        return f"{k} different values are no categories"
    if k == 1:
        return "one category only: agreement by habit and by insight look the same"
    a, b = np.searchsorted(values, ratings.a), np.searchsorted(values, ratings.b)
    sums = item_cells(ratings.items, a * k + b, k * k)
    if statistic == "macro_f1":
        return sums, lambda totals: macro_f1(totals, k)
    weights = _WEIGHTS[statistic]
    return sums, lambda totals: kappa(totals, values, weights)


def _without_variation(
    statistic: Statistic, value: float, groups: int, span: float | None
) -> tuple[float | None, float | None, str]:
    """Return an interval for what is the same in all resamples."""
    highest = {"exact": 1.0, "within_one": 1.0, "mean_absolute_error": span}.get(statistic)
    if highest is None:
        return None, None, "no interval: all resamples give the same value"
    bound = bound_without_variation(value, groups, low=0.0, high=highest, confidence=0.95)
    return bound.low, bound.high, bound.reason


def prevalence(ratings: Ratings) -> dict[str, Any]:
    """Return the share of each value by either rater, as text, and the base rate.

    The base rate is the mean share of the most frequent value: what agreement by habit can reach.
    """
    values = ratings.categories()
    if not 0 < len(values) <= _MOST_CATEGORIES:
        return {}
    shares = [
        (float((ratings.a == value).mean()), float((ratings.b == value).mean())) for value in values
    ]
    text = "; ".join(
        f"{value:g}: {one:.2f} / {other:.2f}"
        for value, (one, other) in zip(values, shares, strict=True)
    )
    return {"prevalence": text, "base_rate": max((one + other) / 2 for one, other in shares)}
