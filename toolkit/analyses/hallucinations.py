"""Answers that several judges flag, and what people found in them, by type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolkit.analyses.base import AnalysisInputs, AnalysisTable, check_judges
from toolkit.analyses.hallucination_tables import ANSWERS, COUNTS, TYPES, type_rows
from toolkit.analyses.identity import identity
from toolkit.analyses.item_columns import ItemColumns
from toolkit.analyses.paired_values import PairedValues
from toolkit.analyses.present_columns import present_columns
from toolkit.analyses.typed_items import read_typed
from toolkit.errors import UserError
from toolkit.recipe.clusters import ORIGINAL_ID
from toolkit.statistics.intervals import clustered_wilson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Hallucinations", "HallucinationsParams"]

_COLUMNS: Final = ("level", ORIGINAL_ID)


@dataclass(frozen=True, slots=True, kw_only=True)
class HallucinationsParams:
    """Types of hallucination among flagged answers."""

    judges: tuple[str, ...] = field(metadata={"about": "judges that flag answers"})
    score: str = field(default="hallucination", metadata={"about": "score that flags"})
    at_least: int = field(default=2, metadata={"about": "judges that must flag", "minimum": 1})
    types: tuple[str, ...] = field(metadata={"about": "names of the types"})
    typed: str | None = field(
        default=None,
        metadata={
            "about": "CSV of what people found in flagged answers: item_id, model, prompt, type "
            "and, if wanted, repeat and quote",
            "path": True,
        },
    )


@dataclass(frozen=True, slots=True)
class _Flags:
    """What the judges say of the answers that any of them rated.

    Attributes:
        answers: (n,) their numbers, ascending.
        rated: (n, judges) who rated each.
        flagged: (n, judges) who flags it.
        clusters: (n,) the original item of each.
    """

    answers: NDArray[np.int64]
    rated: NDArray[np.bool_]
    flagged: NDArray[np.bool_]
    clusters: NDArray[np.int64]


class Hallucinations:
    """The flagged answers, how many judges flag how many answers, and the types of items."""

    name: ClassVar[str] = "hallucinations"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = HallucinationsParams

    def __init__(self, params: HallucinationsParams) -> None:
        """Take the parameters.

        Raises:
            UserError: a judge or a type stands twice, or more judges must flag than there are.
        """
        if params.at_least > 1 or len(params.judges) > 1:
            check_judges(self.name, params.judges)
        if params.at_least > len(params.judges):
            raise UserError(
                f"hallucinations.at_least is {params.at_least}, of {len(params.judges)} judges",
                hint="name more judges, or ask for fewer",
            )
        if not params.types or len(set(params.types)) != len(params.types):
            raise UserError(
                f"hallucinations.types is {list(params.types)}", hint="name each type once"
            )
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return the level of an item and the item it was made from, where items are edited."""
        return _COLUMNS

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self)

    def describe(self) -> str:
        """Return which answers are flagged and how the intervals were found, for people."""
        p = self.params
        return (
            f"an answer is flagged where {p.score} is above the middle of its range, in more than "
            f"half of a judge's repeats, for at least {p.at_least} of {', '.join(p.judges)}; 95 % "
            "Wilson intervals (1927) of shares, t intervals of means, over whole original items"
        )

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the tables; that of types has no rows without a file of typed items.

        Held in memory: 16 bytes a value of the judges, and 100 for each answer.

        Raises:
            UserError: a judge does not give the score, or its best value is the highest; the
                typed items are faulty.
        """
        columns = self._checked(inputs)
        values = PairedValues(columns)
        for table in inputs.scores:
            values.add(table)
        tables = present_columns(inputs.items, (), self.name, _COLUMNS)
        items = ItemColumns(tables, _COLUMNS, values.items)
        flags = _flags(values, columns, inputs, items)
        chosen = flags.flagged.sum(axis=1) >= self.params.at_least
        listed = list(self._listed(flags, chosen, values, items))
        method = f"{self.describe()[0].upper()}{self.describe()[1:]}."
        types, notes = self._types(listed, flags.clusters[chosen], inputs)
        titled = [row | {"model": inputs.title(row["model"])} for row in listed]
        p = self.params
        signature = (
            f"{self.name}|version:{self.version}|judges:{'+'.join(p.judges)}|score:{p.score}"
            f"|at_least:{p.at_least}|cluster:original_id"
        )
        n = (f"{len(listed):,} of {len(chosen):,} answers that any judge rated are flagged.",)
        return [
            AnalysisTable(name=name, title=title, columns=columns_, rows=rows, notes=said,
                          signature=signature)
            for name, title, columns_, rows, said in (
                ("hallucinations", "Flagged answers", ANSWERS, titled, (method, *n)),
                ("hallucination_flags", "How many judges flag an answer", COUNTS,
                 list(_counts(flags)), (method, "Shares are of the answers that all rated.")),
                ("hallucination_types", "What flagged answers hold, by type", TYPES, types, notes),
            )
        ]  # fmt: skip

    def _checked(self, inputs: AnalysisInputs) -> list[str]:
        """Return the column of each judge's score."""
        p = self.params
        faults, columns = [], []
        for name in p.judges:
            column = inputs.judges[name].scores.get(p.score)
            if column is None:
                faults.append(f"the judge '{name}' gives no score '{p.score}'")
                continue
            columns.append(column)
            if inputs.definition(column).direction == "higher":
                faults.append(f"'{p.score}' of '{name}' is best when high, so high is no flag")
        if faults:
            raise UserError(
                "hallucinations: " + "; ".join(faults),
                hint="name a score whose high value means that there is a hallucination: "
                "direction: lower, and invert: true where a reply says 1 for none",
            )
        return columns

    def _listed(
        self, flags: _Flags, chosen: NDArray[np.bool_], values: PairedValues, items: ItemColumns
    ) -> Iterator[dict[str, Any]]:
        ids, systems, levels = values.items, values.systems, items.values("level")
        places = values.item_of(flags.answers[chosen]).tolist()
        repeats = values.repeat_of(flags.answers[chosen]).tolist()
        of = values.system_of(flags.answers[chosen]).tolist()
        by = zip(flags.rated[chosen].tolist(), flags.flagged[chosen].tolist(), strict=True)
        for item, system, repeat, (rated, flagged) in zip(places, of, repeats, by, strict=True):
            model, prompt = systems[system]
            yield {
                "item_id": ids[item],
                "model": model,
                "prompt": prompt,
                "repeat": repeat,
                "level": levels[item] or "",
                "flags": sum(flagged),
                "rated": sum(rated),
                "flagged_by": ", ".join(
                    name for name, flag in zip(self.params.judges, flagged, strict=True) if flag
                ),
            }

    def _types(
        self,
        listed: Sequence[dict[str, Any]],
        clusters: NDArray[np.int64],
        inputs: AnalysisInputs,
    ) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
        """Return the lines of the types, and what is to be said of them."""
        p = self.params
        if p.typed is None:
            return [], (
                f"Nobody has typed the {len(listed):,} flagged answers: write a CSV with the "
                "columns item_id, model, prompt and type, one row for each thing that an answer "
                "of the table hallucinations made up, and name the file in the recipe: "
                "hallucinations.typed.",
            )
        flagged = {}
        for at, row in enumerate(listed):
            # The table of flagged answers shows titles, the recipe names.
            for model in (row["model"], inputs.title(row["model"])):
                flagged[row["item_id"], model, row["prompt"], row["repeat"]] = at
        typed = read_typed(Path(p.typed), flagged, p.types)
        empty = len(listed) - len({answer for answer, _ in typed})
        return list(type_rows(typed, p.types, clusters)), (
            f"{self.describe()[0].upper()}{self.describe()[1:]}.",
            f"{len(typed):,} items in {len(listed):,} flagged answers; {empty:,} of these have "
            "none in the file and count as such.",
        )


