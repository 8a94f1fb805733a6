"""Permutation tests between the two levels of a factor, one in each cell of some columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable
from toolkit.analyses.cells import Cells, item_columns_of
from toolkit.analyses.families import Correction, adjust, family_note
from toolkit.analyses.identity import identity
from toolkit.analyses.item_columns import ItemColumns
from toolkit.analyses.score_matrix import ScoreMatrices, ScoreMatrix
from toolkit.analyses.units import item_means
from toolkit.errors import UserError
from toolkit.statistics.bootstrap import generator
from toolkit.statistics.limits import gap_limits, within
from toolkit.statistics.paired import paired_difference
from toolkit.statistics.permutation import (
    enough_permutations,
    paired_permutation,
    unpaired_permutation,
)
from toolkit.statistics.two_sample import welch_interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Permutation", "PermutationParams"]

_Key = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PermutationParams:
    """Two-sided permutation tests between the two levels of a factor, p = (b + 1) / (n + 1).

    Raises:
        UserError: the factor stands in ``within`` as well.
    """

    factor: str = field(metadata={"about": "column with two levels"})
    scores: tuple[str, ...] = field(
        default=(), metadata={"about": "names of scores; all by default", "scalar": True}
    )
    within: tuple[str, ...] = field(
        default=(),
        metadata={"about": "columns; one test in each of their cells", "scalar": True},
    )
    n: int = field(default=20000, metadata={"about": "permutations", "minimum": 100})
    paired: bool = field(default=True, metadata={"about": "pair by item"})
    cluster: str | None = field(
        default=None, metadata={"about": "item column whose equal values move together"}
    )
    correction: Correction = field(
        default="holm", metadata={"about": "for several tests: holm, bh or none"}
    )

    def __post_init__(self) -> None:
        if self.factor in self.within:
            raise UserError(
                f"permutation.within holds the factor '{self.factor}'",
                hint="a cell of one level has nothing to compare; name other columns",
            )


class Permutation:
    """One table: a test a score and cell."""

    name: ClassVar[str] = "permutation"
    version: ClassVar[int] = 2
    Params: ClassVar[type] = PermutationParams

    def __init__(self, params: PermutationParams) -> None:
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return the columns of the items that are compared, cut or clustered by."""
        p = self.params
        return item_columns_of([p.factor, *p.within, *([] if p.cluster is None else [p.cluster])])

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self)

    def describe(self) -> str:
        """Return how the tests were done, for people."""
        p = self.params
        unit = p.cluster or "item"
        kind = f"paired by item, flipping whole {unit}s" if p.paired else "of independent answers"
        return (
            f"two-sided permutation tests of the levels of {p.factor}, {kind}; exact where "
            f"arrangements can be counted, else p = (b + 1) / (n + 1) of at least {p.n:,}"
        )

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the table.

        Held in memory: the scores, 12 bytes a value.

        Raises:
            UserError: the factor has more than two levels.
        """
        p = self.params
        matrices = ScoreMatrices(inputs.scores)
        items = ItemColumns(inputs.items, self.item_columns(), matrices.items)
        rows: list[dict[str, Any]] = []
        for score in matrices.scores(p.scores):
            rows += list(self._rows(matrices.matrix(score), items, inputs))
        adjust(rows, ("score",), p.correction)
        for row in rows:
            for column in {"model", "first", "second"} & set(row):
                if column == "model" or p.factor == "model":
                    row[column] = inputs.title(row[column])
        drawn = f"n:{p.n}|seed:{inputs.seed}"
        return [
            AnalysisTable(
                name="permutation",
                title=f"Does {p.factor} make a difference? Permutation tests",
                columns=self._columns(),
                rows=rows,
                notes=(
                    f"{self.describe()[0].upper()}{self.describe()[1:]}.",
                    family_note(p.correction, "all cells of one score"),
                ),
                signature=(
                    f"permutation|version:{self.version}|factor:{p.factor}|paired:{p.paired}"
                    f"|{drawn}|cluster:{p.cluster or 'item'}|correction:{p.correction}"
                ),
            )
        ]

    def _columns(self) -> tuple[AnalysisColumn, ...]:
        return (
            AnalysisColumn("score", "string", "score"),
            *(AnalysisColumn(name, "string", name) for name in self.params.within),
            AnalysisColumn("first", "string", f"first level of {self.params.factor}"),
            AnalysisColumn("second", "string", "second level"),
            AnalysisColumn("first_n", "int64", "n values of the first, or pairs", 0),
            AnalysisColumn("second_n", "int64", "n values of the second, or pairs", 0),
            AnalysisColumn("clusters", "int64", "what is moved as a whole", 0),
            AnalysisColumn("first_mean", "double", "mean of the first"),
            AnalysisColumn("second_mean", "double", "mean of the second"),
            AnalysisColumn("difference", "double", "difference, first minus second"),
            AnalysisColumn("difference_low", "double", "low end of its 95 % t interval"),
            AnalysisColumn("difference_high", "double", "high end of its 95 % t interval"),
            AnalysisColumn("p", "double", "p of no difference, two-sided", 4),
            AnalysisColumn("p_adjusted", "double", "p adjusted within its family", 4),
            AnalysisColumn("method", "string", "exact or monte carlo"),
            AnalysisColumn("arrangements", "int64", "of how many p is a share", 0),
            AnalysisColumn("reason", "string", "why something is missing; else empty"),
        )

    def _rows(
        self, matrix: ScoreMatrix, items: ItemColumns, inputs: AnalysisInputs
    ) -> Iterator[dict[str, Any]]:
        import numpy as np

        p = self.params
        found = Cells(items, inputs).of(matrix, (*p.within, p.factor))
        levels = sorted({key[-1] for key in found})
        # A baseline answers no prompt, which is no level of it.
        levels = [level for level in levels if level]
        if len(levels) < 2:
            reason = f"fewer than two levels of {p.factor} have a value"
            yield {"score": matrix.score, "p": None, "reason": reason}
            return
        if len(levels) > 2:
            raise UserError(
                f"permutation.factor '{p.factor}' has {len(levels)} levels in '{matrix.score}': "
                f"{', '.join(levels[:5])}",
                hint="name a column with two levels",
            )
        held: dict[_Key, dict[str, NDArray[np.float64]]] = {}
        for key, (places, systems) in found.items():
            if key[-1] in levels:
                values = np.full(len(matrix.items), np.nan)
                values[places] = item_means(matrix.values[np.ix_(places, systems)])
                held.setdefault(key[:-1], {})[key[-1]] = values
        count = enough_permutations(len(held), p.n)
        span = inputs.span(matrix.score)
        clusters = items.clusters(p.cluster)
        nothing = np.full(len(matrix.items), np.nan)
        for cell, by_level in held.items():
            rng = generator(inputs.seed, "permutation", matrix.score, p.factor, *cell)
            first, second = (by_level.get(level, nothing) for level in levels)
            tested = _paired if p.paired else self._unpaired
            yield {
                "score": matrix.score,
                **dict(zip(p.within, cell, strict=True)),
                "first": levels[0],
                "second": levels[1],
                **tested(first, second, clusters, rng, count, span),
            }

    def _unpaired(
        self,
        first: NDArray[np.float64],
        second: NDArray[np.float64],
        clusters: NDArray[np.int64],
        rng: np.random.Generator,
        count: int,
        span: float | None,
    ) -> dict[str, Any]:
        import numpy as np

        known = np.isfinite(first), np.isfinite(second)
        one, other = first[known[0]], second[known[1]]
        row = {"first_n": len(one), "second_n": len(other)} | _means(one, other)
        codes = None
        if self.params.cluster is not None:
            codes = clusters[known[0]], clusters[known[1]]
            if np.intersect1d(*codes).size:
                return row | {"p": None, "reason": "a cluster has both levels: pair by item"}
        test = unpaired_permutation(one, other, rng, clusters=codes, permutations=count)
        low, high = welch_interval(one, other) if codes is None else (None, None)
        if low is not None and high is not None:
            low, high = within(low, high, gap_limits(span))
        return row | {
            "clusters": test.clusters,
            "difference": test.difference,
            "difference_low": low,
            "difference_high": high,
            "p": test.p,
            "method": test.method,
            "arrangements": test.arrangements or None,
            "reason": test.reason,
        }


def _means(first: NDArray[np.float64], second: NDArray[np.float64]) -> dict[str, Any]:
    return {
        "first_mean": float(first.mean()) if len(first) else None,
        "second_mean": float(second.mean()) if len(second) else None,
    }


def _paired(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    clusters: NDArray[np.int64],
    rng: np.random.Generator,
    count: int,
    span: float | None,
) -> dict[str, Any]:
    import numpy as np

    both = np.isfinite(first) & np.isfinite(second)
    differences = first[both] - second[both]
    test = paired_permutation(differences, rng, clusters=clusters[both], permutations=count)
    found = paired_difference(differences, clusters=clusters[both], span=span)
    reason = test.reason or found.reason
    return _means(first[both], second[both]) | {
        "first_n": test.n,
        "second_n": test.n,
        "clusters": test.clusters,
        "difference": test.difference,
        "difference_low": found.low,
        "difference_high": found.high,
        "p": test.p,
        "method": test.method,
        "arrangements": test.arrangements or None,
        "reason": reason if test.n else "no item has both levels: use paired: false",
    }
