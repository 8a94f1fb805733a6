"""Agreement of raters on the same cases, coefficient by coefficient, with its spread."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolkit.analyses.base import (
    AnalysisColumn,
    AnalysisInputs,
    AnalysisTable,
    JudgeFacts,
    asked_scores,
)
from toolkit.analyses.identity import identity
from toolkit.analyses.item_clusters import item_clusters
from toolkit.analyses.overall_agreement import OVERALL, OVERALL_NOTE, overall_rows
from toolkit.analyses.paired_values import PairedValues
from toolkit.analyses.rater_cases import Case, CasesByRater, rater_cases
from toolkit.analyses.rating_measures import (
    Ratings,
    Statistic,
    asked_statistics,
    measured,
    prevalence,
)
from toolkit.analyses.together import TOGETHER, TOGETHER_NOTE, alpha_together
from toolkit.errors import UserError
from toolkit.statistics.bootstrap import generator

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Agreement", "AgreementParams"]

_DIGITS: Final = 9
"""Decimals of a rating; an inverted scale or a mean leaves noise in the digits behind."""


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
    cluster: str | None = field(
        default=None, metadata={"about": "item column whose equal values are resampled together"}
    )


class Agreement:
    """Every pair of raters, every score both give; and the people inside one human judge."""

    name: ClassVar[str] = "agreement"
    version: ClassVar[int] = 3
    Params: ClassVar[type] = AgreementParams

    def __init__(self, params: AgreementParams) -> None:
        """Take the parameters.

        Raises:
            UserError: a rater is named twice.
        """
        if len(set(params.raters)) != len(params.raters):
            raise UserError(
                f"agreement.raters is {list(params.raters)}", hint="name each rater once"
            )
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return the column that clusters are made of, if any."""
        return () if self.params.cluster is None else (self.params.cluster,)

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self, "scores")

    def describe(self) -> str:
        """Return how the spread was found, for people."""
        if self.params.bootstrap == 0:
            return "no intervals"
        unit = "items" if self.params.cluster is None else f"values of {self.params.cluster}"
        return f"95 % percentile intervals over {self.params.bootstrap:,} resamples of the {unit}"

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return a table of pairs of raters, one of pairs of people where a judge has several.

        A third one holds alpha of more than two raters, or people, together; a fourth the mean of
        macro-F1 over the scores of each pair. Held in memory: 16 bytes for each value of these
        raters, and what people said.
        """
        judges = [inputs.judges[name] for name in self.params.raters]
        wanted = asked_scores(judges, self.params.scores)
        clusters = item_clusters(inputs.items, self.params.cluster, self.name)
        values = PairedValues(
            {column for judge in judges for own, column in judge.scores.items() if own in wanted},
            clusters,
        )
        for table in inputs.scores:
            values.add(table)
        people = rater_cases(inputs.judgements, [j.name for j in judges if j.type == "human"])
        inside = {key: people[key] for key in sorted(people) if key[1] in wanted}
        pairs = list(self._pairs(values, judges, wanted, inputs))
        of_people = [
            row for key in inside for row in self._people(key, inside[key], inputs, clusters)
        ]
        together = list(self._judges_together(values, judges, wanted, inputs.seed))
        together += [
            self._people_together(key, inside[key], inputs.seed, clusters)
            for key in inside
            if len(inside[key]) > 1
        ]
        tables = [
            ("agreement", "Agreement of raters", _PAIRS, pairs, self._notes()),
            ("agreement_of_people", "Agreement of people", _PEOPLE, of_people, self._notes()),
            (
                "agreement_together",
                "Agreement of more than two",
                TOGETHER,
                together,
                (f"Intervals: {self.describe()}.", TOGETHER_NOTE),
            ),
            (
                "agreement_overall",
                "Agreement over all scores",
                OVERALL,
                list(overall_rows([*pairs, *of_people])),
                (OVERALL_NOTE,),
            ),
        ]
        return [
            AnalysisTable(
                name=name,
                title=title,
                columns=columns,
                rows=rows,
                notes=notes,
                signature=self._signature(inputs.seed),
            )
            for name, title, columns, rows, notes in tables
            if rows or name == self.name
        ]

    def _signature(self, seed: int) -> str:
        return (
            f"{self.name}|version:{self.version}|ci:percentile|resamples:{self.params.bootstrap}"
            f"|by:{self.params.cluster or 'item'}|seed:{seed}"
        )

    def _pairs(
        self,
        values: PairedValues,
        judges: Sequence[JudgeFacts],
        wanted: Collection[str],
        inputs: AnalysisInputs,
    ) -> Iterator[dict[str, Any]]:
        for first, second in combinations(judges, 2):
            for score, column in first.scores.items():
                if score not in second.scores or score not in wanted:
                    continue
                answers, a, b, missing = values.pair(column, second.scores[score])
                ratings = _ratings(a, b, values.cluster_of(answers), inputs, column)
                head = {"rater_a": first.name, "rater_b": second.name, "score": score}
                for row in self._rows(ratings, inputs.seed, tuple(head.values())):
                    yield head | {"n_missing": missing} | row

    def _people(
        self,
        key: tuple[str, str],
        raters: CasesByRater,
        inputs: AnalysisInputs,
        clusters: Mapping[str, str],
    ) -> Iterator[dict[str, Any]]:
        """Yield the agreement of the people inside a judge, pair by pair."""
        import numpy as np

        judge, score = key
        column = inputs.judges[judge].scores.get(score, "")
        for first, second in combinations(sorted(raters), 2):
            cases = sorted(raters[first].keys() & raters[second].keys())
            a, b = (np.array([raters[who][case] for case in cases]) for who in (first, second))
            ratings = _ratings(a, b, _items(cases, clusters), inputs, column)
            alone = raters[first].keys() ^ raters[second].keys()
            head = {"judge": judge, "rater_a": first, "rater_b": second, "score": score}
            for row in self._rows(ratings, inputs.seed, tuple(head.values())):
                yield head | {"n_missing": len(alone)} | row

    def _rows(
        self, ratings: Ratings, seed: int, names: tuple[str, ...]
    ) -> Iterator[dict[str, Any]]:
        """Yield one row for each coefficient of one pair of raters."""
        import numpy as np

        base = {"n": len(ratings.a), "n_items": len(np.unique(ratings.items))}
        base |= prevalence(ratings)
        for statistic in asked_statistics(self.params.statistic, len(ratings.categories())):
            rng = generator(seed, self.name, statistic, *names)
            row = measured(statistic, ratings, rng, self.params.bootstrap)
            yield base | {"statistic": statistic} | row

    def _judges_together(
        self,
        values: PairedValues,
        judges: Sequence[JudgeFacts],
        wanted: Collection[str],
        seed: int,
    ) -> Iterator[dict[str, Any]]:
        """Yield alpha of each score that more than two raters give."""
        for score in sorted(wanted):
            giving = [judge for judge in judges if score in judge.scores]
            if len(giving) < 3:
                continue
            answers, ratings, missing = values.pooled([judge.scores[score] for judge in giving])
            among = ", ".join(judge.name for judge in giving)
            rng = generator(seed, self.name, "together", among, score)
            head = {"among": among, "score": score, "n_raters": len(giving), "n_missing": missing}
            items = values.cluster_of(answers)
            yield head | alpha_together(answers, items, ratings, rng, self.params.bootstrap)

    def _people_together(
        self,
        key: tuple[str, str],
        raters: CasesByRater,
        seed: int,
        clusters: Mapping[str, str],
    ) -> dict[str, Any]:
        """Return alpha of the people inside a judge."""
        import numpy as np

        judge, score = key
        cases = sorted({case for given in raters.values() for case in given})
        place = {case: at for at, case in enumerate(cases)}
        given = [
            (place[case], value)
            for who in sorted(raters)
            for case, value in sorted(raters[who].items())
        ]
        units = np.array([unit for unit, _ in given], np.int64)
        values = np.array([value for _, value in given], float)
        rng = generator(seed, self.name, "people", judge, score)
        return {
            "among": f"the people of {judge}",
            "score": score,
            "n_raters": len(raters),
            "n_missing": len(cases) * len(raters) - len(given),
            **alpha_together(
                units, _items(cases, clusters)[units], values, rng, self.params.bootstrap
            ),
        }

    def _notes(self) -> tuple[str, ...]:
        return (
            f"{self.describe()}; bootstrap mean and sd are those of the resamples.",
            "prevalence: share of each value by rater a and by rater b. Where one value is nearly "
            "always given, kappa may be low although raters rarely differ.",
            "A judge's value is the mean over its repeats or raters; a mean between two values "
            "counts as a category of its own. Weighted kappa weighs by the distance of the values.",
        )


def _ratings(
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    items: NDArray[np.int64],
    inputs: AnalysisInputs,
    column: str,
) -> Ratings:
    return Ratings(a.round(_DIGITS), b.round(_DIGITS), items, inputs.span(column))


def _items(cases: Sequence[Case], clusters: Mapping[str, str]) -> NDArray[np.int64]:
    """Return the rank of each case's item, or of the cluster that it belongs to."""
    import numpy as np

    names = [clusters.get(case[0], case[0]) for case in cases]
    place = {name: rank for rank, name in enumerate(sorted(set(names)))}
    return np.array([place[name] for name in names], np.int64)


