"""Analyses' tables as rows of text, the same for the page and for Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolkit.analyses.base import AnalysisColumn, AnalysisTable
from toolkit.report.text import count, number, p_value

__all__ = ["TableView", "printed_number", "view_table"]


@dataclass(frozen=True, slots=True)
class TableView:
    """A table ready to be shown.

    Attributes:
        name: for anchors.
        title: for people.
        heads: (heading, is a number) of each column.
        rows: texts, column by column.
        places: 1 for the best and 2 for the second, by (row, column), where lines are ranked.
        notes: sentences below it.
        signature: what the numbers depend on.
    """

    name: str
    title: str
    heads: tuple[tuple[str, bool], ...]
    rows: tuple[tuple[str, ...], ...]
    places: Mapping[tuple[int, int], int]
    notes: tuple[str, ...]
    signature: str


def view_table(table: AnalysisTable) -> TableView:
    """Return a table as texts; an interval joins the number before it, empty columns go.

    Columns ``X_low`` and ``X_high`` belong to the column ``X``, or to the number before them,
    and so does a column ``X_rank``.
    """
    names = {column.name for column in table.columns}
    columns = [c for c in table.columns if not _is_end(c) and not _is_rank(c, names)]
    ends = {column.name for column in table.columns if _is_end(column)}
    shown = [
        column
        for column in columns
        if column.type != "string" or any(row.get(column.name) for row in table.rows)
    ]
    return TableView(
        name=table.name,
        title=table.title,
        heads=tuple((column.about, column.type in ("int64", "double")) for column in shown),
        rows=tuple(tuple(_text(row, column, ends) for column in shown) for row in table.rows),
        places={
            (at, place): row[f"{column.name}_rank"]
            for at, row in enumerate(table.rows)
            for place, column in enumerate(shown)
            if row.get(f"{column.name}_rank") in (1, 2)
        },
        notes=tuple(table.notes),
        signature=table.signature,
    )


def _is_end(column: AnalysisColumn) -> bool:
    return column.name in ("low", "high") or column.name.endswith(("_low", "_high"))


def _is_rank(column: AnalysisColumn, names: set[str]) -> bool:
    return column.name.endswith("_rank") and column.name.removesuffix("_rank") in names


def _text(row: dict[str, Any], column: AnalysisColumn, ends: set[str]) -> str:
    value = row.get(column.name)
    if value is None:
        return "–"
    if column.type == "int64":
        return count(value)
    if column.type != "double":
        return str(value)
    low, high = _interval(row, column.name, ends)
    text = printed_number(value, column)
    if low is None or high is None:
        return text
    return f"{text} [{number(low, column.digits)}, {number(high, column.digits)}]"


def printed_number(value: float, column: AnalysisColumn) -> str:
    """Return a number of a table as text; columns ``p`` and ``p_X`` hold p values."""
    is_p = column.name == "p" or column.name.startswith("p_")
    return (p_value if is_p else number)(value, column.digits)


def _interval(row: dict[str, Any], name: str, ends: set[str]) -> tuple[Any, Any]:
    if f"{name}_low" in ends:
        return row.get(f"{name}_low"), row.get(f"{name}_high")
    if name == "value" and "low" in ends:
        return row.get("low"), row.get("high")
    return None, None
