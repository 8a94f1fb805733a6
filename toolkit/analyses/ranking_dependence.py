"""How the ranking depends on the judge, the prompt, a metric's parameters and flagged items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

from toolkit.analyses.base import AnalysisInputs, AnalysisTable
from toolkit.analyses.identity import identity
from toolkit.analyses.item_columns import ItemColumns
from toolkit.analyses.orders import Order, likeness, order_of, swapped
from toolkit.analyses.ranking_tables import ALIKE, RANKS, SWAPS, ranking_figures
from toolkit.analyses.score_matrix import ScoreMatrices, ScoreMatrix
from toolkit.analyses.units import item_means
from toolkit.analyses.without_flagged import flags
from toolkit.statistics.bootstrap import generator

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["RankingDependence", "RankingDependenceParams"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingDependenceParams:
    """Ranks under each judge, prompt and metric profile, and without flagged items."""

    scores: tuple[str, ...] = field(
        default=(),
        metadata={"about": "headline scores; by default all that are no variation", "scalar": True},
    )
    prompt: str | None = field(
        default=None,
        metadata={"about": "prompt of the headline ranking; the mean of all by default"},
    )
    columns: tuple[str, ...] = field(
        default=(),
        metadata={"about": "true-or-false columns whose items are left out", "scalar": True},
    )
    cluster: str | None = field(
        default=None, metadata={"about": "item column whose equal values are resampled together"}
    )
    resamples: int = field(
        default=2000, metadata={"about": "resamples of intervals", "minimum": 100}
    )


@dataclass(frozen=True, slots=True)
class _Variation:
    kind: str
    name: str
    values: NDArray[np.float64]


class RankingDependence:
    """The rank of every competitor under each variation, and how alike the orders are."""

    name: ClassVar[str] = "ranking_dependence"
    version: ClassVar[int] = 2
    Params: ClassVar[type] = RankingDependenceParams

    def __init__(self, params: RankingDependenceParams) -> None:
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
            f"{p.resamples:,} resamples by {p.cluster or 'item'}: 95 % percentile intervals of "
            "Kendall's tau, ranges of ranks that differences leave open"
        )

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return ranks, likeness of orders, and pairs that change places.

        Held in memory: the scores, and 8 bytes for each item, competitor and variation of one
        score.

        Raises:
            UserError: a column holds something other than true, false or nothing.
        """
        matrices = ScoreMatrices(inputs.scores)
        items = ItemColumns(inputs.items, self.item_columns(), matrices.items)
        marks = flags(items, self.params.columns)
        clusters = items.clusters(self.params.cluster)
        ranks: list[dict[str, Any]] = []
        alike: list[dict[str, Any]] = []
        swaps: list[dict[str, Any]] = []
        known = matrices.scores()
        variants = {score: self._other_scores(score, known, inputs) for score in known}
        others = {name for found in variants.values() for _, _, name in found}
        for score in matrices.scores(self.params.scores):
            directed = inputs.definition(score).direction != "none"
            if not directed or (score in others and score not in self.params.scores):
                continue
            variations = self._variations(matrices, score, variants[score], marks, inputs)
            found = self._compared(score, variations, clusters, inputs)
            for rows, more in zip((ranks, alike, swaps), found, strict=True):
                rows += more
        return self._tables(ranks, alike, swaps, inputs)

    @staticmethod
    def _other_scores(
        score: str, known: Sequence[str], inputs: AnalysisInputs
    ) -> list[tuple[str, str, str]]:
        """Return (kind, name, score) of the same score by other judges and other parameters."""
        # Judges stand in the order of the recipe: an earlier one is the headline.
        found = [
            ("judge", second.name, second.scores[own])
            for first, second in combinations(inputs.judges.values(), 2)
            for own, column in first.scores.items()
            if column == score and second.scores.get(own, score) in known
            if second.scores.get(own, score) != score
        ]
        judged = {column for judge in inputs.judges.values() for column in judge.scores.values()}
        found += [
            ("metric", name.removeprefix(f"{score}."), name)
            for name in known
            if name.startswith(f"{score}.") and name not in judged
        ]
        return found

    def _variations(
        self,
        matrices: ScoreMatrices,
        score: str,
        others: Sequence[tuple[str, str, str]],
        marks: dict[str, NDArray[np.bool_]],
        inputs: AnalysisInputs,
    ) -> tuple[list[str], list[_Variation]]:
        """Return the competitors and their scores, the headline first."""
        import numpy as np

        matrix = matrices.matrix(score)
        models = [
            model
            for model in dict.fromkeys(model for model, _ in matrix.systems)
            if inputs.kinds.get(model, "model") != "reference"
        ]
        asked = self.params.prompt
        headline = _by_model(matrix, models, asked)
        found = [_Variation("headline", asked or "", headline)]
        for kind, name, other in others:
            found.append(_Variation(kind, name, _by_model(matrices.matrix(other), models, asked)))
        prompts = sorted({prompt for _, prompt in matrix.systems if prompt})
        found += [
            _Variation("prompt", prompt, _by_model(matrix, models, prompt))
            for prompt in prompts
            if len(prompts) > 1 and prompt != asked
        ]
        found += [
            _Variation("without", column, np.where(marked[:, None], np.nan, headline))
            for column, marked in marks.items()
        ]
        return models, found

    def _compared(
        self,
        score: str,
        variations: tuple[list[str], list[_Variation]],
        clusters: NDArray[np.int64],
        inputs: AnalysisInputs,
    ) -> Iterator[list[dict[str, Any]]]:
        """Yield the lines of the three tables for one score."""
        models, found = variations
        definition = inputs.definition(score)
        orders = [order_of(each.values, clusters, definition) for each in found]
        ranks: list[dict[str, Any]] = []
        alike: list[dict[str, Any]] = []
        swaps: list[dict[str, Any]] = []
        titles = [inputs.title(model) for model in models]
        for each, order in zip(found, orders, strict=True):
            head = {"score": score, "varied": each.kind, "variation": each.name}
            names = (self.name, score, each.kind, each.name)
            rng = generator(inputs.seed, *names)
            ranges = order.ranges(definition, rng, self.params.resamples)
            ranks += [head | row for row in _rank_rows(titles, order, orders[0], ranges)]
            if each.kind == "headline":
                continue
            rng = generator(inputs.seed, *names, "tau")
            tau = likeness(orders[0], order, definition, rng, self.params.resamples)
            pairs = swapped(orders[0], order, definition)
            k = len(models)
            alike.append(
                head
                | {
                    "n": int(order.n.max()) if k else 0,
                    "n_models": k,
                    "kendall": tau.tau,
                    "kendall_low": tau.low,
                    "kendall_high": tau.high,
                    "n_swaps": len(pairs),
                    "n_pairs": k * (k - 1) // 2,
                    "reason": tau.reason,
                }
            )
            swaps += [
                head
                | {
                    "first": titles[a],
                    "second": titles[b],
                    "n": int(min(order.n[a], order.n[b])),
                    "headline_difference": before[0],
                    "headline_difference_low": before[1],
                    "headline_difference_high": before[2],
                    "difference": after[0],
                    "difference_low": after[1],
                    "difference_high": after[2],
                }
                for a, b in pairs
                for before, after in [(orders[0].gap(a, b), order.gap(a, b))]
            ]
        yield from (ranks, alike, swaps)

    def _tables(
        self,
        ranks: list[dict[str, Any]],
        alike: list[dict[str, Any]],
        swaps: list[dict[str, Any]],
        inputs: AnalysisInputs,
    ) -> list[AnalysisTable]:
        p = self.params
        signature = (
            f"{self.name}|version:{self.version}|prompt:{p.prompt or 'all'}"
            f"|resamples:{p.resamples}|cluster:{p.cluster or 'item'}|seed:{inputs.seed}"
        )
        headline = (
            f"Headline: the first judge of the recipe, prompt {p.prompt}"
            if p.prompt
            else "Headline: the first judge of the recipe, each item's mean over all prompts"
        )
        basis = f"{headline}, all items. A model is one competitor; the reference has no rank."
        return [
            AnalysisTable(
                name="ranking_dependence",
                title="How the ranking depends on judge, prompt, metric and flagged items",
                columns=RANKS,
                rows=ranks,
                notes=(
                    basis,
                    "moved is the rank minus the headline's. A range holds the ranks that the "
                    "differences from all others leave open (Mogstad et al. 2024, "
                    "doi:10.1093/restud/rdad006).",
                ),
                signature=signature,
                figures=ranking_figures(ranks, alike, inputs),
            ),
            AnalysisTable(
                name="ranking_dependence_alike",
                title="How alike are the orders?",
                columns=ALIKE,
                rows=alike,
                notes=(basis, f"Intervals: {self.describe()}."),
                signature=signature,
            ),
            AnalysisTable(
                name="ranking_dependence_swaps",
                title="Pairs that change places",
                columns=SWAPS,
                rows=swaps,
                notes=(basis, "Differences are first minus second; the most serious stand first."),
                signature=signature,
            ),
        ]


def _by_model(
    matrix: ScoreMatrix, models: Sequence[str], prompt: str | None
) -> NDArray[np.float64]:
    """Return (items, models): an item's mean over prompts, or its score under one prompt.

    A baseline was asked no prompt and has the same scores under each.
    """
    import numpy as np

    columns = []
    for model in models:
        held = [
            at
            for at, (name, own) in enumerate(matrix.systems)
            if name == model and (prompt is None or own in ("", prompt))
        ]
        columns.append(item_means(matrix.values[:, held]))
    return np.stack(columns, axis=1) if columns else np.empty((len(matrix.items), 0))


def _rank_rows(
    titles: Sequence[str],
    order: Order,
    headline: Order,
    ranges: Sequence[tuple[int | None, int | None]],
) -> Iterator[dict[str, Any]]:
    for at, title in enumerate(titles):
        rank, first = order.ranks[at], headline.ranks[at]
        known = order.n[at] > 0
        yield {
            "model": title,
            "n": int(order.n[at]),
            "mean": float(order.means[at]) if known else None,
            "rank": rank,
            "rank_low": ranges[at][0],
            "rank_high": ranges[at][1],
            "moved": None if rank is None or first is None else rank - first,
            "reason": "" if known else "no item has a value",
        }
