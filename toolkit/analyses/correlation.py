"""Scores against columns of the items: coefficients with their own tests, by group or by item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from toolkit.analyses.base import AnalysisInputs, AnalysisTable
from toolkit.analyses.correlation_tables import correlation_tables
from toolkit.analyses.families import Correction, adjust
from toolkit.analyses.identity import identity
from toolkit.analyses.item_columns import ItemColumns
from toolkit.analyses.paired_points import Points, per_day, points
from toolkit.analyses.pooled import chosen_systems, pooled_note, pooled_values
from toolkit.analyses.present_columns import present_columns
from toolkit.analyses.score_matrix import ScoreMatrices, ScoreMatrix, System
from toolkit.errors import UserError
from toolkit.statistics.correlation import correlation, stars

__all__ = ["Correlation", "CorrelationParams", "Panel"]


def _about(text: str, **more: Any) -> dict[str, Any]:
    return {"about": text, **more}


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrelationParams:
    """Correlation of scores with columns, each coefficient with its own significance."""

    with_: tuple[str, ...] = field(metadata=_about("numeric columns", scalar=True))
    scores: tuple[str, ...] = field(
        default=(), metadata=_about("names of scores; all by default", scalar=True)
    )
    answers: tuple[str, ...] = field(
        default=(), metadata=_about("prompts whose numbers or rankings are correlated as well")
    )
    level: str | None = field(default=None, metadata=_about("column whose groups are averaged"))
    methods: tuple[Literal["pearson", "spearman", "kendall"], ...] = field(
        default=("pearson", "spearman"), metadata=_about("coefficients")
    )
    minimum: int = field(default=1, metadata=_about("fewest items in a group", minimum=1))
    outliers: Literal["keep", "iqr"] = field(
        default="keep",
        metadata=_about("iqr leaves out what lies 1.5 quartile distances outside the quartiles"),
    )
    per_day_since: str | None = field(
        default=None, metadata=_about("date column; the columns count per day since it")
    )
    as_of: str | None = field(
        default=None,
        metadata=_about("date of the counts, in quotes", pattern=r"^\d{4}-\d{2}-\d{2}$"),
    )
    models: tuple[str, ...] = field(
        default=(), metadata=_about("models; by default all but baselines and the reference")
    )
    prompts: tuple[str, ...] = field(
        default=(), metadata=_about("prompts or strategies; all by default")
    )
    pool: bool = field(
        default=True,
        metadata=_about("average the models item by item; false: a line for each of them"),
    )
    cluster: str | None = field(
        default=None,
        metadata=_about("column whose items depend on each other; without level: alone"),
    )
    correction: Correction = field(
        default="holm", metadata=_about("for several tests of one coefficient")
    )


@dataclass(frozen=True, slots=True)
class Panel:
    """One score of one line against one column.

    Attributes:
        column: of the items.
        score: its name.
        model: what the table calls the line.
        prompt: its prompt, empty where several are averaged.
        points: what is correlated, and what was left out.
        note: whose scores they are.
    """

    column: str
    score: str
    model: str
    prompt: str
    points: Points
    note: str

    @property
    def head(self) -> dict[str, Any]:
        """The columns that name it."""
        return {
            "column": self.column,
            "score": self.score,
            "model": self.model,
            "prompt": self.prompt,
        }


class Correlation:
    """One table of coefficients, one of what was left out, a scatter plot for each pair."""

    name: ClassVar[str] = "correlation"
    version: ClassVar[int] = 2
    Params: ClassVar[type] = CorrelationParams

    def __init__(self, params: CorrelationParams) -> None:
        """Take the parameters.

        Raises:
            UserError: a rate per day lacks one of its dates, or groups are clustered again.
        """
        if (params.per_day_since is None) != (params.as_of is None):
            raise UserError(
                "correlation: per_day_since and as_of go together",
                hint="write both: the date column, and the day on which things were counted",
            )
        if params.level is not None and params.cluster is not None:
            raise UserError(
                "correlation: level and cluster exclude each other",
                hint="the groups of `level` are the rows; leave `cluster` out",
            )
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return the columns that are correlated and those that make groups and rates."""
        p = self.params
        asked = (*p.with_, p.level, p.per_day_since, p.cluster)
        return tuple(dict.fromkeys(name for name in asked if name is not None))

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self, "models", "prompts")

    def describe(self) -> str:
        """Return how the intervals were found, for people."""
        if self.params.cluster is not None:
            return f"95 % intervals and tests by the influence of whole {self.params.cluster}s"
        return (
            "95 % intervals: Fisher's for r, Bonett and Wright's for rho, Fieller's for tau; "
            "each coefficient has its own test"
        )

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the tables.

        Held in memory: the scores, 8 bytes an item and competitor, and the points that the
        figure shows.

        Raises:
            UserError: numbers of answers are asked for, a column is absent or no number, or a
                scored item is not in the items table.
        """
        if self.params.answers:
            raise UserError(
                "correlation.answers: numbers of answers are not built yet",
                hint="leave `answers` out",
            )
        matrices = ScoreMatrices(inputs.scores)
        needed = self.item_columns()
        items = ItemColumns(
            present_columns(inputs.items, needed, self.name), needed, matrices.items
        )
        panels = [
            panel
            for column in self.params.with_
            for score in matrices.scores(self.params.scores)
            for panel in self._panels(column, matrices.matrix(score), items, inputs)
        ]
        rows = [row for panel in panels for row in self._rows(panel)]
        adjust(rows, ("method",), self.params.correction)
        for row in rows:
            row["stars_adjusted"] = stars(row["p_adjusted"])
        return correlation_tables(panels, rows, self, inputs)

    def _panels(
        self, column: str, matrix: ScoreMatrix, items: ItemColumns, inputs: AnalysisInputs
    ) -> list[Panel]:
        p = self.params
        x, undated = items.numbers(column), 0
        if p.per_day_since is not None and p.as_of is not None:
            x, undated = per_day(x, items.values(p.per_day_since), p.as_of, p.per_day_since)
        systems = chosen_systems(matrix.systems, inputs.kinds, p.models, p.prompts)
        lines: list[Sequence[System]] = [systems] if p.pool else [[one] for one in systems]
        clusters = items.clusters(p.cluster) if p.cluster is not None else None
        groups = items.groups(p.level) if p.level is not None else None
        found = []
        for line in lines:
            if not line:
                continue
            made = points(
                x,
                pooled_values(matrix, line),
                groups=groups,
                clusters=clusters,
                minimum=p.minimum,
                outliers=p.outliers,
            )
            model, prompt = _called(line, inputs)
            made = made.with_undated(undated)
            found.append(Panel(column, matrix.score, model, prompt, made, pooled_note(line)))
        return found

    def _rows(self, panel: Panel) -> list[dict[str, Any]]:
        rows = []
        for method in self.params.methods:
            found = correlation(
                panel.points.x, panel.points.y, method, clusters=panel.points.clusters
            )
            rows.append(
                {
                    **panel.head,
                    "method": method,
                    "n": found.n,
                    "n_clusters": found.clusters,
                    "coefficient": found.value,
                    "coefficient_low": found.low,
                    "coefficient_high": found.high,
                    "stars": found.stars,
                    "p": found.p,
                    "reason": found.reason,
                }
            )
        return rows


def _called(line: Sequence[System], inputs: AnalysisInputs) -> tuple[str, str]:
    models = list(dict.fromkeys(model for model, _ in line))
    kinds = {inputs.kinds.get(model, "model") for model in models}
    prompts = list(dict.fromkeys(prompt for _, prompt in line))
    several = "all baselines" if kinds == {"baseline"} else "all models"
    model = inputs.title(models[0]) if len(models) == 1 else several
    return model, prompts[0] if len(prompts) == 1 else "all prompts"
