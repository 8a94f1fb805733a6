"""Bring a table of terms and alternatives in another layout into the columns of a dictionary."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from toolkit.errors import UserError
from toolkit.lexicon.rows import Row, read_rows, require_columns
from toolkit.lexicon.rules import sign_faults
from toolkit.lexicon.table import by_term, key
from toolkit.perturb.dictionary import Dictionary, Entry

__all__ = ["Layout", "import_table"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where another table keeps what a dictionary holds.

    Attributes:
        term: column of the term.
        category: column of the category.
        alternatives: columns of the alternatives; each holds one, several divided by
            ``separator``, or a list such as ``["a", "b"]``.
        separator: what divides alternatives in a cell.
        mutual_opposite: column that says yes for mutual opposites; None for none.
        categories: new name of a category by its name in the table; others stay.
        source: what the entries say as their source.
        approved_by: who approved all of them; empty leaves them for review.
        approved_on: the day, YYYY-MM-DD.
    """

    term: str
    category: str
    alternatives: Sequence[str]
    separator: str = ";"
    mutual_opposite: str | None = None
    categories: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    approved_by: str = ""
    approved_on: str = ""


def import_table(file: Path, layout: Layout) -> Dictionary:
    """Read a table with one row for each term, or one for each term and alternative.

    Rows of the same term and category become one entry, its alternatives in the order of the
    file, each once.

    Raises:
        UserError: the file cannot be read, lacks a column, or rows are wrong; all are named.
    """
    rows = read_rows(file)
    columns = [layout.term, layout.category, *layout.alternatives]
    columns += [layout.mutual_opposite] if layout.mutual_opposite else []
    require_columns(rows, columns, file)
    faults: list[str] = []
    entries: dict[str, Entry] = {}
    lines: dict[str, int] = {}
    for row in rows:
        entry = _entry(row, layout)
        there = entries.get(key(entry.term))
        lines.setdefault(key(entry.term), row.line)
        faults += [f"{file}:{row.line}: {fault}" for fault in _faults(entry, there, lines)]
        if there is not None:
            more = dict.fromkeys((*there.alternatives, *entry.alternatives))
            entry = replace(there, alternatives=tuple(more))
        entries[key(entry.term)] = entry
    if faults:
        raise UserError("\n".join(faults), hint="mend the rows, or name other columns")
    return by_term(entries.values())


def _faults(entry: Entry, there: Entry | None, lines: Mapping[str, int]) -> Iterator[str]:
    if not entry.term:
        yield "no term"
    if not entry.category:
        yield f"{entry.term!r} has no category"
    yield from sign_faults((entry.term, *entry.alternatives))
    if not entry.alternatives:
        yield f"{entry.term!r} has no alternative"
    if there is not None and there.category != entry.category:
        first = lines[key(entry.term)]
        yield f"{entry.term!r} is of {entry.category!r} here, of {there.category!r} in line {first}"


def _entry(row: Row, layout: Layout) -> Entry:
    category = _text(row.values.get(layout.category))
    found = [
        one
        for column in layout.alternatives
        for one in _cell(row.values.get(column), layout.separator)
    ]
    opposite = _text(row.values.get(layout.mutual_opposite or "")).lower()
    return Entry(
        term=_text(row.values.get(layout.term)),
        category=layout.categories.get(category, category),
        alternatives=tuple(dict.fromkeys(found)),
        source=layout.source,
        mutual_opposite=opposite in ("1", "true", "yes", "y", "x"),
        approved=bool(layout.approved_by),
        approved_by=layout.approved_by,
        approved_on=layout.approved_on,
    )


def _cell(value: Any, separator: str) -> list[str]:
    """Return the alternatives of a cell: a list, a list written as text, or divided text."""
    parts: Sequence[Any]
    if isinstance(value, list | tuple):
        parts = value
    else:
        text = _text(value)
        parts = _written_list(text) or text.split(separator)
    return [text for part in parts if (text := _text(part))]


def _written_list(text: str) -> list[Any]:
    if not (text.startswith("[") and text.endswith("]")):
        return []
    try:
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        # Not a list of Python or JSON strings: brackets of the text itself.
        return []
    return list(found) if isinstance(found, list) else []


def _text(value: Any) -> str:
    text = "" if value is None else str(value)
    return " ".join(text.split())
