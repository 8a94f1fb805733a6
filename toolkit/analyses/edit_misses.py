"""How often a judge's list of alterations lacks an edit: by category, by term, by model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable
from toolkit.analyses.cells import Cells
from toolkit.analyses.edit_miss_tables import (
    ALL_CATEGORIES,
    CARRIED,
    EXTRA,
    columns_by,
    miss_figure,
)
from toolkit.analyses.identity import identity
from toolkit.analyses.item_columns import ItemColumns
from toolkit.analyses.listed_alterations import listed_alterations
from toolkit.analyses.missed_edits import Found, Lists, compare_lists, edits_of, share_cells
from toolkit.analyses.present_columns import present_columns
from toolkit.analyses.score_matrix import ScoreMatrices
from toolkit.recipe.clusters import ORIGINAL_ID
from toolkit.recipe.known_names import UNEDITED
from toolkit.statistics.intervals import clustered_wilson

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["EditMisses", "EditMissesParams"]

_CARRIED: Final = "edits_carried"
_COLUMNS: Final = ("level", ORIGINAL_ID)


@dataclass(frozen=True, slots=True, kw_only=True)
class EditMissesParams:
    """Share of edits that the judge's list of alterations lacks."""

    judge: str = field(metadata={"about": "name of a judge"})
    by: tuple[Literal["category", "term"], ...] = field(
        default=("category", "term"), metadata={"about": "grouping", "scalar": True}
    )
    inflections: bool = field(default=True, metadata={"about": "match inflected forms too"})


class EditMisses:
    """Misses by category, term and model; alterations listed that are no edits; edits carried."""

    name: ClassVar[str] = "edit_misses"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = EditMissesParams

    def __init__(self, params: EditMissesParams) -> None:
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return the level of an item, and the item it was made from."""
        return _COLUMNS

    def fingerprint(self) -> dict[str, Any]:
        """Return name, version and parameters as JSON values."""
        return identity(self, "by")

    def describe(self) -> str:
        """Return what counts as a miss and how the intervals were found, for people."""
        forms = "in any inflected form" if self.params.inflections else "in this very form"
        return (
            "a substitution is missed where no line of the judge's list names it, old and new, as "
            f"whole words {forms}; 95 % Wilson intervals (1927) over whole original items, of the "
            "number of independent substitutions that would be as sure (Korn and Graubard 1998)"
        )

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the tables; those of misses have no rows where nothing was substituted.

        Held in memory: the judge's lists, and about 200 bytes for each substitution in an answer.

        Raises:
            UserError: a judged item is not among the items.
        """
        replies = listed_alterations(inputs.judgements, self.params.judge)
        tables = list(present_columns(inputs.items, (), self.name, _COLUMNS))
        ids = sorted({reply.item for reply in replies})
        items = ItemColumns(tables, _COLUMNS, ids)
        about = {
            item: (str(level or UNEDITED), str(original or item))
            for item, level, original in zip(ids, *map(items.values, _COLUMNS), strict=True)
        }
        found, lists = compare_lists(
            replies, edits_of(inputs.edits), about, inflections=self.params.inflections
        )
        notes = self._notes(lists)
        misses = list(self._misses(found, inputs))
        extra = _table("edit_misses_extra", "What the judge's lists hold beside the edits", EXTRA)
        carried = _table("edit_misses_carried", "Edits that the answers themselves carry", CARRIED)
        signature = (
            f"{self.name}|version:{self.version}|judge:{self.params.judge}|ci:wilson|level:0.95"
            f"|cluster:original_id|inflections:{self.params.inflections}"
        )
        rows = list(_carried(inputs, tables))
        return [
            AnalysisTable(**table, signature=signature)
            for table in (
                misses[0] | {"notes": notes},
                *misses[1:],
                extra | {"rows": list(_extra(lists, inputs)), "notes": (_EXTRA_NOTE,)},
                carried | {"rows": rows, "notes": (_CARRIED_NOTE if rows else _NOT_CARRIED,)},
            )
        ]

    def _misses(self, found: Sequence[Found], inputs: AnalysisInputs) -> Iterator[dict[str, Any]]:
        """Yield the tables of misses, the first with the figure."""
        total = {"category": ALL_CATEGORIES}
        kinds = ("category",) if "category" in self.params.by else ()
        overall = [total | _cells(found), *_rows(found, kinds)] if found else []
        by_model = []
        for model in sorted({one.model for one in found}):
            own = [one for one in found if one.model == model]
            head = {"model": inputs.title(model)}
            by_model += [head | row for row in (total | _cells(own), *_rows(own, kinds))]
        terms = "term" in self.params.by
        by_term = list(_rows(found, ("category", "term"))) if terms else []
        yield _table("edit_misses", "Edits that the judge's lists lack", columns_by("category")) | {
            "rows": overall,
            "figures": miss_figure(by_model, by_term),
        }
        if terms:
            columns = columns_by("category", "term")
            yield _table("edit_misses_by_term", "Missed edits by term", columns) | {"rows": by_term}
        columns = columns_by("model", "category")
        yield _table("edit_misses_by_model", "Missed edits by model", columns) | {"rows": by_model}
        if terms:
            columns = columns_by("model", "category", "term")
            rows = [
                row | {"model": inputs.title(row["model"])}
                for row in _rows(found, ("model", "category", "term"))
            ]
            title = "Missed edits by model and term"
            yield _table("edit_misses_by_model_and_term", title, columns) | {"rows": rows}

    def _notes(self, lists: Mapping[tuple[str, str], Lists]) -> tuple[str, ...]:
        read = sum(one.read for one in lists.values())
        unread = sum(one.unread for one in lists.values())
        notes = [
            f"{self.describe()[0].upper()}{self.describe()[1:]}.",
            f"{read:,} of {read + unread:,} replies have a list of alterations that could be read; "
            "the others are left out, their edits count neither as missed nor as found.",
            "Over all prompts and repeats; only substituted terms and sizes count. A judge that "
            "was shown the edits (reveal_edits) may list them without having found them.",
        ]
        if not read:
            notes.append(
                f"No reply of '{self.params.judge}' about an item that was substituted or left "
                "unedited has one: ask it for a list called alterations, of texts 'old -> new'."
            )
        return tuple(notes)


