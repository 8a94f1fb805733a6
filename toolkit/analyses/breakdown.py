"""Scores by subgroup: category, year, band of journal rank, study type, or any other column."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable
from toolkit.analyses.breakdown_figure import breakdown_figure
from toolkit.analyses.families import Correction, adjust, family_note
from toolkit.analyses.identity import identity
from toolkit.analyses.item_columns import Group, ItemColumns, Weight
from toolkit.analyses.score_matrix import ScoreMatrices, ScoreMatrix
from toolkit.analyses.subgroups import Subgroups, rest_of, total_weights
from toolkit.analyses.units import Unit, pooled_units, with_prompts
from toolkit.errors import UserError
from toolkit.statistics.bootstrap import bound_without_variation
from toolkit.statistics.cluster_robust import JointMeans, difference, heterogeneity, joint_means
from toolkit.statistics.limits import Limits, within
from toolkit.statistics.shrinkage import pooled_errors, shrunken_means

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Breakdown", "BreakdownParams"]

_COMPETITOR: Final = ("model", "prompt")
_CONFIDENCE: Final = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakdownParams:
    """Means by any columns, with intervals and counts."""

    by: tuple[str, ...] = field(
        metadata={
            "about": "item columns, crossed; with `model` or `prompt` the other one is pooled",
            "scalar": True,
        }
    )
    scores: tuple[str, ...] = field(
        default=(), metadata={"about": "names of scores; all by default", "scalar": True}
    )
    prompts: tuple[str, ...] = field(
        default=(), metadata={"about": "prompts or strategies; all by default"}
    )
    minimum: int = field(default=1, metadata={"about": "fewest items in a cell", "minimum": 1})
    weight: Weight = field(
        default="whole", metadata={"about": "an item of k groups counts 1 or 1/k in each of them"}
    )
    shrink: bool = field(
        default=False,
        metadata={"about": "show means of small groups drawn to the overall mean too"},
    )
    quartiles: tuple[str, ...] = field(
        default=(),
        metadata={"about": "numeric columns of by: cut at their quartiles", "scalar": True},
    )
    edges: Mapping[str, tuple[float, ...]] = field(
        default_factory=dict,
        metadata={"about": "numeric columns of by: cut at these ascending numbers"},
    )
    pool: bool = field(
        default=False,
        metadata={"about": "show the mean of all models alone, not each competitor beside it"},
    )
    cluster: str | None = field(
        default=None, metadata={"about": "item column whose equal values depend on one another"}
    )
    correction: Correction = field(
        default="holm", metadata={"about": "for tests of several groups: holm, bh or none"}
    )


class Breakdown:
    """Means of each cell, each cell against the rest, and whether cells differ at all."""

    name: ClassVar[str] = "breakdown"
    version: ClassVar[int] = 2
    Params: ClassVar[type] = BreakdownParams

    def __init__(self, params: BreakdownParams) -> None:
        """Take the parameters.

        Raises:
            UserError: no item column is named, one is named twice, or bands make no sense.
        """
        columns = tuple(name for name in params.by if name not in _COMPETITOR)
        if not columns or len(set(params.by)) != len(params.by):
            raise UserError(
                f"breakdown.by is {list(params.by)}",
                hint="name columns of the items, each once, e.g. [publication_types]",
            )
        self.params = params
        self._groups = Subgroups(
            columns=columns,
            weight=params.weight,
            quartiles=params.quartiles,
            edges=params.edges,
        )
        self._groups.check(self.name)

    def item_columns(self) -> tuple[str, ...]:
        """Return the columns that divide the items, and that of the clusters."""
        cluster = self.params.cluster
        return tuple(dict.fromkeys((*self._groups.columns, *([cluster] if cluster else []))))

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self, "prompts", "quartiles")

    def describe(self) -> str:
        """Return how the intervals were found, for people."""
        return (
            f"95 % intervals by Student's t over {self.params.cluster or 'item'}s, "
            "cluster-robust (Liang and Zeger 1986)"
        )

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the tables: cells, heterogeneity, cells that are too small.

        Held in memory: the scores, 8 bytes an item and competitor, 16 bytes an item and group.

        Raises:
            UserError: a scored item is not in the items table, or a banded value is no number.
        """
        matrices = ScoreMatrices(inputs.scores)
        items = ItemColumns(inputs.items, self.item_columns(), matrices.items)
        cells = self._groups.groups(items)
        clusters = items.clusters(self.params.cluster)
        found = _Found([], [], [])
        for score in matrices.scores(self.params.scores):
            for unit in self._units(matrices.matrix(score), inputs):
                self._unit(found, unit, cells, clusters, (score, inputs))
        adjust(found.cells, ("score", "model", "prompt"), self.params.correction)
        adjust(found.whole, ("score",), self.params.correction)
        return self._tables(found, inputs)

    def _units(self, matrix: ScoreMatrix, inputs: AnalysisInputs) -> list[Unit]:
        p = self.params
        systems = with_prompts(matrix.systems, p.prompts)
        asked = [name for name in _COMPETITOR if name in p.by]
        if asked:
            return pooled_units(
                matrix,
                inputs,
                systems=systems,
                each_model="model" in asked,
                each_prompt="prompt" in asked,
            )
        pooled = pooled_units(matrix, inputs, systems=systems, each_model=False, each_prompt=False)
        if p.pool:
            return pooled
        each = pooled_units(matrix, inputs, systems=systems, each_model=True, each_prompt=True)
        return [*(unit for unit in pooled if len(unit.systems) > 1), *each]

    def _unit(
        self,
        found: _Found,
        unit: Unit,
        cells: Mapping[tuple[str, ...], Group],
        clusters: NDArray[np.int64],
        about: tuple[str, AnalysisInputs],
    ) -> None:
        """Add the lines of one score of one unit."""
        score, inputs = about
        head = {"score": score, "model": unit.model, "prompt": unit.prompt}
        limits = inputs.definition(score).limits
        joint = joint_means(unit.values, list(cells.values()), clusters, limits)
        eligible = []
        for at, labels in enumerate(cells):
            n = int(joint.rows[at])
            if n >= self.params.minimum and n:
                eligible.append(at)
            else:
                reason = f"fewer than {self.params.minimum} items" if n else "no item has a value"
                found.small.append({**head, **self._labels(labels), "n": n, "reason": reason})
        rows = []
        names = list(cells)
        total = total_weights(cells.values(), len(unit.values))
        for at in eligible:
            row = {**head, **self._labels(names[at]), "n": int(joint.rows[at])}
            row |= _mean(joint, at, score, inputs)
            rows.append(row | self._against_rest(unit, cells[names[at]], total, clusters, limits))
        kept = [cells[names[at]] for at in eligible]
        whole = heterogeneity(joint_means(unit.values, kept, clusters))
        if self.params.shrink:
            _shrink(rows, joint, eligible)
        found.cells.extend(rows)
        found.whole.append(
            head
            | {
                "groups": whole.groups,
                "q": whole.q,
                "i_squared": whole.i_squared,
                "p": whole.p,
                "reason": whole.reason,
            }
        )

    def _labels(self, labels: tuple[str, ...]) -> dict[str, str]:
        return dict(zip(self._groups.columns, labels, strict=True))

    def _against_rest(
        self,
        unit: Unit,
        group: Group,
        total: NDArray[np.float64],
        clusters: NDArray[np.int64],
        limits: Limits,
    ) -> dict[str, Any]:
        rest = rest_of(total, group, self.params.weight)
        contrast = difference(joint_means(unit.values, [group, rest], clusters, limits), 0, 1)
        return {
            "difference": contrast.value,
            "difference_low": contrast.low,
            "difference_high": contrast.high,
            "p": contrast.p,
            "reason": contrast.reason,
        }

    def _tables(self, found: _Found, inputs: AnalysisInputs) -> list[AnalysisTable]:
        p = self.params
        signature = (
            f"{self.name}|version:{self.version}|by:{'+'.join(p.by)}|minimum:{p.minimum}"
            f"|weight:{p.weight}|cluster:{p.cluster or 'item'}|correction:{p.correction}"
        )
        by = tuple(AnalysisColumn(name, "string", name) for name in self._groups.columns)
        titles = " and ".join(self._groups.columns)
        shrunken = _SHRUNKEN if p.shrink else ()
        cells = AnalysisTable(
            name="breakdown",
            title=f"Scores by {titles}",
            columns=(*_HEAD, *by, *_CELL, *shrunken, *_REST),
            rows=found.cells,
            notes=self._notes(),
            signature=signature,
            figures=breakdown_figure(found.cells, self._groups.columns, inputs),
        )
        whole = AnalysisTable(
            name="breakdown_heterogeneity",
            title=f"Do scores differ by {titles}?",
            columns=(*_HEAD, *_WHOLE),
            rows=found.whole,
            notes=(
                "Cochran's Q over all groups shown, with the covariance of groups that share "
                "items or clusters; p after Welch (1951).",
                family_note(p.correction, "the lines of one score"),
            ),
            signature=signature,
        )
        small = AnalysisTable(
            name="breakdown_small",
            title=f"Groups by {titles} that are not shown",
            columns=(*_HEAD, *by, *_SMALL),
            rows=found.small,
            notes=(f"Groups need at least {p.minimum} items with a value.",),
            signature=signature,
        )
        return [cells, whole, *([small] if found.small else [])]

    def _notes(self) -> tuple[str, ...]:
        p = self.params
        counted = "1" if p.weight == "whole" else "1/k"
        notes = [
            f"Intervals: {self.describe()}.",
            f"An item of k groups counts {counted} in each. The difference is the group's mean "
            "minus that of the items outside it; its p is Welch's t test over clusters.",
            family_note(p.correction, "the groups of one score and line"),
        ]
        if p.shrink:
            notes.append(
                "shrunken: the group's mean drawn to that of all groups, the more the less it is "
                "known (empirical Bayes; Morris 1983, doi:10.1080/01621459.1983.10477920), with "
                "the variance within groups pooled over all; its interval holds on the average "
                "over groups."
            )
        return tuple(notes)


