"""The dictionary of terms and of what may stand in their place; every fault of a file at once."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolkit.perturb.csv_rows import faulty, read_csv_rows
from toolkit.perturb.measurements import CATEGORY
from toolkit.perturb.term_finder import term_key

__all__ = ["COLUMNS", "Dictionary", "Entry", "dictionary_text", "read_dictionary"]

COLUMNS: Final = (
    "term",
    "category",
    "alternatives",
    "source",
    "mutual_opposite",
    "approved",
    "approved_by",
    "approved_on",
)
"""Columns of the file; the first three must be there."""

_YES: Final = frozenset(("1", "true", "yes", "y", "x"))
_NO: Final = frozenset(("", "0", "false", "no", "n"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One term.

    Attributes:
        term: as it is looked for; case does not matter.
        category: its category.
        alternatives: what may stand in its place, in the order of the file.
        source: where the alternatives come from.
        mutual_opposite: the alternatives are the opposite of the term, and it of them.
        approved: a person approved the entry; a file without the column counts as approved.
        approved_by: who did.
        approved_on: the day, YYYY-MM-DD.
    """

    term: str
    category: str
    alternatives: tuple[str, ...]
    source: str = ""
    mutual_opposite: bool = False
    approved: bool = True
    approved_by: str = ""
    approved_on: str = ""


@dataclass(frozen=True, slots=True)
class Dictionary:
    """The entries by the key of their term, in the order of the file.

    Keys are those of :func:`toolkit.perturb.term_finder.term_key`.
    """

    entries: Mapping[str, Entry]

    def usable(self) -> list[Entry]:
        """Return the approved entries that have an alternative."""
        return [entry for entry in self.entries.values() if entry.approved and entry.alternatives]

    def categories(self) -> dict[str, int]:
        """Return the number of usable terms by category, in the order of the file."""
        counts: dict[str, int] = {}
        for entry in self.usable():
            counts[entry.category] = counts.get(entry.category, 0) + 1
        return counts


def read_dictionary(file: Path) -> Dictionary:
    """Read a dictionary.

    The file is CSV or, by its first line, tab-separated, in UTF-8. Alternatives are separated
    by ``;``. Columns other than :data:`COLUMNS` are left alone.

    Raises:
        UserError: the file cannot be read, is no CSV, lacks a column, has no usable term, or rows
            are wrong; all wrong rows are named with their line.
    """
    rows = read_csv_rows(
        file,
        "the dictionary",
        COLUMNS[:3],
        f"name the columns {', '.join(COLUMNS)}; the first three must be there",
    )
    entries: dict[str, Entry] = {}
    faults: list[str] = []
    for row in rows:
        entry, wrong = _entry(row.values)
        key = term_key(entry.term)
        if key in entries:
            wrong.append(f"the term '{entry.term}' stands there twice")
        faults += [f"{file}:{row.line}: {fault}" for fault in (*row.faults(), *wrong)]
        entries.setdefault(key, entry)
    found = Dictionary(entries)
    if not faults and not found.usable():
        faults.append(f"{file}: no term of it is approved and has an alternative")
    if faults:
        raise faulty(faults, "mend the rows of the dictionary")
    return found


def _entry(row: Mapping[str, str]) -> tuple[Entry, list[str]]:
    alternatives = tuple(part for raw in row["alternatives"].split(";") if (part := raw.strip()))
    entry = Entry(
        term=row["term"],
        category=row["category"],
        alternatives=alternatives,
        source=row.get("source", ""),
        mutual_opposite=row.get("mutual_opposite", "").lower() in _YES,
        approved="approved" not in row or row["approved"].lower() in _YES,
        approved_by=row.get("approved_by", ""),
        approved_on=row.get("approved_on", ""),
    )
    return entry, list(_faults(entry, row))


def _faults(entry: Entry, row: Mapping[str, str]) -> Iterator[str]:
    if not entry.term:
        yield "no term"
    if not entry.category:
        yield f"the term '{entry.term}' has no category"
    if entry.category == CATEGORY:
        yield f"'{CATEGORY}' is the category of sizes, which are found without terms"
    for name in ("approved", "mutual_opposite"):
        if row.get(name, "").lower() not in _YES | _NO:
            yield f"{name} is '{row[name]}'; write yes or no"
    seen: set[str] = set()
    for alternative in entry.alternatives:
        key = term_key(alternative)
        if key == term_key(entry.term):
            yield f"'{entry.term}' is its own alternative"
        if key in seen:
            yield f"the alternative '{alternative}' of '{entry.term}' stands there twice"
        seen.add(key)


def dictionary_text(entries: Dictionary) -> str:
    """Return a dictionary as CSV that :func:`read_dictionary` reads back as it is."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for entry in entries.entries.values():
        writer.writerow(
            (
                entry.term,
                entry.category,
                "; ".join(entry.alternatives),
                entry.source,
                "yes" if entry.mutual_opposite else "no",
                "yes" if entry.approved else "no",
                entry.approved_by,
                entry.approved_on,
            )
        )
    return out.getvalue()
