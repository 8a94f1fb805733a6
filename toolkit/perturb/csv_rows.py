"""Rows of a CSV or tab-separated file with their lines; what is no row is a fault."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolkit.errors import UserError

__all__ = ["CsvRow", "faulty", "read_csv_rows"]

_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class CsvRow:
    """One row.

    Attributes:
        line: line of the file on which it ends, from 1.
        values: by column, without the white space around; empty where the row is short.
        lost: values that stand after the last column.
    """

    line: int
    values: dict[str, str]
    lost: tuple[str, ...]

    def faults(self) -> Iterator[str]:
        """Yield what is wrong with it as a row."""
        if self.lost:
            shown = ", ".join(map(repr, self.lost[:3]))
            yield f"{shown} stands after the last column; quote a value that holds the divider"


def read_csv_rows(file: Path, what: str, wanted: Sequence[str], hint: str) -> list[CsvRow]:
    """Read a file in UTF-8, whose first line tells whether tabs divide its columns.

    Args:
        file: the file.
        what: what it holds, as in ``the dictionary``.
        wanted: columns that must be there.
        hint: how to name the columns, where one of them lacks.

    Raises:
        UserError: the file cannot be read, is no CSV, or lacks a column.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"{file}: {what} cannot be read: {error}", hint="save it as CSV in UTF-8"
        ) from error
    head = text.split("\n", 1)[0]
    reader = csv.reader(io.StringIO(text), delimiter="\t" if "\t" in head else ",", strict=True)
    names: list[str] = []
    rows: list[CsvRow] = []
    # Where a quote is never closed, the reader fails at the end of the file.
    line = 1
    try:
        names = [name.strip() for name in next(reader, [])]
        line = reader.line_num + 1
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append(_row(reader.line_num, names, [cell.strip() for cell in cells]))
            line = reader.line_num + 1
    except csv.Error as error:
        raise UserError(
            f"{file}:{line}: {what} is no CSV from here on: {error}",
            hint="close every quote, and double the quotes inside a value",
        ) from error
    lacking = [name for name in wanted if name not in names]
    if lacking:
        raise UserError(f"{file}:1: {what} has no column {', '.join(lacking)}", hint=hint)
    return rows


def _row(line: int, names: Sequence[str], cells: Sequence[str]) -> CsvRow:
    padded = [*cells, *[""] * (len(names) - len(cells))]
    values = dict(zip(names, padded, strict=False))
    return CsvRow(line, values, tuple(cell for cell in cells[len(names) :] if cell))


def faulty(faults: Sequence[str], hint: str) -> UserError:
    """Return the error that says the faults of a file, the first twenty in full."""
    more = [f"and {len(faults) - _SHOWN} more"] if len(faults) > _SHOWN else []
    return UserError("\n".join([*faults[:_SHOWN], *more]), hint=hint)
