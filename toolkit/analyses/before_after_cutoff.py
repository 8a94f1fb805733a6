"""Contamination by date: scores of articles published before and after a model's cutoff."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable
from toolkit.analyses.cutoff_figure import cutoff_figure
from toolkit.analyses.families import Correction, adjust, family_note
from toolkit.analyses.identity import identity
from toolkit.analyses.item_columns import ItemColumns
from toolkit.analyses.item_dates import month_ranges, sides
from toolkit.analyses.item_halves import Halves, half_columns, halves_rows, halves_test
from toolkit.analyses.score_matrix import ScoreMatrices, ScoreMatrix, System
from toolkit.analyses.units import item_means
from toolkit.statistics.bootstrap import generator
from toolkit.statistics.limits import Limits, gap_limits
from toolkit.statistics.permutation import enough_permutations

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["BeforeAfterCutoff", "BeforeAfterCutoffParams"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BeforeAfterCutoffParams:
    """Scores of items dated before and after each model's knowledge cutoff."""

    date: str = field(default="year", metadata={"about": "date or year column"})
    month: str | None = field(
        default=None, metadata={"about": "column of months, 1-12, where date is a year"}
    )
    margin: int = field(
        default=0,
        metadata={"about": "months on both sides of the cutoff left out", "minimum": 0},
    )
    scores: tuple[str, ...] = field(
        default=(), metadata={"about": "names of scores; all by default", "scalar": True}
    )
    baselines: tuple[str, ...] = field(
        default=(),
        metadata={
            "about": "models whose change is what the articles themselves changed; by default "
            "all baselines but the reference",
            "scalar": True,
        },
    )
    cluster: str | None = field(
        default=None, metadata={"about": "item column whose equal values depend on one another"}
    )
    correction: Correction = field(
        default="holm", metadata={"about": "for tests of several models: holm, bh or none"}
    )
    n: int = field(default=2000, metadata={"about": "permutations", "minimum": 100})


@dataclass(frozen=True, slots=True)
class _Column:
    """The scores of one competitor; with ``against``, minus those of the baselines."""

    score: str
    system: System
    against: str
    values: NDArray[np.float64]
    limits: Limits