_EXTRA_NOTE: Final = (
    "An alteration is none of the edits where it names no substitution of its item; items edited "
    "by removal are left out. Of unedited items every alteration is."
)
_CARRIED_NOTE: Final = (
    "The metric edit_misses looks at the answer alone, without a judge: the share of an item's "
    "substitutions whose replacement stands in it. It sees no paraphrase, so it is a lower bound."
)
_NOT_CARRIED: Final = "There is no score edits_carried: add the metric edit_misses to have one."


def _table(name: str, title: str, columns: tuple[AnalysisColumn, ...]) -> dict[str, Any]:
    return {"name": name, "title": title, "columns": columns}


def _cells(found: Sequence[Found]) -> dict[str, Any]:
    return share_cells([one.missed for one in found], [one.cluster for one in found])


def _rows(found: Sequence[Found], by: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield a line for each combination of the columns, sorted by them; none for no columns."""
    groups: dict[tuple[str, ...], list[Found]] = {}
    for one in found:
        groups.setdefault(tuple(getattr(one, name) for name in by), []).append(one)
    for key, members in sorted(groups.items()) if by else ():
        yield dict(zip(by, key, strict=True)) | _cells(members)


def _extra(
    lists: Mapping[tuple[str, str], Lists], inputs: AnalysisInputs
) -> Iterator[dict[str, Any]]:
    for (model, level), one in sorted(lists.items()):
        head = {"model": inputs.title(model), "level": level}
        counts = {"read": one.read, "unread": one.unread}
        yield (
            head
            | counts
            | share_cells([none for none, _ in one.extra], [cluster for _, cluster in one.extra])
        )


def _carried(inputs: AnalysisInputs, tables: Sequence[pa.Table]) -> Iterator[dict[str, Any]]:
    """Yield the mean of the metric by model and level; nothing where it was not computed."""
    import numpy as np
    import pyarrow.compute as pc

    mine = (table.filter(pc.equal(table["score"], _CARRIED)) for table in inputs.scores)
    matrices = ScoreMatrices(mine)
    if not matrices.scores():
        return
    matrix = matrices.matrix(_CARRIED)
    items = ItemColumns(tables, _COLUMNS, matrix.items)
    clusters = items.clusters(ORIGINAL_ID)
    cells = Cells(items, inputs).of(matrix, ("model", "level"))
    for (model, level), (places, systems) in cells.items():
        values = matrix.values[np.ix_(places, systems)].ravel()
        known = np.isfinite(values)
        if not known.any():
            # Removed and unedited texts carry nothing that could be looked for.
            continue
        codes = np.repeat(clusters[places], len(systems))[known]
        low, high = clustered_wilson(values[known], codes)
        yield {
            "model": inputs.title(model),
            "level": level,
            "n": int(known.sum()),
            "clusters": len(np.unique(codes)),
            "share": float(values[known].mean()),
            "share_low": low,
            "share_high": high,
            "reason": "" if low is not None else "one cluster",
        }