@dataclass(frozen=True, slots=True)
class _Found:
    cells: list[dict[str, Any]]
    whole: list[dict[str, Any]]
    small: list[dict[str, Any]]


def _mean(joint: JointMeans, at: int, score: str, inputs: AnalysisInputs) -> dict[str, Any]:
    """Return the mean of a cell and its interval, or a bound where its values are all equal."""
    mean = float(joint.means[at])
    ends = joint.interval(at, _CONFIDENCE)
    why = ""
    if ends is None and joint.clusters[at] > 1:
        definition = inputs.definition(score)
        bound = bound_without_variation(
            mean,
            int(joint.clusters[at]),
            low=definition.low,
            high=definition.high,
            confidence=_CONFIDENCE,
        )
        ends = None if bound.low is None or bound.high is None else (bound.low, bound.high)
        why = bound.reason
    elif ends is None:
        why = "one cluster"
    return {
        "n_clusters": int(joint.clusters[at]),
        "mean": mean,
        "mean_low": ends[0] if ends else None,
        "mean_high": ends[1] if ends else None,
        "mean_reason": why,
    }


def _shrink(rows: list[dict[str, Any]], joint: JointMeans, eligible: list[int]) -> None:
    """Add the shrunken mean of each cell of one score and unit, in place."""
    spread = [float(joint.covariance[at, at]) for at in eligible]
    own = [math.sqrt(variance) if variance >= 0 else None for variance in spread]
    errors = pooled_errors(own, [int(joint.clusters[at]) for at in eligible])
    found = shrunken_means([row["mean"] for row in rows], errors)
    for row, mean in zip(rows, found.groups, strict=True):
        if mean is None:
            row["shrunken_reason"] = found.reason
            continue
        low, high = within(mean.low, mean.high, joint.limits)
        row |= {
            "shrunken": mean.mean,
            "shrunken_low": low,
            "shrunken_high": high,
            "shrinkage": mean.drawn,
        }


