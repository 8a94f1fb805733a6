"""Scores against how much there was to get right: means by a count of the reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable
from toolkit.analyses.identity import identity
from toolkit.analyses.item_columns import ItemColumns
from toolkit.analyses.present_columns import present_columns
from toolkit.analyses.score_matrix import ScoreMatrices, System
from toolkit.analyses.units import with_prompts
from toolkit.errors import UserError
from toolkit.figures.base import Figure, Lines, Series
from toolkit.sentences import n_sentences, segmenter_name
from toolkit.statistics.cluster_robust import joint_means
from toolkit.statistics.correlation import correlation
from toolkit.statistics.limits import Limits

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ScoreByCount", "ScoreByCountParams", "count_bins"]

_SERIES: Final = 7


def _about(text: str, **more: Any) -> dict[str, Any]:
    return {"about": text, **more}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreByCountParams:
    """Mean scores against how many claims, citations or phrases there are."""

    scores: tuple[str, ...] = field(metadata=_about("names of scores", scalar=True))
    count: Literal["reference_claims", "output_claims", "citations", "phrases", "sentences"] = (
        field(metadata=_about("what is counted"))
    )
    column: str = field(
        default="conclusion", metadata=_about("text column whose sentences are counted")
    )
    minimum: int = field(
        default=10, metadata=_about("fewest items in a point; smaller counts join", minimum=1)
    )
    prompts: tuple[str, ...] = field(
        default=(), metadata=_about("prompts or strategies; all by default")
    )
    cluster: str | None = field(
        default=None, metadata=_about("column whose items depend on each other")
    )


_HEAD: Final = (
    AnalysisColumn("score", "string", "score", 0),
    AnalysisColumn("model", "string", "model", 0),
    AnalysisColumn("prompt", "string", "prompt", 0),
)

_MEANS: Final = (
    *_HEAD,
    AnalysisColumn("from", "int64", "count from", 0),
    AnalysisColumn("to", "int64", "count to", 0),
    AnalysisColumn("count", "double", "mean count", 1),
    AnalysisColumn("n", "int64", "n items", 0),
    AnalysisColumn("mean", "double", "mean score", 3),
    AnalysisColumn("mean_low", "double", "low end of the 95 % interval", 3),
    AnalysisColumn("mean_high", "double", "high end of the 95 % interval", 3),
)

_TRENDS: Final = (
    *_HEAD,
    AnalysisColumn("n", "int64", "n items", 0),
    AnalysisColumn("spearman", "double", "Spearman's rho of score and count", 3),
    AnalysisColumn("spearman_low", "double", "low end of the 95 % interval", 3),
    AnalysisColumn("spearman_high", "double", "high end of the 95 % interval", 3),
    AnalysisColumn("p", "double", "p, two-sided", 4),
    AnalysisColumn("reason", "string", "why a number is missing", 0),
)


class ScoreByCount:
    """One table of means by count, one of trends, a line for each competitor."""

    name: ClassVar[str] = "score_by_count"
    version: ClassVar[int] = 2
    Params: ClassVar[type] = ScoreByCountParams

    def __init__(self, params: ScoreByCountParams) -> None:
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return the column that is counted and that of the clusters."""
        cluster = (self.params.cluster,) if self.params.cluster else ()
        return tuple(dict.fromkeys((self.params.column, *cluster)))

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self, "prompts") | {"segmenter": segmenter_name()}

    def describe(self) -> str:
        """Return how the intervals were found, for people."""
        return f"95 % intervals by Student's t over {self.params.cluster or 'item'}s"

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the tables.

        Held in memory: the scores, 8 bytes an item and competitor, the texts of the column.

        Raises:
            UserError: something else than sentences is counted, the items lack a column or a
                scored item, or the column holds no texts.
        """
        p = self.params
        if p.count != "sentences":
            raise UserError(
                f"score_by_count: counts of {p.count} are not built yet",
                hint="write count: sentences, or leave the analysis out",
            )
        matrices = ScoreMatrices(inputs.scores)
        needed = self.item_columns()
        tables = present_columns(inputs.items, needed, self.name)
        items = ItemColumns(tables, needed, matrices.items)
        counts = _sentences(items, p.column)
        clusters = items.clusters(p.cluster)
        bins = count_bins(counts, p.minimum)
        means: list[dict[str, Any]] = []
        trends: list[dict[str, Any]] = []
        for score in matrices.scores(p.scores):
            matrix = matrices.matrix(score)
            limits = inputs.definition(score).limits
            for system in with_prompts(matrix.systems, p.prompts):
                head = {"score": score, "model": inputs.title(system[0]), "prompt": system[1]}
                values = matrix.column(system)
                means += [head | row for row in _means(values, limits, counts, bins, clusters)]
                trends.append(head | _trend(values, counts, clusters, p.cluster is not None))
        return self._tables(means, trends, inputs)

    def _tables(
        self, means: list[dict[str, Any]], trends: list[dict[str, Any]], inputs: AnalysisInputs
    ) -> list[AnalysisTable]:
        p = self.params
        signature = (
            f"{self.name}|version:{self.version}|count:{p.count}|column:{p.column}"
            f"|minimum:{p.minimum}|cluster:{p.cluster or 'item'}|sentences:{segmenter_name()}"
        )
        notes = (
            f"Counted are the sentences of {p.column}, split by {segmenter_name()}. Counts of "
            f"which fewer than {p.minimum} items have one join the next.",
            f"Intervals: {self.describe()}.",
        )
        return [
            AnalysisTable(
                name=self.name, title=f"Scores by sentences of {p.column}", columns=_MEANS,
                rows=means, notes=notes, signature=signature,
                figures=_figures(means, p.column, inputs),
            ),
            AnalysisTable(
                name=f"{self.name}_trend",
                title=f"Do scores rise or fall with the sentences of {p.column}?",
                columns=_TRENDS, rows=trends,
                notes=("Interval of rho: Bonett and Wright (2000, doi:10.1007/BF02294183), or by "
                       "the influence of whole clusters.",),
                signature=signature,
            ),
        ]  # fmt: skip


def _sentences(items: ItemColumns, column: str) -> NDArray[np.float64]:
    import numpy as np

    found = items.values(column)
    if any(text is not None and not isinstance(text, str) for text in found):
        raise UserError(
            f"score_by_count: the column '{column}' holds no texts", hint="name a column of texts"
        )
    return np.array(
        [np.nan if text is None or not text.strip() else n_sentences(text) for text in found],
        np.float64,
    )


def count_bins(counts: NDArray[np.float64], minimum: int) -> list[tuple[int, int]]:
    """Return ranges of counts, both ends within, each with enough items.

    Args:
        counts: of the items, NaN where there is none.
        minimum: fewest items in a range; too few at the end join the range before.
    """
    import numpy as np

    distinct, sizes = np.unique(counts[np.isfinite(counts)].astype(np.int64), return_counts=True)
    bins: list[tuple[int, int]] = []
    start, held = None, 0
    for value, size in zip(distinct.tolist(), sizes.tolist(), strict=True):
        start = value if start is None else start
        held += size
        if held >= minimum:
            bins.append((start, value))
            start, held = None, 0
    if start is not None:
        last = int(distinct[-1])
        bins[-1:] = [(bins[-1][0] if bins else start, last)]
    return bins


def _means(
    values: NDArray[np.float64],
    limits: Limits,
    counts: NDArray[np.float64],
    bins: Sequence[tuple[int, int]],
    clusters: NDArray[np.int64],
) -> list[dict[str, Any]]:
    import numpy as np

    groups = [np.flatnonzero((counts >= low) & (counts <= high)) for low, high in bins]
    weighed = [(rows, np.ones(len(rows))) for rows in groups]
    joint = joint_means(values, weighed, clusters, limits)
    found = []
    for at, ((low, high), rows) in enumerate(zip(bins, groups, strict=True)):
        held = rows[np.isfinite(values[rows])]
        if not len(held):
            continue
        ends = joint.interval(at) or (None, None)
        found.append(
            {
                "from": low,
                "to": high,
                "count": float(counts[held].mean()),
                "n": len(held),
                "mean": float(joint.means[at]),
                "mean_low": ends[0],
                "mean_high": ends[1],
            }
        )
    return found


def _trend(
    values: NDArray[np.float64],
    counts: NDArray[np.float64],
    clusters: NDArray[np.int64],
    clustered: bool,
) -> dict[str, Any]:
    import numpy as np

    both = np.isfinite(values) & np.isfinite(counts)
    found = correlation(
        counts[both], values[both], "spearman", clusters=clusters[both] if clustered else None
    )
    return {
        "n": found.n,
        "spearman": found.value,
        "spearman_low": found.low,
        "spearman_high": found.high,
        "p": found.p,
        "reason": found.reason,
    }


def _system(row: dict[str, Any]) -> System:
    return row["model"], row["prompt"]


def _figures(
    rows: Sequence[dict[str, Any]], column: str, inputs: AnalysisInputs
) -> tuple[Figure, ...]:
    if not rows:
        return ()
    systems = list(dict.fromkeys(_system(row) for row in rows))
    shown = systems[:_SERIES]
    panels = []
    for score in dict.fromkeys(row["score"] for row in rows):
        own = [row for row in rows if row["score"] == score]
        bins = sorted({(row["from"], row["to"]) for row in own})
        at = {(_system(row), row["from"]): row for row in own}
        mean_count = {
            low: next(row["count"] for row in own if row["from"] == low) for low, _ in bins
        }
        panels.append(
            Lines(
                xs=tuple(mean_count[low] for low, _ in bins),
                series=tuple(
                    Series(
                        name=" ".join(system).strip(),
                        values=tuple(at.get((system, low), {}).get("mean") for low, _ in bins),
                        lows=tuple(at.get((system, low), {}).get("mean_low") for low, _ in bins),
                        highs=tuple(at.get((system, low), {}).get("mean_high") for low, _ in bins),
                    )
                    for system in shown
                ),
                x=f"sentences of {column}",
                y="mean score",
                title=inputs.definition(score).title,
            )
        )
    rest = len(systems) - len(shown)
    return (
        Figure(
            name="score_by_count",
            title=f"Scores by sentences of {column}, n = {max(_sizes(rows)):,} items"
            + (f"; {rest} further competitors are in the table" if rest else ""),
            alt=f"Mean scores with 95 % intervals against the sentences of {column}, a line for "
            f"each of {len(shown)} competitors, from {min(row['from'] for row in rows)} to "
            f"{max(row['to'] for row in rows)} sentences.",
            panels=tuple(panels),
            columns=min(2, len(panels)),
        ),
    )


def _sizes(rows: Sequence[dict[str, Any]]) -> list[int]:
    sizes: dict[tuple[str, System], int] = {}
    for row in rows:
        key = (row["score"], _system(row))
        sizes[key] = sizes.get(key, 0) + row["n"]
    return list(sizes.values())
