"""Agreement of raters on the same cases, coefficient by coefficient, with its spread."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable
from toolkit.analyses.bootstrap import generator
from toolkit.analyses.coefficients import (
    Weights,
    alpha_columns,
    alpha_interval,
    confusion_columns,
    kappa,
    macro_f1,
    mean_of,
)
from toolkit.analyses.paired_values import PairedValues
from toolkit.analyses.resampling import Spread, item_sums, resampled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Agreement", "AgreementParams"]

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


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementParams:
    """Agreement of raters on the same cases."""

    raters: tuple[str, ...] = field(metadata={"about": "names of judges"})
    statistic: tuple[Statistic, ...] = field(
        default=("macro_f1",), metadata={"about": "coefficients", "scalar": True}
    )
    scores: tuple[str, ...] = field(
        default=(), metadata={"about": "names of scores; all by default", "scalar": True}
    )
    bootstrap: int = field(default=800, metadata={"about": "resamples of cases", "minimum": 0})


class Agreement:
    """Every pair of raters, every score both give; and the people inside one human judge."""

    name: ClassVar[str] = "agreement"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = AgreementParams

    def __init__(self, params: AgreementParams) -> None:
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return none: cases are resampled, their columns are not needed."""
        return ()

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        p = self.params
        return {
            "name": self.name,
            "version": self.version,
            "raters": list(p.raters),
            "statistic": list(p.statistic),
            "scores": list(p.scores),
            "bootstrap": p.bootstrap,
        }

    def describe(self) -> str:
        """Return how the spread was found, for people."""
        return f"95 % percentile intervals over {self.params.bootstrap:,} resamples of the cases"

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return one table of pairs of raters, and one of people where a judge has several."""
        judges = [inputs.judges[name] for name in self.params.raters]
        values = PairedValues({column for judge in judges for column in judge.scores.values()})
        for table in inputs.scores:
            values.add(table)
        rows: list[dict[str, Any]] = []
        for first, second in combinations(judges, 2):
            for score in first.scores:
                if score not in second.scores or not self._wanted(score):
                    continue
                answers, a, b, missing = values.pair(first.scores[score], second.scores[score])
                head = {"rater_a": first.name, "rater_b": second.name, "score": score}
                items = values.item_of(answers)
                names = (first.name, second.name, score)
                found = self._rows(a, b, items, inputs.seed, names)
                rows += [head | row | {"n_missing": missing} for row in found]
        return [self._table("agreement", "Agreement of raters", rows), *self._people(inputs)]

    def _wanted(self, score: str) -> bool:
        return not self.params.scores or score in self.params.scores

    def _rows(
        self,
        a: NDArray[np.float64],
        b: NDArray[np.float64],
        items: NDArray[np.int64],
        seed: int,
        names: tuple[str, ...],
    ) -> Iterator[dict[str, Any]]:
        """Yield one row for each coefficient of one pair of raters."""
        import numpy as np

        base = {"n": len(a), **_prevalence(a, b)}
        for statistic in self.params.statistic:
            row: dict[str, Any] = {"statistic": statistic, **base}
            found = _measure(statistic, a, b) if len(a) else "no case was rated by both"
            if isinstance(found, str):
                yield row | {"reason": found}
                continue
            columns, function = found
            value = float(function(columns.sum(axis=0, keepdims=True))[0])
            spread = Spread()
            if self.params.bootstrap and np.isfinite(value):
                spread = resampled(
                    item_sums(items, columns),
                    function,
                    generator(seed, self.name, statistic, *names),
                    resamples=self.params.bootstrap,
                )
            yield row | {
                "value": value if np.isfinite(value) else None,
                "low": spread.low,
                "high": spread.high,
                "bootstrap_mean": spread.mean,
                "bootstrap_sd": spread.sd,
                "reason": _reason(value, spread),
            }

    def _people(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the agreement of the people inside each human judge, pair by pair."""
        human = {name for name in self.params.raters if inputs.judges[name].type == "human"}
        given = _ratings(inputs, human)
        rows: list[dict[str, Any]] = []
        for judge in sorted(given):
            for score in inputs.judges[judge].scores:
                by_rater = given[judge].get(score, {}) if self._wanted(score) else {}
                for first, second in combinations(sorted(by_rater), 2):
                    head = {"rater_a": first, "rater_b": second, "score": score}
                    cases = sorted(by_rater[first].keys() & by_rater[second].keys())
                    pair = by_rater[first], by_rater[second]
                    names = (judge, first, second, score)
                    found = self._cases(*pair, cases, inputs.seed, names)
                    rows += [head | row | {"n_missing": 0} for row in found]
        if not rows:
            return []
        return [self._table("agreement_of_people", "Agreement of people", rows)]

    def _cases(
        self,
        first: Mapping[Any, float],
        second: Mapping[Any, float],
        cases: list[Any],
        seed: int,
        names: tuple[str, ...],
    ) -> Iterator[dict[str, Any]]:
        import numpy as np

        ids = sorted({case[0] for case in cases})
        place = {item: code for code, item in enumerate(ids)}
        a = np.array([first[case] for case in cases], float)
        b = np.array([second[case] for case in cases], float)
        items = np.array([place[case[0]] for case in cases], np.int64)
        yield from self._rows(a, b, items, seed, names)

    def _table(self, name: str, title: str, rows: list[dict[str, Any]]) -> AnalysisTable:
        return AnalysisTable(
            name=name,
            title=title,
            columns=_COLUMNS,
            rows=rows,
            notes=(
                f"{self.describe()}; bootstrap mean and sd are those of the resamples.",
                "prevalence: share of each value by rater a and by rater b. Where one value is "
                "nearly always given, kappa may be low although raters rarely differ.",
            ),
            signature=f"agreement|ci:percentile|resamples:{self.params.bootstrap}|by:item",
        )


