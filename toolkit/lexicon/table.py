"""A dictionary with the line of each entry, whether or not anybody has approved it yet.

:func:`toolkit.perturb.dictionary.read_dictionary` reads what edits use and refuses a file without
an approved term; a file for review has none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolkit.lexicon.rows import read_rows, require_columns
from toolkit.perturb.dictionary import COLUMNS, Dictionary, Entry

__all__ = ["Placed", "by_term", "key", "shipped_dictionary", "table"]

_YES: Final = frozenset(("1", "true", "yes", "y", "x"))


@dataclass(frozen=True, slots=True)
class Placed:
    """An entry and the line on which it stands."""

    line: int
    entry: Entry


def key(term: str) -> str:
    """Return a term in the form in which terms are compared: small letters, single spaces."""
    return " ".join(term.lower().split())


def shipped_dictionary() -> Path:
    """Return the starter dictionary that comes with the package."""
    from toolkit.data import data_dir

    return data_dir("recipes") / "radiology" / "dictionary.csv"


def table(file: Path) -> list[Placed]:
    """Read a dictionary; rows are taken as they are.

    Raises:
        UserError: the file cannot be read, or lacks the columns term, category, alternatives.
    """
    rows = read_rows(file)
    require_columns(rows, list(COLUMNS[:3]), file)
    return [
        Placed(row.line, _entry({k: str(v or "") for k, v in row.values.items()})) for row in rows
    ]


def _entry(row: dict[str, str]) -> Entry:
    return Entry(
        term=" ".join(row["term"].split()),
        category=" ".join(row["category"].split()),
        alternatives=tuple(
            part for raw in row["alternatives"].split(";") if (part := " ".join(raw.split()))
        ),
        source=row.get("source", "").strip(),
        mutual_opposite=row.get("mutual_opposite", "").strip().lower() in _YES,
        approved="approved" not in row or row["approved"].strip().lower() in _YES,
        approved_by=row.get("approved_by", "").strip(),
        approved_on=row.get("approved_on", "").strip(),
    )


def by_term(entries: Iterable[Entry]) -> Dictionary:
    """Return entries by term; of a term that stands there twice, the first."""
    found: dict[str, Entry] = {}
    for entry in entries:
        found.setdefault(key(entry.term), entry)
    return Dictionary(found)
