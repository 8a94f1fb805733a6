"""The leaderboard again without items that a column flags, such as leaks and retractions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable
from toolkit.analyses.identity import identity
from toolkit.analyses.item_columns import ItemColumns
from toolkit.analyses.orders import order_of
from toolkit.analyses.score_matrix import ScoreMatrices, ScoreMatrix
from toolkit.errors import UserError
from toolkit.figures.base import Dots, Figure, Series
from toolkit.figures.pages import in_pages
from toolkit.statistics.bootstrap import generator
from toolkit.statistics.resampling import resampled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ANY", "WithoutFlagged", "WithoutFlaggedParams", "flags"]

ANY: Final = "any of these"


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutFlaggedParams:
    """All means again without items that a column flags."""

    columns: tuple[str, ...] = field(metadata={"about": "true-or-false columns", "scalar": True})
    scores: tuple[str, ...] = field(
        default=(), metadata={"about": "names of scores; all by default", "scalar": True}
    )
    cluster: str | None = field(
        default=None, metadata={"about": "item column whose equal values are resampled together"}
    )
    resamples: int = field(
        default=2000, metadata={"about": "resamples of intervals", "minimum": 100}
    )


class WithoutFlagged:
    """Means and ranks of all items and of the items without a flag."""

    name: ClassVar[str] = "without_flagged"
    version: ClassVar[int] = 2
    Params: ClassVar[type] = WithoutFlaggedParams

    def __init__(self, params: WithoutFlaggedParams) -> None:
        """Take the parameters.

        Raises:
            UserError: no column is named, or one twice.
        """
        if not params.columns or len(set(params.columns)) != len(params.columns):
            raise UserError(
                f"without_flagged.columns is {list(params.columns)}",
                hint="name true-or-false columns, each once, e.g. [leak_risk]",
            )
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return the columns that flag, and that of the clusters."""
        p = self.params
        return tuple(dict.fromkeys((*p.columns, *([p.cluster] if p.cluster else []))))

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self)

    def describe(self) -> str:
        """Return how the intervals were found, for people."""
        p = self.params
        return (
            f"95 % percentile intervals over {p.resamples:,} resamples by {p.cluster or 'item'}; "
            "both means come from the same resample"
        )

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the table.

        Raises:
            UserError: a column holds something other than true, false or nothing.
        """
        p = self.params
        matrices = ScoreMatrices(inputs.scores)
        items = ItemColumns(inputs.items, self.item_columns(), matrices.items)
        marks = flags(items, p.columns)
        clusters = items.clusters(p.cluster)
        rows: list[dict[str, Any]] = []
        for score in matrices.scores(p.scores):
            matrix = matrices.matrix(score)
            for flag, marked in marks.items():
                rows += self._rows(matrix, flag, marked, clusters, inputs)
        signature = (
            f"{self.name}|version:{self.version}|columns:{'+'.join(p.columns)}"
            f"|resamples:{p.resamples}|cluster:{p.cluster or 'item'}|seed:{inputs.seed}"
        )
        counted = [f"{flag}: {int(marked.sum())}" for flag, marked in marks.items()]
        return [
            AnalysisTable(
                name="without_flagged",
                title="Scores without flagged items",
                columns=_COLUMNS,
                rows=rows,
                notes=(
                    f"Intervals: {self.describe()}.",
                    f"Flagged of {len(matrices.items)} items: {', '.join(counted)}. An item "
                    "whose flag is empty counts as not flagged.",
                    "change is the mean without flagged items minus the mean of all: what the "
                    "flagged items add or take away.",
                ),
                signature=signature,
                figures=_figure(rows, inputs, len(matrices.items)),
            )
        ]

    def _rows(
        self,
        matrix: ScoreMatrix,
        flag: str,
        marked: NDArray[np.bool_],
        clusters: NDArray[np.int64],
        inputs: AnalysisInputs,
    ) -> Iterator[dict[str, Any]]:
        import numpy as np

        definition = inputs.definition(matrix.score)
        competing = [inputs.kinds.get(m, "model") != "reference" for m, _ in matrix.systems]
        compared = matrix.values[:, competing]
        kept = np.where(marked[:, None], np.nan, compared)
        places = [iter(order_of(values, clusters, definition).ranks) for values in (compared, kept)]
        for at, (model, prompt) in enumerate(matrix.systems):
            ranks = [next(place) if competing[at] else None for place in places]
            names = (matrix.score, model, prompt, flag)
            yield {
                "score": matrix.score,
                "flag": flag,
                "model": inputs.title(model),
                "prompt": prompt,
                **self._change(matrix.values[:, at], marked, clusters, (inputs.seed, names)),
                "rank_all": ranks[0],
                "rank_kept": ranks[1],
            }

    def _change(
        self,
        values: NDArray[np.float64],
        marked: NDArray[np.bool_],
        clusters: NDArray[np.int64],
        source: tuple[int, tuple[str, ...]],
    ) -> dict[str, Any]:
        """Return the means of one competitor and the interval of their difference."""
        import numpy as np

        known = np.isfinite(values)
        held, keep = values[known], ~marked[known]
        n, n_kept = len(held), int(keep.sum())
        row: dict[str, Any] = {
            "n": n,
            "n_flagged": n - n_kept,
            "mean": float(held.mean()) if n else None,
            "mean_flagged": float(held[~keep].mean()) if n_kept < n else None,
            "mean_kept": float(held[keep].mean()) if n_kept else None,
        }
        if not n_kept:
            return row | {"reason": "no item is left" if n else "no item has a value"}
        if n_kept == n:
            return row | {"change": 0.0, "reason": "no item with a value is flagged"}
        columns = np.stack([held, np.ones(n), held * keep, keep.astype(float)], axis=1)
        size = int(clusters.max()) + 1
        codes = clusters[known]
        sums = np.empty((size, columns.shape[1]))
        for at, column in enumerate(columns.T):
            sums[:, at] = np.bincount(codes, column, size)
        seed, names = source
        spread = resampled(
            sums[sums[:, 1] > 0],
            _change_of,
            generator(seed, self.name, *names),
            resamples=self.params.resamples,
        )
        change = float(_change_of(sums.sum(axis=0, keepdims=True))[0])
        if spread.flat:
            return row | {"change": change, "reason": "no variation"}
        return row | {
            "change": change,
            "change_low": spread.low,
            "change_high": spread.high,
            "reason": spread.reason,
        }


def flags(items: ItemColumns, columns: Sequence[str]) -> dict[str, NDArray[np.bool_]]:
    """Return which items each column flags, and with several columns which any of them does.

    Raises:
        UserError: a value is neither true, false nor empty.
    """
    import numpy as np

    found: dict[str, NDArray[np.bool_]] = {}
    for column in columns:
        values = items.values(column)
        wrong = next((v for v in values if not isinstance(v, bool | None)), None)
        if wrong is not None:
            raise UserError(
                f"the column '{column}' holds '{str(wrong)[:80]}', which is neither true nor false",
                hint="name a true-or-false column",
            )
        found[column] = np.array([value is True for value in values], bool)
    if len(columns) > 1:
        found[ANY] = np.logical_or.reduce(list(found.values()))
    return found


def _change_of(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    with np.errstate(invalid="ignore", divide="ignore"):
        change: NDArray[np.float64] = sums[:, 2] / sums[:, 3] - sums[:, 0] / sums[:, 1]
    return change


def _figure(rows: Sequence[dict[str, Any]], inputs: AnalysisInputs, n: int) -> tuple[Figure, ...]:
    changed = [row for row in rows if row.get("change_low") is not None]
    if not changed:
        return ()
    panels = []
    for score in dict.fromkeys(row["score"] for row in changed):
        held = [row for row in changed if row["score"] == score]
        labels = list(dict.fromkeys(_label(row) for row in held))
        series = []
        for flag in dict.fromkeys(row["flag"] for row in held):
            by_label = {_label(row): row for row in held if row["flag"] == flag}
            lines = [by_label.get(label, {}) for label in labels]
            series.append(
                Series(
                    name=f"without {flag}",
                    values=tuple(line.get("change") for line in lines),
                    lows=tuple(line.get("change_low") for line in lines),
                    highs=tuple(line.get("change_high") for line in lines),
                )
            )
        title = inputs.definition(score).title
        panels.append(
            Dots(
                labels=tuple(labels),
                series=tuple(series),
                x=f"change of {title}",
                title=title,
                line=0.0,
            )
        )
    most = max(changed, key=lambda row: abs(row["change"]))
    return in_pages(
        Figure(
            name="without_flagged",
            title=f"Change of means without flagged items, of {n} items",
            alt=f"Changes of each mean with 95 % intervals when flagged items are left out. The "
            f"largest is {most['change']:+.3g} in {inputs.definition(most['score']).title} of "
            f"{_label(most)} without {most['flag']} ({most['n_flagged']} of {most['n']} items).",
            panels=tuple(panels),
            columns=min(2, len(panels)),
        )
    )


def _label(row: dict[str, Any]) -> str:
    return f"{row['model']} {row['prompt']}" if row["prompt"] else str(row["model"])


_COLUMNS = tuple(
    AnalysisColumn(*column)
    for column in (
        ("score", "string", "score", 0),
        ("flag", "string", "flag", 0),
        ("model", "string", "model", 0),
        ("prompt", "string", "prompt", 0),
        ("n", "int64", "items with a value", 0),
        ("n_flagged", "int64", "of them flagged", 0),
        ("mean", "double", "mean of all", 3),
        ("mean_flagged", "double", "mean of flagged items", 3),
        ("mean_kept", "double", "mean without flagged items", 3),
        ("change", "double", "change", 4),
        ("change_low", "double", "low end of the 95 % interval", 4),
        ("change_high", "double", "high end of the 95 % interval", 4),
        ("rank_all", "int64", "rank with all items", 0),
        ("rank_kept", "int64", "rank without flagged items", 0),
        ("reason", "string", "why a number is missing", 0),
    )
)
