"""A judge's mean, the humans' mean, and the prediction-powered mean that uses both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable, asked_scores
from toolkit.analyses.competitors import item_clusters, shown
from toolkit.analyses.identity import identity
from toolkit.analyses.names import file_name
from toolkit.analyses.score_matrix import ScoreMatrices, System
from toolkit.errors import UserError
from toolkit.figures.base import Dots, Figure, Series
from toolkit.statistics.limits import Limits, gap_limits, within
from toolkit.statistics.prediction_powered import Estimate, prediction_powered

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["PredictionPowered", "PredictionPoweredParams"]


def _interval(name: str, about: str) -> tuple[AnalysisColumn, ...]:
    return (
        AnalysisColumn(name, "double", about),
        AnalysisColumn(f"{name}_low", "double", "low end of its 95 % interval"),
        AnalysisColumn(f"{name}_high", "double", "high end of its 95 % interval"),
    )


_COLUMNS: Final = (
    AnalysisColumn("score", "string", "score"),
    AnalysisColumn("model", "string", "model"),
    AnalysisColumn("prompt", "string", "prompt; empty for a baseline"),
    AnalysisColumn("n_judge", "int64", "n items the judge rated", 0),
    *_interval("raw", "judge's mean"),
    AnalysisColumn("n_human", "int64", "n items humans rated", 0),
    *_interval("human", "human mean"),
    AnalysisColumn("n_both", "int64", "n items rated by both", 0),
    *_interval("powered", "prediction-powered mean"),
    *_interval("bias", "judge minus human, on items rated by both"),
    AnalysisColumn("factor", "double", "lambda: weight of the judge, 0 none to 1 full", 2),
    AnalysisColumn("reason", "string", "why there is no prediction-powered mean; else empty"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionPoweredParams:
    """Means and intervals that correct a judge's bias by human ratings of a sample.

    Raises:
        UserError: both judges are one.
    """

    judge: str = field(metadata={"about": "judge of all answers"})
    human: str = field(metadata={"about": "judge of type human"})
    scores: tuple[str, ...] = field(
        default=(), metadata={"about": "names of scores; all by default", "scalar": True}
    )
    cluster: str | None = field(
        default=None, metadata={"about": "item column whose equal values belong together"}
    )

    def __post_init__(self) -> None:
        if self.judge == self.human:
            raise UserError(
                f"prediction_powered.judge and .human are both '{self.judge}'",
                hint="name the judge of all answers, and the humans who rated a sample",
            )


class PredictionPowered:
    """One table, and a figure for each score that both give."""

    name: ClassVar[str] = "prediction_powered"
    version: ClassVar[int] = 2
    Params: ClassVar[type] = PredictionPoweredParams

    def __init__(self, params: PredictionPoweredParams) -> None:
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return the column that clusters are made of, if any."""
        return () if self.params.cluster is None else (self.params.cluster,)

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self, "scores")

    def describe(self) -> str:
        """Return how the intervals were found, for people."""
        unit = self.params.cluster or "item"
        return (
            "prediction-powered means with tuned lambda (Angelopoulos, Duchi and Zrnic 2023), "
            f"95 % Student's t intervals of whole {unit}s"
        )

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the table; a score that one of the two does not give has no rows.

        Held in memory: the scores, 12 bytes a value.

        Raises:
            UserError: the two have no score of one name.
        """
        p = self.params
        judge, human = inputs.judges[p.judge], inputs.judges[p.human]
        own = [name for name in judge.scores if name in human.scores]
        wanted = asked_scores((judge, human), p.scores)
        if not own:
            raise UserError(
                f"the judges '{p.judge}' and '{p.human}' have no score of one name",
                hint=f"'{p.judge}' gives {', '.join(judge.scores)}; "
                f"'{p.human}' gives {', '.join(human.scores)}",
            )
        matrices = ScoreMatrices(inputs.scores)
        clusters = item_clusters(inputs, matrices, p.cluster)
        rows: list[dict[str, Any]] = []
        figures: list[Figure] = []
        for score in (name for name in own if name in wanted):
            columns = judge.scores[score], human.scores[score]
            found = list(self._rows(score, columns, matrices, clusters, inputs))
            rows += [{k: v for k, v in row.items() if k != "shown"} for row in found]
            if any(row["human"] is not None for row in found):
                figures.append(_figure(score, found, inputs.definition(columns[0]).title))
        return [
            AnalysisTable(
                name="prediction_powered",
                title=f"What {p.judge} says, corrected by {p.human}",
                columns=_COLUMNS,
                rows=rows,
                notes=(
                    f"{self.describe()}.",
                    "The items that humans rated must be a random sample of all items; repeated "
                    "answers to an item are averaged.",
                ),
                signature=(
                    f"prediction_powered|version:{self.version}|judge:{p.judge}|human:{p.human}"
                    f"|lambda:tuned|cluster:{p.cluster or 'item'}|ci:t|level:0.95"
                ),
                figures=tuple(figures),
            )
        ]

    def _rows(
        self,
        score: str,
        columns: tuple[str, str],
        matrices: ScoreMatrices,
        clusters: NDArray[np.int64],
        inputs: AnalysisInputs,
    ) -> Iterator[dict[str, Any]]:
        import numpy as np

        by_judge, by_human = (matrices.matrix(column) for column in columns)
        systems: list[System] = sorted({*by_judge.systems, *by_human.systems})
        nothing = np.full(len(matrices.items), np.nan)
        limits, gaps = inputs.definition(columns[0]).limits, gap_limits(inputs.span(columns[0]))
        for system in systems:
            found = prediction_powered(
                by_human.column(system) if system in by_human.systems else nothing,
                by_judge.column(system) if system in by_judge.systems else nothing,
                clusters=clusters,
            )
            yield {
                "score": score,
                "model": inputs.title(system[0]),
                "prompt": system[1],
                "shown": shown(system, inputs),
                "n_judge": found.raw.n,
                "n_human": found.human.n,
                "n_both": found.bias.n,
                **_cells("raw", found.raw, limits),
                **_cells("human", found.human, limits),
                **_cells("powered", found.powered, limits),
                **_cells("bias", found.bias, gaps),
                "factor": found.factor,
                "reason": found.reason,
            }


def _cells(name: str, found: Estimate, limits: Limits) -> dict[str, float | None]:
    low, high, mean = found.low, found.high, found.mean
    if low is None or high is None or mean is None:
        return {name: mean, f"{name}_low": None, f"{name}_high": None}
    # A corrected mean may itself lie beyond the scale; its interval is then left as it is.
    if within(mean, mean, limits) == (mean, mean):
        low, high = within(low, high, limits)
    return {name: found.mean, f"{name}_low": low, f"{name}_high": high}


def _figure(score: str, rows: Sequence[dict[str, Any]], title: str) -> Figure:
    held = [row for row in rows if row["n_judge"] or row["n_human"]]
    rated = [row["n_human"] for row in held]
    names = {"raw": "judge", "human": "humans", "powered": "prediction-powered"}
    biases = [row["bias"] for row in held if row["bias"] is not None]
    about = f"The judge's bias is from {min(biases):.3g} to {max(biases):.3g}." if biases else ""
    return Figure(
        name=file_name("prediction_powered", score),
        title=f"{title}: judge, humans, both (human n = {_span(rated)})",
        alt=f"Means of {title}, {len(held)} competitors, by the judge, by humans, by both. {about}",
        panels=(
            Dots(
                labels=tuple(row["shown"] for row in held),
                series=tuple(
                    Series(
                        name=text,
                        values=tuple(row[key] for row in held),
                        lows=tuple(row[f"{key}_low"] for row in held),
                        highs=tuple(row[f"{key}_high"] for row in held),
                    )
                    for key, text in names.items()
                ),
                x=title,
            ),
        ),
    )


def _span(counts: Sequence[int]) -> str:
    least, most = min(counts), max(counts)
    return f"{most:,}" if least == most else f"{least:,} to {most:,}"
