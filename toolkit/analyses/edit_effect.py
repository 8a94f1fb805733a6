"""What edits change in a judge's scores: edited minus unedited, paired by original item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolkit.analyses.base import AnalysisInputs, AnalysisTable, asked_scores
from toolkit.analyses.competitors import competing
from toolkit.analyses.edit_effect_tables import EACH, POOLED, effect_figures
from toolkit.analyses.families import adjust, family_note
from toolkit.analyses.identity import identity
from toolkit.analyses.item_columns import ItemColumns
from toolkit.analyses.pooled import chosen_systems
from toolkit.analyses.present_columns import present_columns
from toolkit.analyses.score_matrix import ScoreMatrices, ScoreMatrix, System
from toolkit.recipe.clusters import ORIGINAL_ID
from toolkit.recipe.known_names import UNEDITED
from toolkit.statistics.bootstrap import generator
from toolkit.statistics.paired import paired_difference
from toolkit.statistics.permutation import enough_permutations, paired_permutation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["EditEffect", "EditEffectParams"]

_COLUMNS: Final = ("level", ORIGINAL_ID)


@dataclass(frozen=True, slots=True, kw_only=True)
class EditEffectParams:
    """Scores of edited minus unedited items, paired by item: the control."""

    judge: str = field(metadata={"about": "judge that scored the level `unedited` too"})
    scores: tuple[str, ...] = field(
        default=(), metadata={"about": "names of scores; all by default", "scalar": True}
    )
    n: int = field(default=20000, metadata={"about": "permutations", "minimum": 100})


class EditEffect:
    """Two tables: each competitor at each level, and all models and prompts together."""

    name: ClassVar[str] = "edit_effect"
    version: ClassVar[int] = 2
    Params: ClassVar[type] = EditEffectParams

    def __init__(self, params: EditEffectParams) -> None:
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return the level of an item, and the item it was made from."""
        return _COLUMNS

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self)

    def describe(self) -> str:
        """Return how differences were found, for people."""
        return (
            "edited minus unedited answers of the same model and prompt, paired by original item, "
            "whole items together; 95 % t intervals and two-sided permutation tests that flip "
            "signs, exact where arrangements can be counted, else p = (b + 1) / (n + 1) of at "
            f"least {self.params.n:,}"
        )

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the tables; without rows where the judge scored no unedited item.

        Held in memory: the scores, 12 bytes a value.
        """
        judge = inputs.judges[self.params.judge]
        own = asked_scores([judge], self.params.scores)
        columns = [column for name, column in judge.scores.items() if name in own]
        matrices = ScoreMatrices(inputs.scores)
        tables = present_columns(inputs.items, (), self.name, _COLUMNS)
        originals = _Originals(ItemColumns(tables, _COLUMNS, matrices.items), matrices.items)
        each: list[dict[str, Any]] = []
        pooled: list[dict[str, Any]] = []
        for score in matrices.scores(columns):
            matrix = matrices.matrix(score)
            each += list(self._each(matrix, originals, inputs))
            pooled += list(self._pooled(matrix, originals, inputs))
        notes = [f"{self.describe()[0].upper()}{self.describe()[1:]}."]
        if not each:
            notes.append(
                f"The judge '{judge.name}' scored no item both edited and {UNEDITED}: add "
                f"{UNEDITED} to its levels, and ask about items and variants."
            )
        for rows in (each, pooled):
            adjust(rows, ("score",), "holm")
        parts = (
            ("edit_effect", "What edits change in the scores", EACH, each, "all lines of a score"),
            ("edit_effect_pooled", "What edits change, all models and prompts together", POOLED,
             pooled, "all levels of a score"),
        )  # fmt: skip
        signature = (
            f"{self.name}|version:{self.version}|judge:{judge.name}|n:{self.params.n}"
            f"|seed:{inputs.seed}|cluster:original_id|correction:holm"
        )
        return [
            AnalysisTable(
                name=name,
                title=title,
                columns=columns_,
                rows=rows,
                notes=(*notes, family_note("holm", family)),
                signature=signature,
                figures=effect_figures(name, rows, inputs),
            )
            for name, title, columns_, rows, family in parts
        ]

    def _each(
        self, matrix: ScoreMatrix, originals: _Originals, inputs: AnalysisInputs
    ) -> Iterator[dict[str, Any]]:
        found = [
            (system, level, *originals.pairs(matrix, [system], level))
            for system in competing(matrix, inputs)
            for level in originals.levels
        ]
        found = [one for one in found if len(one[2])]
        count = enough_permutations(len(found), self.params.n)
        span = inputs.span(matrix.score)
        for (model, prompt), level, edited, unedited, clusters in found:
            head = {"score": matrix.score, "prompt": prompt, "level": level}
            rng = generator(inputs.seed, self.name, matrix.score, model, prompt, level)
            cells = _cells(edited, unedited, clusters, rng, count, span)
            yield head | {"model": inputs.title(model)} | cells

    def _pooled(
        self, matrix: ScoreMatrix, originals: _Originals, inputs: AnalysisInputs
    ) -> Iterator[dict[str, Any]]:
        systems = chosen_systems(competing(matrix, inputs), inputs.kinds)
        found = [(level, *originals.pairs(matrix, systems, level)) for level in originals.levels]
        found = [one for one in found if len(one[1])]
        count = enough_permutations(len(found), self.params.n)
        span = inputs.span(matrix.score)
        for level, edited, unedited, clusters in found:
            rng = generator(inputs.seed, self.name, "pooled", matrix.score, level)
            head = {"score": matrix.score, "level": level, "systems": len(systems)}
            yield head | _cells(edited, unedited, clusters, rng, count, span)


class _Originals:
    """Which row of a matrix is which original item at which level."""

    def __init__(self, items: ItemColumns, ids: Sequence[str]) -> None:
        self._rows: dict[str, dict[str, int]] = {}
        for row, (item, level, original) in enumerate(
            zip(ids, *map(items.values, _COLUMNS), strict=True)
        ):
            self._rows.setdefault(str(level or UNEDITED), {})[str(original or item)] = row
        names = sorted({name for rows in self._rows.values() for name in rows})
        self._codes: Mapping[str, int] = {name: code for code, name in enumerate(names)}
        self.levels = sorted(self._rows.keys() - {UNEDITED})

    def pairs(
        self, matrix: ScoreMatrix, systems: Sequence[System], level: str
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
        """Return edited and unedited values of items that have both, and their original items."""
        import numpy as np

        edited, unedited = self._rows[level], self._rows.get(UNEDITED, {})
        both = sorted(edited.keys() & unedited.keys())
        places = [matrix.systems.index(system) for system in systems]
        first = matrix.values[np.ix_([edited[name] for name in both], places)].ravel()
        second = matrix.values[np.ix_([unedited[name] for name in both], places)].ravel()
        codes = np.repeat(np.array([self._codes[name] for name in both], np.int64), len(places))
        known = np.isfinite(first) & np.isfinite(second)
        return first[known], second[known], codes[known]


def _cells(
    edited: NDArray[np.float64],
    unedited: NDArray[np.float64],
    clusters: NDArray[np.int64],
    rng: np.random.Generator,
    count: int,
    span: float | None,
) -> dict[str, Any]:
    differences = edited - unedited
    found = paired_difference(differences, clusters=clusters, span=span)
    test = paired_permutation(differences, rng, clusters=clusters, permutations=count)
    return {
        "n": found.n,
        "clusters": found.clusters,
        "edited_mean": float(edited.mean()),
        "unedited_mean": float(unedited.mean()),
        "difference": found.difference,
        "difference_low": found.low,
        "difference_high": found.high,
        "p": test.p,
        "method": test.method,
        "arrangements": test.arrangements or None,
        "reason": test.reason or found.reason,
    }