def _columns(*head: tuple[str, str]) -> tuple[AnalysisColumn, ...]:
    return (
        *(AnalysisColumn(name, "string", about, 0) for name, about in head),
        AnalysisColumn("score", "string", "score", 0),
        AnalysisColumn("statistic", "string", "coefficient", 0),
        AnalysisColumn("n", "int64", "cases rated by both", 0),
        AnalysisColumn("n_items", "int64", "items, or clusters of them", 0),
        AnalysisColumn("n_missing", "int64", "cases without a rating of one", 0),
        AnalysisColumn("value", "double", "value", 3),
        AnalysisColumn("low", "double", "low end of the 95 % interval", 3),
        AnalysisColumn("high", "double", "high end of the 95 % interval", 3),
        AnalysisColumn("bootstrap_mean", "double", "mean of the resamples", 3),
        AnalysisColumn("bootstrap_sd", "double", "their standard deviation", 3),
        AnalysisColumn("base_rate", "double", "share of the most frequent value", 3),
        AnalysisColumn("prevalence", "string", "share of each value, a / b", 0),
        AnalysisColumn("reason", "string", "what to know of it", 0),
    )


_PAIRS: Final = _columns(("rater_a", "rater a"), ("rater_b", "rater b"))
_PEOPLE: Final = _columns(("judge", "judge"), ("rater_a", "rater a"), ("rater_b", "rater b"))
