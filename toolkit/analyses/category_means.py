"""Mean scores of categories, their intervals, and which of them have enough items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from toolkit.analyses.base import AnalysisInputs
from toolkit.analyses.item_columns import ItemColumns, Weight
from toolkit.analyses.names import without_miscellaneous
from toolkit.analyses.pooled import chosen_systems, pooled_note, pooled_values
from toolkit.analyses.present_columns import present_columns
from toolkit.analyses.ranks import distance_from_best
from toolkit.analyses.score_matrix import ScoreMatrices
from toolkit.metrics.base import ScoreDefinition
from toolkit.statistics.bootstrap import bound_without_variation
from toolkit.statistics.cluster_robust import joint_means

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["CategoryEndsParams", "CategoryMean", "CategoryMeans", "Ends"]

_CONFIDENCE: Final = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryEndsParams:
    """Which categories are compared, and which of them are the ends."""

    by: tuple[str, ...] = field(
        metadata={"about": "scores that rank the categories", "scalar": True}
    )
    top: int = field(default=5, metadata={"about": "categories from the top", "minimum": 0})
    bottom: int = field(default=5, metadata={"about": "categories from the bottom", "minimum": 0})
    column: str = field(default="categories", metadata={"about": "column of the categories"})
    minimum: int = field(default=30, metadata={"about": "fewest items in a category", "minimum": 1})
    cluster: str = field(
        default="journal",
        metadata={"about": "column whose items depend on each other; absent: each item alone"},
    )
    weight: Weight = field(
        default="whole",
        metadata={"about": "an item of k categories counts 1 or 1/k in each of them"},
    )
    models: tuple[str, ...] = field(
        default=(), metadata={"about": "models; by default all but baselines and the reference"}
    )
    prompts: tuple[str, ...] = field(
        default=(), metadata={"about": "prompts or strategies; all by default"}
    )


@dataclass(frozen=True, slots=True)
class CategoryMean:
    """The mean of one score in one category.

    Attributes:
        n: items with a value.
        n_clusters: independent clusters they belong to.
        mean: None without items.
        low: lower end of the 95 % interval, None where there is none.
        high: upper end.
        reason: why there is no interval, or what is unusual about it.
    """

    n: int
    n_clusters: int
    mean: float | None
    low: float | None
    high: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Ends:
    """The categories that a score puts first and last.

    Attributes:
        eligible: all with enough items, best first, each with its place; equal means share one.
        top: the first of them.
        bottom: the last of them, from the last on; never one that is in ``top``.
        known: categories with any scored item.
    """

    eligible: tuple[tuple[str, int], ...]
    top: tuple[str, ...]
    bottom: tuple[str, ...]
    known: int


class CategoryMeans:
    """Gathers the scores once; means are made a score at a time."""

    def __init__(
        self,
        inputs: AnalysisInputs,
        *,
        owner: str,
        column: str,
        cluster: str,
        weight: Weight,
        models: Sequence[str],
        prompts: Sequence[str],
    ) -> None:
        """Read the scores and the columns.

        Args:
            inputs: of the analysis.
            owner: name of the analysis, for messages.
            column: of the categories.
            cluster: column of the clusters; where the items lack it, each is its own.
            weight: what an item of k categories counts in each.
            models: whose scores; by default all but baselines and the reference.
            prompts: of which prompts; all by default.

        Raises:
            UserError: the items lack the categories, or a scored item.
        """
        self._inputs, self._models, self._prompts = inputs, models, prompts
        self._matrices = ScoreMatrices(inputs.scores)
        tables = present_columns(
            inputs.items, (column,), owner, optional=(cluster,) if cluster != column else ()
        )
        items = ItemColumns(tables, tuple(dict.fromkeys((column, cluster))), self._matrices.items)
        self.groups = items.groups(column, weight)
        self.shown = without_miscellaneous(list(self.groups))
        self.clustered = any(value is not None for value in items.values(cluster))
        self._clusters: NDArray[np.int64] = items.clusters(cluster)
        self._made: dict[str, dict[str, CategoryMean]] = {}
        self._notes: dict[str, str] = {}

    def of(self, score: str) -> dict[str, CategoryMean]:
        """Return the means of a score, by category; empty when nothing has the score."""
        if score not in self._made:
            self._made[score] = self._means(score)
        return self._made[score]

    def note(self, score: str) -> str:
        """Return the sentence that says whose scores were averaged."""
        self.of(score)
        return self._notes[score]

    def ends(self, score: str, minimum: int, top: int, bottom: int) -> Ends:
        """Return the best and the worst categories by a score.

        Best is best by the score's own direction; a score without one counts from its largest
        mean down.

        Args:
            score: its name.
            minimum: fewest items with a value.
            top: how many of the best.
            bottom: how many of the worst.
        """
        means = self.of(score)
        definition = self._inputs.definition(score)
        known = {name: mean for name, mean in means.items() if mean.n}
        distance = {
            name: _distance(mean.mean, definition)
            for name, mean in known.items()
            if mean.n >= minimum and mean.mean is not None
        }
        order = sorted(distance, key=lambda name: (distance[name], name))
        places = [1 + sum(distance[other] < distance[name] for other in order) for name in order]
        best = order[:top]
        worst = [name for name in reversed(order[len(best) :])][:bottom]
        return Ends(tuple(zip(order, places, strict=True)), tuple(best), tuple(worst), len(known))

    def _means(self, score: str) -> dict[str, CategoryMean]:
        matrix = self._matrices.matrix(score)
        systems = chosen_systems(matrix.systems, self._inputs.kinds, self._models, self._prompts)
        if not systems:
            self._notes[score] = f"No competitor has {score}."
            return {}
        self._notes[score] = pooled_note(systems)
        definition = self._inputs.definition(score)
        joint = joint_means(
            pooled_values(matrix, systems), list(self.groups.values()), self._clusters,
            definition.limits,
        )  # fmt: skip
        found = {}
        for at, name in enumerate(self.groups):
            n, clusters = int(joint.rows[at]), int(joint.clusters[at])
            if not n:
                found[name] = CategoryMean(0, 0, None, None, None, "no item has a value")
                continue
            mean = float(joint.means[at])
            ends = joint.interval(at, _CONFIDENCE)
            if ends is not None:
                found[name] = CategoryMean(n, clusters, mean, *ends)
            elif clusters == 1:
                found[name] = CategoryMean(n, 1, mean, None, None, "one cluster: no interval")
            else:
                bound = bound_without_variation(
                    mean, clusters, low=definition.low, high=definition.high,
                    confidence=_CONFIDENCE,
                )  # fmt: skip
                found[name] = CategoryMean(n, clusters, mean, bound.low, bound.high, bound.reason)
        return found


def _distance(mean: float | None, definition: ScoreDefinition) -> float:
    assert mean is not None
    distance = distance_from_best(mean, definition)
    return -mean if distance is None else distance