def _columns(*columns: tuple[str, Any, str, int]) -> tuple[AnalysisColumn, ...]:
    return tuple(AnalysisColumn(*column) for column in columns)


_HEAD = _columns(
    ("score", "string", "score", 0),
    ("model", "string", "model", 0),
    ("prompt", "string", "prompt", 0),
)

_CELL = _columns(
    ("n", "int64", "items with a value", 0),
    ("n_clusters", "int64", "clusters", 0),
    ("mean", "double", "mean", 3),
    ("mean_low", "double", "low end of the 95 % interval", 3),
    ("mean_high", "double", "high end of the 95 % interval", 3),
    ("mean_reason", "string", "what to know of the interval", 0),
)

_SHRUNKEN = _columns(
    ("shrunken", "double", "mean drawn to that of all groups", 3),
    ("shrunken_low", "double", "low end of its 95 % interval", 3),
    ("shrunken_high", "double", "high end of its 95 % interval", 3),
    ("shrinkage", "double", "how far it was drawn: 0 not at all, 1 wholly", 3),
    ("shrunken_reason", "string", "why there is none", 0),
)

_REST = _columns(
    ("difference", "double", "group minus the other items", 3),
    ("difference_low", "double", "low end of the 95 % interval", 3),
    ("difference_high", "double", "high end of the 95 % interval", 3),
    ("p", "double", "p of no difference", 4),
    ("p_adjusted", "double", "p adjusted for the number of groups", 4),
    ("reason", "string", "why there is no test", 0),
)

_WHOLE = _columns(
    ("groups", "int64", "groups compared", 0),
    ("q", "double", "Cochran's Q", 2),
    ("i_squared", "double", "share of the variation beyond chance, I squared", 3),
    ("p", "double", "p of equal means", 4),
    ("p_adjusted", "double", "p adjusted for the number of lines", 4),
    ("reason", "string", "why there is no test", 0),
)

_SMALL = _columns(
    ("n", "int64", "items with a value", 0),
    ("reason", "string", "why it is not shown", 0),
)
