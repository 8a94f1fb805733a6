"""Answers that one of a judge's scores calls best and another worst."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable, JudgeFacts
from toolkit.analyses.identity import identity
from toolkit.analyses.item_columns import ItemColumns
from toolkit.analyses.paired_values import PairedValues
from toolkit.analyses.present_columns import present_columns
from toolkit.metrics.base import ScoreDefinition
from toolkit.recipe.clusters import ORIGINAL_ID
from toolkit.statistics.intervals import clustered_wilson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ConflictingScores", "ConflictingScoresParams"]

_COLUMNS: Final = ("level", ORIGINAL_ID)
_DIGITS: Final = 9
"""Decimals of a score; an inverted scale or a mean leaves noise in the digits behind."""
_PATTERNS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictingScoresParams:
    """Answers whose scores point in different directions, listed."""

    judge: str = field(metadata={"about": "name of a judge"})
    at_most: int = field(default=50, metadata={"about": "answers listed", "minimum": 1})


@dataclass(frozen=True, slots=True)
class _Scored:
    """The answers that have all scores.

    Attributes:
        answers: (n,) their numbers, ascending.
        raw: (n, k) scores as tables show them.
        unit: (n, k) the same from 0, the worst, to 1, the best.
        clusters: (n,) the original item of each.
        lacking: answers that lack a score.
    """

    answers: NDArray[np.int64]
    raw: NDArray[np.float64]
    unit: NDArray[np.float64]
    clusters: NDArray[np.int64]
    lacking: int


class ConflictingScores:
    """Every pattern of scores with its share, and the answers whose scores conflict most."""

    name: ClassVar[str] = "conflicting_scores"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = ConflictingScoresParams

    def __init__(self, params: ConflictingScoresParams) -> None:
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return the level of an item and the item it was made from, where items are edited."""
        return _COLUMNS

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self)

    def describe(self) -> str:
        """Return what conflicts and how the intervals were found, for people."""
        return (
            "scores are put on 0, the worst value, to 1, the best; they conflict where one is 0 "
            "and another 1; disagreement is their standard deviation; 95 % Wilson intervals "
            "(1927) over whole original items (Korn and Graubard 1998)"
        )

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the patterns and the conflicting answers.

        Held in memory: 16 bytes a value of the judge, and 16 more of an answer with all.
        """
        judge = inputs.judges[self.params.judge]
        names, definitions = _directed(judge, inputs)
        values = PairedValues(definition.name for definition in definitions)
        for table in inputs.scores:
            values.add(table)
        tables = present_columns(inputs.items, (), self.name, _COLUMNS)
        items = ItemColumns(tables, _COLUMNS, values.items)
        scored = _scored(values, definitions, items)
        conflict = (scored.unit.max(axis=1) == 1) & (scored.unit.min(axis=1) == 0)
        score_columns = tuple(
            AnalysisColumn(f"score_{name}", "double", name.replace("_", " "), 2) for name in names
        )
        head = self._notes(judge, names, scored, conflict)
        signature = (
            f"{self.name}|version:{self.version}|judge:{judge.name}|scores:{'+'.join(names)}"
            "|ci:wilson|cluster:original_id"
        )
        return [
            AnalysisTable(
                name="conflicting_scores",
                title="Answers whose scores conflict",
                columns=(*_ANSWER, *score_columns, _DISAGREEMENT),
                rows=list(self._listed(scored, conflict, names, values, items, inputs)),
                notes=(*head, f"At most {self.params.at_most:,} are listed, the clearest first."),
                signature=signature,
            ),
            AnalysisTable(
                name="score_patterns",
                title="Patterns of scores",
                columns=(*score_columns, *_PATTERN),
                rows=list(_patterns(scored, conflict, names)),
                notes=(
                    f"Of answers that have all scores. At most {_PATTERNS} patterns are listed, "
                    "the most frequent first.",
                ),
                signature=signature,
            ),
        ]

    def _notes(
        self,
        judge: JudgeFacts,
        names: Sequence[str],
        scored: _Scored,
        conflict: NDArray[np.bool_],
    ) -> tuple[str, ...]:
        n, count = len(conflict), int(conflict.sum())
        low, high = clustered_wilson(conflict.astype(float), scored.clusters) if n else (None, None)
        interval = f", 95 % interval {low:.3f} to {high:.3f}" if low is not None else ""
        share = f" ({count / n:.3f}{interval})" if n else ""
        notes = [
            f"{self.describe()[0].upper()}{self.describe()[1:]}.",
            f"{count:,} of {n:,} answers have scores that conflict{share}. {scored.lacking:,} "
            "answers lack a score and are left out.",
        ]
        left = [name for name in judge.scores if name not in names]
        if left:
            notes.append(f"Left out, having no best value or no bounds: {', '.join(left)}.")
        if len(names) < 2:
            notes.append(f"'{judge.name}' gives fewer than two scores that could conflict.")
        return tuple(notes)

    def _listed(
        self,
        scored: _Scored,
        conflict: NDArray[np.bool_],
        names: Sequence[str],
        values: PairedValues,
        items: ItemColumns,
        inputs: AnalysisInputs,
    ) -> Iterator[dict[str, Any]]:
        import numpy as np

        spread = scored.unit.std(axis=1).round(_DIGITS)
        # Answers are numbered by item, model and prompt, so their order is that of the ids.
        order = np.lexsort((scored.answers, -spread))
        ids, systems, levels = values.items, values.systems, items.values("level")
        for at in order[conflict[order]][: self.params.at_most].tolist():
            answer = scored.answers[at : at + 1]
            item = int(values.item_of(answer)[0])
            model, prompt = systems[int(values.system_of(answer)[0])]
            yield {
                "item_id": ids[item],
                "model": inputs.title(model),
                "prompt": prompt,
                "repeat": int(values.repeat_of(answer)[0]),
                "level": levels[item] or "",
                **_raw(names, scored.raw[at]),
                "disagreement": float(spread[at]),
            }


def _directed(judge: JudgeFacts, inputs: AnalysisInputs) -> tuple[list[str], list[ScoreDefinition]]:
    """Return the judge's own names of the scores that have a best and a worst value."""
    found = [
        (name, definition)
        for name, column in judge.scores.items()
        for definition in inputs.definitions
        if definition.name == column
        and definition.direction in ("higher", "lower")
        and definition.low is not None
        and definition.high is not None
    ]
    return [name for name, _ in found], [definition for _, definition in found]