def _measure(statistic: Statistic, a: NDArray[np.float64], b: NDArray[np.float64]) -> Any:
    """Return (columns, function of their sums) of a coefficient, or why it has no value."""
    import numpy as np

    ones = np.ones(len(a))
    if statistic == "alpha":
        return alpha_columns(a, b), alpha_interval
    if statistic == "exact":
        return np.column_stack([np.abs(a - b) < 1e-9, ones]).astype(float), mean_of
    if statistic == "within_one":
        return np.column_stack([np.abs(a - b) <= 1 + 1e-9, ones]).astype(float), mean_of
    if statistic == "mean_absolute_error":
        return np.column_stack([np.abs(a - b), ones]), mean_of
    values, codes = np.unique(np.concatenate([a, b]), return_inverse=True)
    k = len(values)
    if k > _MOST_CATEGORIES:
        return f"{k} different values are no categories"
    columns = confusion_columns(codes[: len(a)], codes[len(a) :], k)
    if statistic == "macro_f1":
        return columns, lambda sums: macro_f1(sums, k)
    weights = _WEIGHTS[statistic]
    return columns, lambda sums: kappa(sums, values, weights)


_WEIGHTS: Final[Mapping[str, Weights]] = {
    "kappa": "none",
    "kappa_linear": "linear",
    "kappa_quadratic": "quadratic",
}


def _prevalence(a: NDArray[np.float64], b: NDArray[np.float64]) -> dict[str, Any]:
    import numpy as np

    values = np.unique(np.concatenate([a, b])) if len(a) else np.empty(0)
    if len(a) == 0 or len(values) > _MOST_CATEGORIES:
        return {}
    shares = [(float((a == value).mean()), float((b == value).mean())) for value in values]
    text = "; ".join(
        f"{value:g}: {one:.2f} / {other:.2f}"
        for value, (one, other) in zip(values, shares, strict=True)
    )
    return {"prevalence": text, "base_rate": max((one + other) / 2 for one, other in shares)}


def _reason(value: float, spread: Spread) -> str:
    if value != value:
        return "no variation: it has no value"
    if spread.undefined:
        return f"without a value in {spread.undefined} resamples"
    return ""


_Cases = dict[str, dict[str, dict[str, dict[tuple[str, str, str, int], float]]]]


def _ratings(inputs: AnalysisInputs, judges: set[str]) -> _Cases:
    """Return the ratings by judge, score, rater and case."""
    found: _Cases = {}
    if not judges:
        return found
    for table in inputs.judgements:
        for row in table.to_pylist():
            if row["judge"] not in judges or row["parsed"] is None:
                continue
            case = (row["item_id"], row["model"], row["prompt"], row["repeat"])
            for score, value in json.loads(row["parsed"]).items():
                by_rater = found.setdefault(row["judge"], {}).setdefault(score, {})
                by_rater.setdefault(row["rater"], {})[case] = float(value)
    return found


_COLUMNS: Final = tuple(
    AnalysisColumn(*column)
    for column in (
        ("rater_a", "string", "rater a", 0),
        ("rater_b", "string", "rater b", 0),
        ("score", "string", "score", 0),
        ("statistic", "string", "coefficient", 0),
        ("n", "int64", "cases rated by both", 0),
        ("n_missing", "int64", "cases without a rating of one", 0),
        ("value", "double", "value", 3),
        ("low", "double", "low end of the 95 % interval", 3),
        ("high", "double", "high end of the 95 % interval", 3),
        ("bootstrap_mean", "double", "mean of the resamples", 3),
        ("bootstrap_sd", "double", "their standard deviation", 3),
        ("base_rate", "double", "share of the most frequent value", 3),
        ("prevalence", "string", "share of each value, a / b", 0),
        ("reason", "string", "what to know of it", 0),
    )
)
