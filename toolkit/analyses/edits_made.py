"""What was edited: by level, by category, and how evenly the terms of a dictionary were used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolkit.analyses.base import AnalysisColumn, AnalysisInputs, AnalysisTable
from toolkit.analyses.identity import identity
from toolkit.analyses.present_columns import present_columns
from toolkit.figures.base import Bars, Figure, Series

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["EditsMade", "EditsMadeParams"]

_ITEM_COLUMNS: Final = ("level", "edits_asked", "edits_made")

_LEVELS: Final = (
    AnalysisColumn("level", "string", "level", 0),
    AnalysisColumn("n", "int64", "n texts", 0),
    AnalysisColumn("asked", "int64", "edits that the level asks of a text, at most", 0),
    AnalysisColumn("made", "int64", "edits made", 0),
    AnalysisColumn("made_mean", "double", "edits made in a text, mean", 2),
    AnalysisColumn("short", "int64", "texts that offer fewer edits than asked", 0),
)
_CATEGORIES: Final = (
    AnalysisColumn("category", "string", "category", 0),
    AnalysisColumn("terms", "int64", "usable terms of the dictionary", 0),
    AnalysisColumn("offered", "int64", "of them in a text", 0),
    AnalysisColumn("replaced", "int64", "of them replaced", 0),
    AnalysisColumn("edits", "int64", "edits made, removals included", 0),
    AnalysisColumn("most", "int64", "uses of the term used most", 0),
    AnalysisColumn("could", "int64", "terms offered as often as that", 0),
    AnalysisColumn("fewest", "int64", "uses of the one of these used least", 0),
    AnalysisColumn("spread", "int64", "most minus fewest uses among these", 0),
)
_TERMS: Final = (
    AnalysisColumn("category", "string", "category", 0),
    AnalysisColumn("term", "string", "term", 0),
    AnalysisColumn("used", "int64", "texts in which it was replaced", 0),
    AnalysisColumn("offered", "int64", "texts and levels in which it could have been", 0),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EditsMadeParams:
    """Edits by level and category, and how often each term was replaced."""


class EditsMade:
    """Three tables; a figure of the dictionary and of its use."""

    name: ClassVar[str] = "edits_made"
    version: ClassVar[int] = 1
    Params: ClassVar[type] = EditsMadeParams

    def __init__(self, params: EditsMadeParams) -> None:
        self.params = params

    def item_columns(self) -> tuple[str, ...]:
        """Return the columns that say what was edited in an item."""
        return _ITEM_COLUMNS

    def fingerprint(self) -> dict[str, Any]:
        """Return name and version as JSON values."""
        return identity(self)

    def describe(self) -> str:
        """Return what is counted, for people."""
        return "edits counted in the texts that models were asked about; described, not estimated"

    def run(self, inputs: AnalysisInputs) -> list[AnalysisTable]:
        """Return the tables.

        Held in memory: counts by level and term.
        """
        signature = f"{self.name}|version:{self.version}"
        made: dict[str, int] = {}
        for table in inputs.edits:
            for category in table["category"].to_pylist():
                made[category] = made.get(category, 0) + 1
        usage = [row for table in inputs.usage for row in table.to_pylist()]
        categories = _categories(usage, made)
        return [
            AnalysisTable(
                name="edits_made",
                title="What was edited",
                columns=_LEVELS,
                rows=_levels(present_columns(inputs.items, _ITEM_COLUMNS, self.name)),
                notes=(_SHORT,),
                signature=signature,
            ),
            AnalysisTable(
                name="edits_by_category",
                title="Terms and edits by category",
                columns=_CATEGORIES,
                rows=categories,
                notes=(_EVEN,),
                signature=signature,
                figures=tuple(_figures(categories)),
            ),
            AnalysisTable(
                name="term_usage",
                title="How often each term was replaced",
                columns=_TERMS,
                rows=[
                    {name: row[name] for name in ("category", "term", "used", "offered")}
                    for row in sorted(usage, key=lambda row: (row["category"], row["term"]))
                    if row["offered"] or row["used"]
                ],
                notes=("Terms that no text holds are left out.",),
                signature=signature,
            ),
        ]


_SHORT = (
    "A text that offers fewer edits than its level asks for keeps those it has; one that offers "
    "none has no variant at that level and is among the rejects of the step."
)
_EVEN = (
    "Terms used least come first. How even that is can be read among the terms that were offered "
    "at least as often as the one used most: others could not have been used as often."
)


def _levels(tables: Iterable[pa.Table]) -> list[dict[str, Any]]:
    counts: dict[str, list[tuple[int, int]]] = {}
    for table in tables:
        columns = (table[name].to_pylist() for name in _ITEM_COLUMNS)
        for level, asked, made in zip(*columns, strict=True):
            counts.setdefault(level, []).append((asked, made))
    rows = []
    for level, held in sorted(counts.items()):
        asked = max(most for most, _ in held)
        if not asked:
            continue
        made = sum(done for _, done in held)
        rows.append(
            {
                "level": level,
                "n": len(held),
                "asked": asked,
                "made": made,
                "made_mean": made / len(held),
                "short": sum(done < most for most, done in held),
            }
        )
    return rows


def _categories(
    usage: Sequence[Mapping[str, Any]], made: Mapping[str, int]
) -> list[dict[str, Any]]:
    by_category: dict[str, list[Mapping[str, Any]]] = {}
    for row in usage:
        by_category.setdefault(row["category"], []).append(row)
    rows = []
    for category in sorted({*by_category, *made}):
        held = by_category.get(category, [])
        offered = [row for row in held if row["offered"] or row["used"]]
        most = max((row["used"] for row in offered), default=None)
        could = [
            row["used"]
            for row in offered
            if most is not None and (row["offered"] >= most or row["used"] == most)
        ]
        rows.append(
            {
                "category": category,
                "terms": len(held) or None,
                "offered": len(offered) if held else None,
                "replaced": sum(row["used"] > 0 for row in offered) if held else None,
                "edits": made.get(category, 0),
                "most": most,
                "could": len(could) if could else None,
                "fewest": min(could, default=None),
                "spread": None if most is None else most - min(could),
            }
        )
    return rows


def _figures(rows: Sequence[Mapping[str, Any]]) -> list[Figure]:
    held = [row for row in rows if row["terms"]]
    if not held:
        return []
    terms = sum(row["terms"] for row in held)
    return [
        Figure(
            name="edits_by_category",
            title=f"Terms of the dictionary by category (n = {terms:,}), and those replaced",
            alt=f"Bars of the number of terms in {len(held)} categories, all and replaced ones.",
            panels=(
                Bars(
                    labels=tuple(row["category"] for row in held),
                    series=(
                        Series(name="usable", values=tuple(float(row["terms"]) for row in held)),
                        Series(
                            name="replaced", values=tuple(float(row["replaced"]) for row in held)
                        ),
                    ),
                    y="terms",
                    lying=True,
                ),
            ),
        )
    ]