def _scored(
    values: PairedValues, definitions: Sequence[ScoreDefinition], items: ItemColumns
) -> _Scored:
    import numpy as np

    found = [values.column(definition.name) for definition in definitions]
    everyone = np.unique(np.concatenate([np.empty(0, np.int64), *(a for a, _ in found)]))
    raw = np.full((len(everyone), max(1, len(found))), np.nan)
    unit = raw.copy()
    for at, ((answers, column), definition) in enumerate(zip(found, definitions, strict=True)):
        low, high = definition.low or 0.0, definition.high or 0.0
        rows = np.searchsorted(everyone, answers)
        raw[rows, at] = column.round(_DIGITS)
        above = ((column - low) / (high - low)).round(_DIGITS)
        unit[rows, at] = above if definition.direction == "higher" else 1 - above
    known = np.isfinite(raw).all(axis=1)
    clusters = items.clusters(ORIGINAL_ID)[values.item_of(everyone[known])]
    return _Scored(everyone[known], raw[known], unit[known], clusters, int((~known).sum()))


def _patterns(
    scored: _Scored, conflict: NDArray[np.bool_], names: Sequence[str]
) -> Iterator[dict[str, Any]]:
    import numpy as np

    if not len(scored.raw):
        return
    patterns, place = np.unique(scored.raw, axis=0, return_inverse=True)
    place = place.ravel()
    counts = np.bincount(place)
    order = np.lexsort((np.arange(len(counts)), -counts))
    for at in order[:_PATTERNS].tolist():
        mine = place == at
        low, high = clustered_wilson(mine.astype(float), scored.clusters)
        yield _raw(names, patterns[at]) | {
            "conflict": bool(conflict[mine][0]),
            "n": int(counts[at]),
            "of": len(place),
            "share": float(mine.mean()),
            "share_low": low,
            "share_high": high,
        }


def _raw(names: Sequence[str], row: NDArray[np.float64]) -> dict[str, Any]:
    # Without a score that has a direction there is one empty column.
    return {f"score_{name}": float(value) for name, value in zip(names, row, strict=False)}


_ANSWER: Final = (
    AnalysisColumn("item_id", "string", "item", 0),
    AnalysisColumn("model", "string", "model", 0),
    AnalysisColumn("prompt", "string", "prompt; empty for a baseline", 0),
    AnalysisColumn("repeat", "int64", "repeat, from 0", 0),
    AnalysisColumn("level", "string", "level; empty where items are not edited", 0),
)
_DISAGREEMENT: Final = AnalysisColumn("disagreement", "double", "disagreement of the scores")
_PATTERN: Final = (
    AnalysisColumn("conflict", "bool", "best and worst at once", 0),
    AnalysisColumn("n", "int64", "answers", 0),
    AnalysisColumn("of", "int64", "of all with every score", 0),
    AnalysisColumn("share", "double", "share"),
    AnalysisColumn("share_low", "double", "low end of its 95 % interval"),
    AnalysisColumn("share_high", "double", "high end of its 95 % interval"),
)
