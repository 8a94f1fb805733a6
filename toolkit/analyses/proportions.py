"""How often a score reaches a value: proportions with Wilson intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable
from toolkit.analyses.cells import Cells, item_columns_of
from toolkit.analyses.identity import identity
from toolkit.analyses.item_columns import ItemColumns
from toolkit.analyses.names import file_name
from toolkit.analyses.score_matrix import ScoreMatrices, ScoreMatrix
from toolkit.errors import UserError
from toolkit.figures.base import Dots, Figure, Series
from toolkit.statistics.intervals import clustered_wilson

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Proportions", "ProportionsParams"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProportionsParams:
    """Proportions with Wilson intervals."""

    scores: tuple[str, ...] = field(
        default=(), metadata={"about": "names of scores; all by default", "scalar": True}
    )
    by: tuple[str, ...] = field(
        default=("model", "prompt"), metadata={"about": "columns", "scalar": True}
    )
    at_least: float | None = field(
        default=None,
        metadata={"about": "values from here on count; the highest value by default"},
    )
    ci: Literal["wilson"] = field(default="wilson", metadata={"about": "interval"})
    cluster: str | None = field(
        default=None, metadata={"about": "item column whose equal values belong together"}
    )


class Proportions:
    """One table, and a figure for each score."""

    name: ClassVar[str] = "proportions"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = ProportionsParams

    def __init__(self, params: ProportionsParams) -> None:
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return the columns of the items that group and cluster."""
        p = self.params
        return item_columns_of([*p.by, *([] if p.cluster is None else [p.cluster])])

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self)

    def describe(self) -> str:
        """Return how the intervals were found, for people."""
        return (
            "95 % Wilson intervals (1927); where an item or cluster has several answers, of the "
            "number of independent answers that would be as sure (Korn and Graubard 1998)"
        )

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the table; scores without a highest value stay out where none is asked for.

        Held in memory: the scores, 12 bytes a value.

        Raises:
            UserError: a score that is asked for has no highest value and ``at_least`` is not
                given.
        """
        p = self.params
        bounds = self._bounds(inputs)
        matrices = ScoreMatrices(_reached(table, bounds) for table in inputs.scores)
        items = ItemColumns(inputs.items, self.item_columns(), matrices.items)
        rows: list[dict[str, Any]] = []
        figures: list[Figure] = []
        for score in matrices.scores(p.scores):
            found = list(self._rows(matrices.matrix(score), items, inputs))
            rows += [row | {"at_least": bounds[score]} for row in found]
            if found:
                title = f"{inputs.definition(score).title} of at least {bounds[score]:g}"
                figures.append(_figure(score, title, p.by, found))
        columns = (
            AnalysisColumn("score", "string", "score"),
            *(AnalysisColumn(name, "string", name) for name in p.by),
            AnalysisColumn("at_least", "double", "values from here on count", 2),
            AnalysisColumn("n", "int64", "n items and competitors with a value", 0),
            AnalysisColumn("clusters", "int64", "independent clusters of them", 0),
            AnalysisColumn("reached", "double", "how many reach it; repeats as shares", 1),
            AnalysisColumn("share", "double", "share that reaches it"),
            AnalysisColumn("share_low", "double", "low end of its 95 % interval"),
            AnalysisColumn("share_high", "double", "high end of its 95 % interval"),
            AnalysisColumn("reason", "string", "why something is missing; else empty"),
        )
        return [
            AnalysisTable(
                name="proportions",
                title="How often scores reach a value",
                columns=columns,
                rows=rows,
                notes=(f"{self.describe()}.",),
                signature=(
                    f"proportions|version:{self.version}|by:{'+'.join(p.by)}|ci:wilson|level:0.95"
                    f"|cluster:{p.cluster or 'item'}"
                ),
                figures=tuple(figures),
            )
        ]

    def _bounds(self, inputs: AnalysisInputs) -> dict[str, float]:
        p = self.params
        bounds = {}
        for definition in inputs.definitions:
            if p.scores and definition.name not in p.scores:
                continue
            bound = definition.high if p.at_least is None else p.at_least
            if bound is not None:
                bounds[definition.name] = bound
            elif p.scores:
                raise UserError(
                    f"proportions: the score '{definition.name}' has no highest value",
                    hint="say from which value on it counts: at_least",
                )
        return bounds

    def _rows(
        self, matrix: ScoreMatrix, items: ItemColumns, inputs: AnalysisInputs
    ) -> Iterator[dict[str, Any]]:
        import numpy as np

        p = self.params
        clusters = items.clusters(p.cluster)
        for key, (places, systems) in Cells(items, inputs).of(matrix, p.by).items():
            values = matrix.values[np.ix_(places, systems)].ravel()
            codes = np.repeat(clusters[places], len(systems))
            known = np.isfinite(values)
            values, codes = values[known], codes[known]
            low, high = clustered_wilson(values, codes) if len(values) else (None, None)
            reason = "no value" if not len(values) else ""
            titled = dict(zip(p.by, key, strict=True))
            if "model" in titled:
                titled["model"] = inputs.title(titled["model"])
            yield {
                "score": matrix.score,
                **titled,
                "n": len(values),
                "clusters": len(np.unique(codes)),
                "reached": float(values.sum()),
                "share": float(values.mean()) if len(values) else None,
                "share_low": low,
                "share_high": high,
                "reason": reason or ("" if low is not None else "one cluster"),
            }


def _reached(table: pa.Table, bounds: dict[str, float]) -> pa.Table:
    """Return the rows of the scores that have a bound, 1 where it is reached and 0 elsewhere."""
    import numpy as np
    import pyarrow as pa

    encoded = table["score"].combine_chunks().dictionary_encode()
    limit = np.array([bounds.get(name, np.nan) for name in encoded.dictionary.to_pylist()])
    of_rows = limit[encoded.indices.to_numpy().astype(np.int64)] if len(table) else np.empty(0)
    values = table["value"].to_numpy().astype(np.float64)
    reached = np.where(np.isfinite(values), (values >= of_rows).astype(np.float64), np.nan)
    column = pa.array(reached, pa.float64(), from_pandas=True)
    place = table.column_names.index("value")
    return table.set_column(place, "value", column).filter(pa.array(np.isfinite(of_rows)))


def _figure(score: str, title: str, by: Sequence[str], rows: Sequence[dict[str, Any]]) -> Figure:
    held = [row for row in rows if row["share"] is not None]
    n = max((row["n"] for row in held), default=0)
    return Figure(
        name=file_name("proportions", score),
        title=f"{title}: shares with 95 % Wilson intervals (n up to {n:,})",
        alt=f"Shares of {title} in {len(held)} cells by {', '.join(by)}.",
        panels=(
            Dots(
                labels=tuple(" ".join(row[name] for name in by if row[name]) for row in held),
                series=(
                    Series(
                        values=tuple(row["share"] for row in held),
                        lows=tuple(row["share_low"] for row in held),
                        highs=tuple(row["share_high"] for row in held),
                    ),
                ),
                x="share",
            ),
        ),
    )
