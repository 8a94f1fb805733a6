"""Ranks as ranges: over resamples, and as far as tests tell competitors apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable
from toolkit.analyses.competitors import competing, item_clusters, shown
from toolkit.analyses.identity import identity
from toolkit.analyses.names import file_name
from toolkit.analyses.ranks import distance_from_best, distances_from_best, ranks
from toolkit.analyses.score_matrix import ScoreMatrices, ScoreMatrix
from toolkit.figures.base import Dots, Figure, Series
from toolkit.metrics.base import ScoreDefinition
from toolkit.statistics.bootstrap import generator
from toolkit.statistics.holm import holm
from toolkit.statistics.paired import paired_difference
from toolkit.statistics.rank_intervals import rank_ranges, shared_ranks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["RankRanges", "RankRangesParams"]

_LEVEL: Final = 0.05

_COLUMNS: Final = (
    AnalysisColumn("score", "string", "score"),
    AnalysisColumn("model", "string", "model"),
    AnalysisColumn("prompt", "string", "prompt; empty for a baseline"),
    AnalysisColumn("n", "int64", "n items", 0),
    AnalysisColumn("clusters", "int64", "independent clusters of them", 0),
    AnalysisColumn("mean", "double", "mean"),
    AnalysisColumn("rank", "int64", "rank of the mean", 0),
    AnalysisColumn("rank_low", "int64", "best rank left open by the resamples", 0),
    AnalysisColumn("rank_high", "int64", "worst rank left open by the resamples", 0),
    AnalysisColumn("first_share", "double", "share of resamples in which it leads"),
    AnalysisColumn("tied_from", "int64", "best rank left open by the tests", 0),
    AnalysisColumn("tied_to", "int64", "worst rank left open by the tests", 0),
    AnalysisColumn("reason", "string", "why something is missing; else empty"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankRangesParams:
    """Ranks as ranges over resamples; models that no test tells apart share a rank."""

    scores: tuple[str, ...] = field(
        default=(), metadata={"about": "names of scores; all by default", "scalar": True}
    )
    resamples: int = field(default=2000, metadata={"about": "resamples", "minimum": 100})
    cluster: str | None = field(default=None, metadata={"about": "column resampled as a whole"})


class RankRanges:
    """One table, and a figure for each score that has a direction."""

    name: ClassVar[str] = "rank_ranges"
    version: ClassVar[int] = 2
    Params: ClassVar[type] = RankRangesParams

    def __init__(self, params: RankRangesParams) -> None:
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return the column that clusters are made of, if any."""
        return () if self.params.cluster is None else (self.params.cluster,)

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self)

    def describe(self) -> str:
        """Return how the ranges were found, for people."""
        unit = self.params.cluster or "item"
        return (
            f"95 % ranges of ranks from simultaneous intervals of the differences over "
            f"{self.params.resamples:,} resamples by {unit}, the same for all competitors; ties "
            f"by paired t tests of whole {unit}s with Holm's correction over all pairs of a score"
        )

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the table; scores without a direction and the reference have no rows.

        Held in memory: the scores, 8 bytes for each of 2^22 draws, and 8 bytes for each resample
        and competitor.

        Raises:
            UserError: two metrics return a score of one name, or an item is in no table.
        """
        matrices = ScoreMatrices(inputs.scores)
        clusters = item_clusters(inputs, matrices, self.params.cluster)
        rows: list[dict[str, Any]] = []
        figures: list[Figure] = []
        for score in matrices.scores(self.params.scores):
            definition = inputs.definition(score)
            if definition.direction == "none":
                continue
            matrix = matrices.matrix(score)
            found = self._score(matrix, clusters, definition, inputs)
            rows += found
            if found:
                figures.append(_figure(found, definition))
        for row in rows:
            row["model"] = inputs.title(row["model"])
            del row["shown"]
        unit = self.params.cluster or "item"
        return [
            AnalysisTable(
                name="rank_ranges",
                title="Ranks as ranges",
                columns=_COLUMNS,
                rows=rows,
                notes=(
                    f"{self.describe()}.",
                    "A range begins behind all competitors that are surely better and ends before "
                    "all that are surely worse (Mogstad, Romano, Shaikh and Wilhelm 2024).",
                ),
                signature=(
                    f"rank_ranges|version:{self.version}|resamples:{self.params.resamples}"
                    f"|cluster:{unit}|ties:t-holm|level:0.95|seed:{inputs.seed}"
                ),
                figures=tuple(figures),
            )
        ]

    def _score(
        self,
        matrix: ScoreMatrix,
        clusters: NDArray[np.int64],
        definition: ScoreDefinition,
        inputs: AnalysisInputs,
    ) -> list[dict[str, Any]]:
        import numpy as np

        systems = [s for s in competing(matrix, inputs) if np.isfinite(matrix.column(s)).any()]
        if not systems:
            return []
        values = np.stack([matrix.column(system) for system in systems], axis=1)
        known = np.isfinite(values)
        sums, counts = _by_cluster(values, known, clusters)
        ranges = rank_ranges(
            sums,
            counts,
            partial(distances_from_best, definition=definition),
            # The leaderboard's own draws: one run shows no two ranges of one rank.
            generator(inputs.seed, "ranks", matrix.score),
            resamples=self.params.resamples,
        )
        means = [float(values[known[:, at], at].mean()) for at in range(len(systems))]
        ties = shared_ranks(_better(values, means, clusters, definition), len(systems))
        rows = []
        for at, (system, place) in enumerate(zip(systems, ranks(means, definition), strict=True)):
            found = ranges[at]
            rows.append(
                {
                    "score": matrix.score,
                    "model": system[0],
                    "prompt": system[1],
                    "shown": shown(system, inputs),
                    "n": int(known[:, at].sum()),
                    "clusters": int((counts[:, at] > 0).sum()),
                    "mean": means[at],
                    "rank": place,
                    "rank_low": found.low,
                    "rank_high": found.high,
                    "first_share": found.first,
                    "tied_from": ties[at][0],
                    "tied_to": ties[at][1],
                    "reason": found.reason,
                }
            )
        return sorted(rows, key=lambda row: (row["rank"], row["model"], row["prompt"]))


def _by_cluster(
    values: NDArray[np.float64], known: NDArray[np.bool_], clusters: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    import numpy as np

    used = known.any(axis=1)
    codes, places = np.unique(clusters[used], return_inverse=True)
    sums, counts = np.empty((2, len(codes), values.shape[1]))
    for at in range(values.shape[1]):
        mask = known[used, at]
        sums[:, at] = np.bincount(places, np.where(mask, values[used, at], 0.0), len(codes))
        counts[:, at] = np.bincount(places, mask, len(codes))
    return sums, counts


def _better(
    values: NDArray[np.float64],
    means: Sequence[float],
    clusters: NDArray[np.int64],
    definition: ScoreDefinition,
) -> list[tuple[int, int]]:
    """Return the pairs (better, worse) that a paired test with Holm's correction tells apart."""
    import numpy as np

    pairs = list(combinations(range(len(means)), 2))
    p_values: list[float | None] = []
    for one, other in pairs:
        difference = values[:, one] - values[:, other]
        both = np.isfinite(difference)
        p_values.append(paired_difference(difference[both], clusters=clusters[both]).p)
    found = []
    for (one, other), p in zip(pairs, holm(p_values), strict=True):
        near, far = (distance_from_best(means[at], definition) for at in (one, other))
        if p is None or p >= _LEVEL or near is None or far is None or near == far:
            continue
        if _across(means[one], means[other], definition):
            continue
        found.append((one, other) if near < far else (other, one))
    return found