def _flags(
    values: PairedValues, columns: Sequence[str], inputs: AnalysisInputs, items: ItemColumns
) -> _Flags:
    import numpy as np

    found = []
    for column in columns:
        answers, value = values.column(column)
        known = np.isfinite(value)
        definition = inputs.definition(column)
        middle = (
            (definition.low or 0.0) + (1.0 if definition.high is None else definition.high)
        ) / 2
        found.append((answers[known], value[known] > middle))
    everyone = np.unique(np.concatenate([answers for answers, _ in found]))
    rated = np.zeros((len(everyone), len(columns)), bool)
    flagged = rated.copy()
    for at, (answers, above) in enumerate(found):
        rows = np.searchsorted(everyone, answers)
        rated[rows, at] = True
        flagged[rows, at] = above
    clusters = items.clusters(ORIGINAL_ID)[values.item_of(everyone)]
    return _Flags(everyone, rated, flagged, clusters)


def _counts(flags: _Flags) -> Iterator[dict[str, Any]]:
    count = flags.flagged.sum(axis=1)
    everyone = flags.rated.all(axis=1)
    for number in range(flags.rated.shape[1] + 1):
        mine = count == number
        hits = mine[everyone]
        known = bool(len(hits))
        low, high = (
            clustered_wilson(hits.astype(float), flags.clusters[everyone])
            if known
            else (None, None)
        )
        yield {
            "flags": number,
            "answers": int(mine.sum()),
            "rated_by_all": int(hits.sum()),
            "n": len(hits),
            "share": float(hits.mean()) if known else None,
            "share_low": low,
            "share_high": high,
            "reason": ""
            if low is not None
            else "one item"
            if known
            else "no answer was rated by all",
        }
