"""What one prompt gains over another: differences paired by item, overall and by subgroup."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from toolkit.analyses.base import AnalysisInputs, AnalysisTable
from toolkit.analyses.contrast_tables import (
    EXTREMES,
    GROUPS,
    OVERALL,
    SUMMARY,
    contrast_figure,
    extremes_figure,
    extremes_of,
    summary_of,
)
from toolkit.analyses.families import Correction, adjust, family_note
from toolkit.analyses.identity import identity
from toolkit.analyses.item_columns import Group, ItemColumns, Weight
from toolkit.analyses.names import without_miscellaneous
from toolkit.analyses.paired_gap import gap_row
from toolkit.analyses.score_matrix import ScoreMatrices, ScoreMatrix
from toolkit.analyses.units import ALL_MODELS, item_means
from toolkit.errors import UserError
from toolkit.statistics.bootstrap import generator
from toolkit.statistics.permutation import enough_permutations, paired_permutations

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ModeContrast", "ModeContrastParams"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeContrastParams:
    """Differences between two prompts or strategies, paired by item."""

    pairs: tuple[tuple[str, str], ...] = field(metadata={"about": "pairs of prompts or strategies"})
    by: str | None = field(default=None, metadata={"about": "column for subgroups"})
    scores: tuple[str, ...] = field(
        default=(), metadata={"about": "names of scores; all by default", "scalar": True}
    )
    extremes: int = field(
        default=5,
        metadata={"about": "subgroups shown with the largest and smallest gap", "minimum": 0},
    )
    minimum: int = field(default=1, metadata={"about": "fewest items in a subgroup", "minimum": 1})
    weight: Weight = field(
        default="whole",
        metadata={"about": "an item of k subgroups counts 1 or 1/k in each of them"},
    )
    correction: Correction = field(
        default="holm", metadata={"about": "for several tests: holm, bh or none"}
    )
    competitors: tuple[str, ...] = field(
        default=(), metadata={"about": "names of models; all by default", "scalar": True}
    )
    cluster: str | None = field(
        default=None,
        metadata={"about": "item column whose equal values are resampled and flipped together"},
    )
    resamples: int = field(
        default=2000, metadata={"about": "resamples of intervals", "minimum": 100}
    )
    n: int = field(default=10000, metadata={"about": "permutations", "minimum": 100})


@dataclass(frozen=True, slots=True)
class _Paired:
    """The scores of one model, or the mean of all, under both prompts of a pair."""

    model: str
    first: NDArray[np.float64]
    second: NDArray[np.float64]


class ModeContrast:
    """Gaps of each model and of all pooled; with ``by``, of all pooled in each subgroup."""

    name: ClassVar[str] = "mode_contrast"
    version: ClassVar[int] = 3
    Params: ClassVar[type] = ModeContrastParams

    def __init__(self, params: ModeContrastParams) -> None:
        """Take the parameters.

        Raises:
            UserError: no pair is named, one twice, or a prompt is paired with itself.
        """
        pairs = [frozenset(pair) for pair in params.pairs]
        if not pairs or len(set(pairs)) != len(pairs) or any(len(pair) == 1 for pair in pairs):
            raise UserError(
                f"mode_contrast.pairs is {[list(pair) for pair in params.pairs]}",
                hint="name pairs of two prompts, each once, e.g. [[A, B]]",
            )
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return the columns of subgroups and clusters."""
        p = self.params
        return tuple(dict.fromkeys(name for name in (p.by, p.cluster) if name))

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self, "competitors")

    def describe(self) -> str:
        """Return how the intervals were found, for people."""
        p = self.params
        unit = p.cluster or "item"
        return (
            f"95 % bootstrap intervals (expanded percentile, {p.resamples:,} resamples by {unit}); "
            f"paired permutation tests that flip the signs of whole {unit}s, exact or with at "
            f"least {p.n:,} random flips"
        )

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the tables.

        Held in memory: the scores, 8 bytes an item and competitor, and with ``by`` 8 bytes an
        item and subgroup.

        Raises:
            UserError: a scored item is not in the items table.
        """
        p = self.params
        matrices = ScoreMatrices(inputs.scores)
        items = ItemColumns(inputs.items, self.item_columns(), matrices.items)
        clusters = items.clusters(p.cluster)
        found = items.groups(p.by, p.weight) if p.by else {}
        shown = without_miscellaneous(list(found))
        groups = {shown[label]: group for label, group in found.items()}
        overall: list[dict[str, Any]] = []
        grouped: list[dict[str, Any]] = []
        for score in matrices.scores(p.scores):
            matrix = matrices.matrix(score)
            for pair in p.pairs:
                units = self._units(matrix, pair, inputs)
                if not units:
                    continue
                head = {"score": score, "first": pair[0], "second": pair[1]}
                overall += self._overall(head, units, clusters, inputs)
                if groups:
                    grouped += self._grouped(head, units[0], groups, clusters, inputs)
        adjust(overall, ("score",), p.correction)
        adjust(grouped, ("score", "first", "second"), p.correction)
        return self._tables(overall, grouped, inputs)

    def _units(
        self, matrix: ScoreMatrix, pair: tuple[str, str], inputs: AnalysisInputs
    ) -> list[_Paired]:
        """Return the mean of all models, if there are several, and each model."""
        import numpy as np

        each = [
            _Paired(
                inputs.title(model),
                matrix.column((model, pair[0])),
                matrix.column((model, pair[1])),
            )
            for model in dict.fromkeys(model for model, _ in matrix.systems)
            if all((model, prompt) in matrix.systems for prompt in pair)
            and (not self.params.competitors or model in self.params.competitors)
        ]
        if len(each) < 2:
            return each
        # A model counts for an item when it has both scores, so that both means are over the same.
        both = [np.isfinite(unit.first) & np.isfinite(unit.second) for unit in each]
        means = [
            item_means(
                np.stack(
                    [
                        np.where(known, getattr(unit, side), np.nan)
                        for unit, known in zip(each, both, strict=True)
                    ],
                    axis=1,
                )
            )
            for side in ("first", "second")
        ]
        return [_Paired(ALL_MODELS, *means), *each]

    def _overall(
        self,
        head: Mapping[str, str],
        units: list[_Paired],
        clusters: NDArray[np.int64],
        inputs: AnalysisInputs,
    ) -> Iterator[dict[str, Any]]:
        import numpy as np

        names = (self.name, *head.values())
        tests = paired_permutations(
            np.stack([unit.first - unit.second for unit in units], axis=1),
            generator(inputs.seed, *names, "permutation"),
            clusters=clusters,
            permutations=enough_permutations(len(units) * len(self.params.pairs), self.params.n),
        )
        for unit, test in zip(units, tests, strict=True):
            row = gap_row(
                unit.first,
                unit.second,
                clusters,
                generator(inputs.seed, *names, unit.model),
                resamples=self.params.resamples,
                span=inputs.span(head["score"]),
            )
            why = "; ".join(reason for reason in (row["reason"], test.reason) if reason)
            yield {**head, "model": unit.model, **row, "p": test.p, "reason": why}

    def _grouped(
        self,
        head: Mapping[str, str],
        unit: _Paired,
        groups: Mapping[str, Group],
        clusters: NDArray[np.int64],
        inputs: AnalysisInputs,
    ) -> list[dict[str, Any]]:
        """Return a line for each subgroup; one that is too small has a count and the reason."""
        import numpy as np

        p = self.params
        names = (self.name, *head.values(), p.by or "")
        rows: list[dict[str, Any]] = []
        columns: list[NDArray[np.float64]] = []
        for label, (members, weights) in groups.items():
            first, second = unit.first[members], unit.second[members]
            line = {**head, "model": unit.model, "group": label, "shown": False}
            n = int(np.isfinite(first - second).sum())
            if n < p.minimum:
                rows.append(line | {"n": n, "reason": f"fewer than {p.minimum} items with both"})
                continue
            row = gap_row(
                first,
                second,
                clusters[members],
                generator(inputs.seed, *names, label),
                resamples=p.resamples,
                span=inputs.span(head["score"]),
                weights=weights,
            )
            rows.append(line | row | {"shown": True})
            column = np.full(len(clusters), np.nan)
            column[members] = weights * (first - second)
            columns.append(column)
        if columns:
            tests = paired_permutations(
                np.stack(columns, axis=1),
                generator(inputs.seed, *names, "permutation"),
                clusters=clusters,
                permutations=enough_permutations(len(columns), p.n),
            )
            shown = [row for row in rows if row["shown"]]
            for row, test in zip(shown, tests, strict=True):
                row["p"] = test.p
                row["reason"] = "; ".join(why for why in (row["reason"], test.reason) if why)
        return rows

    def _tables(
        self,
        overall: list[dict[str, Any]],
        grouped: list[dict[str, Any]],
        inputs: AnalysisInputs,
    ) -> list[AnalysisTable]:
        p = self.params
        signature = (
            f"{self.name}|version:{self.version}|resamples:{p.resamples}|permutations:{p.n}"
            f"|cluster:{p.cluster or 'item'}|correction:{p.correction}|seed:{inputs.seed}"
        )
        how = f"{self.describe()}."
        unit = (
            f"'{ALL_MODELS}' is the mean over models of each item's difference; one line is one "
            "test over items, whatever the number of models."
        )
        tables = [
            AnalysisTable(
                name="mode_contrast",
                title="Differences between prompts",
                columns=OVERALL,
                rows=overall,
                notes=(
                    how,
                    unit,
                    "Effect: Cohen's d of paired values, the mean difference over the standard "
                    "deviation of the items' differences.",
                    family_note(p.correction, "all lines of one score"),
                ),
                signature=signature,
                figures=contrast_figure(overall, inputs),
            )
        ]
        if p.by is not None:
            tables += self._grouped_tables(p.by, grouped, inputs, signature)
        return tables

    def _grouped_tables(
        self, by: str, grouped: list[dict[str, Any]], inputs: AnalysisInputs, signature: str
    ) -> Iterator[AnalysisTable]:
        p = self.params
        signature += f"|by:{by}|minimum:{p.minimum}|weight:{p.weight}"
        counted = "1" if p.weight == "whole" else "1/k"
        notes = (
            f"{self.describe()}.",
            f"An item of k groups counts {counted} in each; groups with fewer than {p.minimum} "
            "items that have both scores are not eligible.",
            family_note(p.correction, "the eligible groups of one score and pair"),
        )
        extremes = extremes_of(grouped, p.extremes)
        shown = (
            ("extremes", "Largest and smallest gaps", EXTREMES, extremes),
            ("summary", "Gaps over all eligible groups", SUMMARY, summary_of(grouped)),
            ("groups", "Gaps of all groups", GROUPS, grouped),
        )
        for name, title, columns, rows in shown:
            yield AnalysisTable(
                name=f"mode_contrast_{name}",
                title=f"{title} by {by}",
                columns=columns,
                rows=rows,
                notes=notes,
                signature=signature,
                figures=extremes_figure(extremes, by, inputs) if name == "extremes" else (),
            )