def _across(first: float, second: float, definition: ScoreDefinition) -> bool:
    """Return whether two means lie on both sides of a target, where no test says who is nearer."""
    target = definition.target
    if definition.direction != "target" or target is None:
        return False
    return (first - target) * (second - target) < 0


def _figure(rows: Sequence[dict[str, Any]], definition: ScoreDefinition) -> Figure:
    best = [row["shown"] for row in rows if row["rank_low"] == 1]
    least, most = min(row["n"] for row in rows), max(row["n"] for row in rows)
    n = f"n = {most:,}" if least == most else f"n = {least:,} to {most:,}"
    return Figure(
        name=file_name("rank_ranges", definition.name),
        title=f"{definition.title}: ranks as 95 % ranges ({n})",
        alt=(
            f"Ranges of the ranks of {len(rows)} competitors on {definition.title}. "
            f"{len(best)} may be first: {', '.join(best[:5])}{' ...' if len(best) > 5 else ''}."
        ),
        panels=(
            Dots(
                labels=tuple(row["shown"] for row in rows),
                series=(
                    Series(
                        values=tuple(float(row["rank"]) for row in rows),
                        lows=tuple(_number(row["rank_low"]) for row in rows),
                        highs=tuple(_number(row["rank_high"]) for row in rows),
                    ),
                ),
                x="rank (1 is best)",
            ),
        ),
    )


def _number(value: int | None) -> float | None:
    return None if value is None else float(value)