class BeforeAfterCutoff:
    """Both means of every score and model, and the same of the gap to baselines."""

    name: ClassVar[str] = "before_after_cutoff"
    version: ClassVar[int] = 3
    Params: ClassVar[type] = BeforeAfterCutoffParams

    def __init__(self, params: BeforeAfterCutoffParams) -> None:
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return the columns of dates and clusters."""
        p = self.params
        return tuple(dict.fromkeys(name for name in (p.date, p.month, p.cluster) if name))

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self, "scores", "baselines")

    def describe(self) -> str:
        """Return how the numbers were found, for people."""
        p = self.params
        return (
            f"95 % intervals by Welch's t over {p.cluster or 'item'}s; "
            f"{halves_test(p.cluster is not None, p.cluster, p.n)}"
        )

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the tables.

        Held in memory: the scores, and 24 bytes for each item, score and competitor that has a
        cutoff.

        Raises:
            UserError: a value of the date columns is no date.
        """
        p = self.params
        matrices = ScoreMatrices(inputs.scores)
        items = ItemColumns(inputs.items, self.item_columns(), matrices.items)
        ranges = month_ranges(items, p.date, p.month)
        clusters = items.clusters(p.cluster)
        columns: dict[str, list[_Column]] = {}
        for score in matrices.scores(p.scores):
            for column in self._columns(matrices.matrix(score), inputs):
                columns.setdefault(column.system[0], []).append(column)
        families = Counter((c.score, c.against) for held in columns.values() for c in held)
        count = enough_permutations(max(families.values(), default=1), p.n)
        rows: list[dict[str, Any]] = []
        models: list[dict[str, Any]] = []
        for model in dict.fromkeys([*inputs.models, *sorted(columns)]):
            facts = inputs.models.get(model)
            cutoff = facts.cutoff if facts else None
            line = {"model": inputs.title(model), "kind": inputs.kinds.get(model, "model")}
            if cutoff is None or model not in columns:
                why = "it has no score here" if cutoff else _why_none(line["kind"])
                models.append(line | {"cutoff": cutoff, "reason": why})
                continue
            before, after, unclear = sides(ranges, cutoff, p.margin)
            counts = {
                "cutoff": cutoff,
                "n_before": int(before.sum()),
                "n_after": int(after.sum()),
                "n_unclear": int(unclear.sum()),
                "n_undated": len(before) - int((before | after | unclear).sum()),
            }
            why = "" if counts["n_before"] and counts["n_after"] else "all items lie on one side"
            models.append(line | counts | {"reason": why})
            halves = Halves(before, after, clusters, p.cluster is not None)
            rows += self._rows(columns[model], halves, counts | {"permutations": count}, inputs)
        adjust(rows, ("score", "against"), p.correction)
        rows.sort(key=lambda row: (row["score"], row["against"], row["model"], row["prompt"]))
        return self._tables(rows, models, inputs)

    def _columns(self, matrix: ScoreMatrix, inputs: AnalysisInputs) -> list[_Column]:
        """Return the scores of the models with a cutoff, plain and against the baselines."""
        baselines = [
            at
            for at, (model, _) in enumerate(matrix.systems)
            if (
                model in self.params.baselines
                if self.params.baselines
                else inputs.kinds.get(model, "model") == "baseline"
            )
        ]
        names = dict.fromkeys(inputs.title(matrix.systems[at][0]) for at in baselines)
        against = ", ".join(names)
        level = item_means(matrix.values[:, baselines])
        limits = inputs.definition(matrix.score).limits
        between = gap_limits(inputs.span(matrix.score))
        found = []
        for at, system in enumerate(matrix.systems):
            facts = inputs.models.get(system[0])
            if facts is None or facts.cutoff is None:
                continue
            values = matrix.values[:, at].copy()
            found.append(_Column(matrix.score, system, "", values, limits))
            if baselines and at not in baselines:
                gap = _Column(matrix.score, system, against, values - level, between)
                found.append(gap)
        return found

    def _rows(
        self,
        columns: Sequence[_Column],
        halves: Halves,
        counts: dict[str, Any],
        inputs: AnalysisInputs,
    ) -> list[dict[str, Any]]:
        found = halves_rows(
            [column.values for column in columns],
            [column.limits for column in columns],
            halves,
            # The same permutations for all models of a cutoff.
            generator(inputs.seed, self.name, counts["cutoff"]),
            names=("before", "after"),
            permutations=counts["permutations"],
        )
        return [
            {
                "score": column.score,
                "against": column.against,
                "model": inputs.title(column.system[0]),
                "prompt": column.system[1],
                "cutoff": counts["cutoff"],
                **row,
            }
            for column, row in zip(columns, found, strict=True)
        ]

    def _tables(
        self,
        rows: list[dict[str, Any]],
        models: list[dict[str, Any]],
        inputs: AnalysisInputs,
    ) -> list[AnalysisTable]:
        p = self.params
        signature = (
            f"{self.name}|version:{self.version}|date:{p.date}|month:{p.month or 'none'}"
            f"|margin:{p.margin}|permutations:{p.n}|cluster:{p.cluster or 'item'}"
            f"|correction:{p.correction}|seed:{inputs.seed}"
        )
        return [
            AnalysisTable(
                name="before_after_cutoff",
                title="Scores before and after each model's knowledge cutoff",
                columns=_COLUMNS,
                rows=rows,
                notes=(
                    f"Method: {self.describe()}.",
                    "Lines with `against` show the model's score minus the mean of these "
                    "baselines on the same item, so that their difference leaves out what the "
                    "articles themselves changed (difference in differences).",
                    family_note(p.correction, "all models of one score, plain or against"),
                    "A difference may have other causes than training data: topics, journals and "
                    "styles change with time, too.",
                ),
                signature=signature,
                figures=cutoff_figure(rows, inputs),
            ),
            AnalysisTable(
                name="before_after_cutoff_models",
                title="Knowledge cutoffs and the items on both sides",
                columns=_MODELS,
                rows=models,
                notes=(
                    "An item counts as before when it was surely published in the month of the "
                    "cutoff or earlier, as after when surely later; else it is unclear, e.g. in "
                    "the year of the cutoff where the month is not known.",
                    f"Dates: {p.date}{f' and {p.month}' if p.month else ''}; "
                    f"{p.margin} months on both sides of the cutoff are unclear as well.",
                ),
                signature=signature,
            ),
        ]


def _why_none(kind: str) -> str:
    if kind == "model":
        return "the recipe says no cutoff"
    return f"a {kind} learned nothing"


_COLUMNS = (
    AnalysisColumn("score", "string", "score"),
    AnalysisColumn("model", "string", "model"),
    AnalysisColumn("prompt", "string", "prompt"),
    AnalysisColumn("against", "string", "minus the mean of these baselines"),
    AnalysisColumn("cutoff", "string", "knowledge cutoff"),
    *half_columns("before", "after", ("before", "after")),
)

_MODELS = (
    AnalysisColumn("model", "string", "model"),
    AnalysisColumn("kind", "string", "model, baseline or reference"),
    AnalysisColumn("cutoff", "string", "knowledge cutoff"),
    AnalysisColumn("n_before", "int64", "items before"),
    AnalysisColumn("n_after", "int64", "items after"),
    AnalysisColumn("n_unclear", "int64", "items too near to tell"),
    AnalysisColumn("n_undated", "int64", "items without a date"),
    AnalysisColumn("reason", "string", "why there is no comparison"),
)
