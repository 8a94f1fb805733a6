"""How much of a score's variance lies between clusters of items, or between items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable
from toolkit.analyses.competitors import competing
from toolkit.analyses.identity import identity
from toolkit.analyses.item_columns import ItemColumns
from toolkit.analyses.pooled import chosen_systems
from toolkit.analyses.score_matrix import ScoreMatrices, ScoreMatrix
from toolkit.analyses.units import ALL_MODELS, ALL_PROMPTS
from toolkit.statistics.icc import intraclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Icc", "IccParams"]

_ITEM: Final = "item_id"

_COLUMNS: Final = (
    AnalysisColumn("score", "string", "score"),
    AnalysisColumn("model", "string", "model"),
    AnalysisColumn("prompt", "string", "prompt; empty for a baseline"),
    AnalysisColumn("n", "int64", "n values", 0),
    AnalysisColumn("clusters", "int64", "clusters", 0),
    AnalysisColumn("size", "double", "values in a cluster, as unequal ones count", 2),
    AnalysisColumn("icc", "double", "intraclass correlation"),
    AnalysisColumn("icc_low", "double", "low end of its 95 % interval"),
    AnalysisColumn("icc_high", "double", "high end of its 95 % interval"),
    AnalysisColumn("design_effect", "double", "by how much clusters multiply the variance", 2),
    AnalysisColumn("reason", "string", "why something is missing; else empty"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class IccParams:
    """Intraclass correlation: how much of a score's variance lies between clusters."""

    scores: tuple[str, ...] = field(
        default=(), metadata={"about": "names of scores; all by default", "scalar": True}
    )
    cluster: str = field(default=_ITEM, metadata={"about": "column of clusters"})
    leave_out: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict,
        metadata={"about": "by column of the items, values whose items take no part"},
    )


class Icc:
    """One table: all models together, and each competitor alone where items come in clusters."""

    name: ClassVar[str] = "icc"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = IccParams

    def __init__(self, params: IccParams) -> None:
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return the columns that leave items out, and that of the clusters, if there is one."""
        cluster = () if self.params.cluster == _ITEM else (self.params.cluster,)
        return tuple(dict.fromkeys((*self.params.leave_out, *cluster)))

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self)

    def describe(self) -> str:
        """Return how the correlations were found, for people."""
        return (
            f"intraclass correlations of one-way random effects by {self.params.cluster}, "
            "ICC(1,1), with 95 % intervals of the F distribution (Shrout and Fleiss 1979)"
        )

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the table.

        Held in memory: the scores, 12 bytes a value.

        Raises:
            UserError: two metrics return a score of one name, or an item is in no table.
        """
        matrices = ScoreMatrices(inputs.scores)
        column = None if self.params.cluster == _ITEM else self.params.cluster
        items = ItemColumns(inputs.items, self.item_columns(), matrices.items)
        clusters = items.clusters(column)
        kept = self._kept(items, len(matrices.items))
        rows = [
            row
            for score in matrices.scores(self.params.scores)
            for row in self._rows(matrices.matrix(score), clusters, kept, inputs)
        ]
        return [
            AnalysisTable(
                name="icc",
                title=f"How much variance lies between values of {self.params.cluster}",
                columns=_COLUMNS,
                rows=rows,
                notes=(
                    f"{self.describe()[0].upper()}{self.describe()[1:]}.",
                    "Repeated answers of one competitor to an item are averaged first. 'all "
                    "models' has no baselines, unless there is nothing else.",
                    *self._left_out_notes(),
                ),
                signature=f"icc|version:{self.version}|form:1,1|cluster:{self.params.cluster}"
                + "".join(f"|without:{note}" for note in self._left_out()),
            )
        ]

    def _left_out(self) -> list[str]:
        return [
            f"{name} {', '.join(values)}" for name, values in sorted(self.params.leave_out.items())
        ]

    def _left_out_notes(self) -> list[str]:
        return [f"Without items of {each}." for each in self._left_out()]

    def _kept(self, items: ItemColumns, count: int) -> NDArray[np.bool_]:
        """Return which items take part."""
        import numpy as np

        kept = np.ones(count, bool)
        for name, values in self.params.leave_out.items():
            groups = items.groups(name)
            for value in values:
                if value in groups:
                    kept[groups[value][0]] = False
        return kept

    def _rows(
        self,
        matrix: ScoreMatrix,
        clusters: NDArray[np.int64],
        kept: NDArray[np.bool_],
        inputs: AnalysisInputs,
    ) -> Iterator[dict[str, Any]]:
        import numpy as np

        systems = competing(matrix, inputs)
        if not systems:
            return
        pooled = chosen_systems(systems, inputs.kinds)
        values = matrix.values[:, [matrix.systems.index(system) for system in pooled]]
        values = np.where(kept[:, None], values, np.nan)
        repeated = np.repeat(clusters[:, None], len(pooled), axis=1)
        if len(pooled) > 1 or self.params.cluster == _ITEM:
            head = {"score": matrix.score, "model": ALL_MODELS, "prompt": ALL_PROMPTS}
            yield head | _cells(values.ravel(), repeated.ravel())
        if self.params.cluster == _ITEM:
            return
        for model, prompt in systems:
            head = {"score": matrix.score, "model": inputs.title(model), "prompt": prompt}
            own = np.where(kept, matrix.column((model, prompt)), np.nan)
            yield head | _cells(own, clusters)


def _cells(values: NDArray[np.float64], clusters: NDArray[np.int64]) -> dict[str, Any]:
    import numpy as np

    known = np.isfinite(values)
    found = intraclass(values[known], clusters[known])
    return {
        "n": found.n,
        "clusters": found.clusters,
        "size": found.size,
        "icc": found.value,
        "icc_low": found.low,
        "icc_high": found.high,
        "design_effect": found.design_effect,
        "reason": found.reason,
    }
