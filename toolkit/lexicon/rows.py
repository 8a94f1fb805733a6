"""Rows of a small table, each with its line: CSV, tab-separated, JSON lines or Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from toolkit.errors import UserError, suggest
from toolkit.store.parquet import read_parquet

__all__ = ["Row", "read_rows", "require_columns"]

_FORMATS: Final = "CSV, tab-separated, .jsonl or .parquet, in UTF-8"


@dataclass(frozen=True, slots=True)
class Row:
    """One row.

    Attributes:
        line: line of the file on which it begins, from 1; of Parquet the number of the row.
        values: by column; text, and of JSON lines and Parquet lists as well.
    """

    line: int
    values: dict[str, Any]


def read_rows(file: Path) -> list[Row]:
    """Read a table.

    Raises:
        UserError: the file cannot be read, or a line is no row; the message names the line.
    """
    try:
        if file.suffix == ".parquet":
            rows: list[dict[str, Any]] = read_parquet(file).to_pylist()
            return [Row(number, row) for number, row in enumerate(rows, start=1)]
        with file.open(encoding="utf-8-sig", newline="") as stream:
            text = stream.read()
    except (OSError, ValueError) as error:
        raise UserError(f"{file}: {error}", hint=f"give {_FORMATS}") from error
    return list(_objects(text, file) if file.suffix == ".jsonl" else _cells(text, file))


def require_columns(rows: list[Row], columns: list[str], file: Path) -> None:
    """Refuse a table that lacks columns.

    Raises:
        UserError: some are missing; all are named.
    """
    there = list(dict.fromkeys(name for row in rows for name in row.values))
    missing = [name for name in columns if name not in there]
    if missing:
        raise UserError(
            f"{file}: no column is called {', '.join(map(repr, missing))}",
            hint=suggest(missing[0], there) if there else "the file has no rows",
        )


def _objects(text: str, file: Path) -> Iterator[Row]:
    # JSON allows U+2028 and its like inside a string: only a line feed ends a line.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            values = json.loads(line)
        except ValueError as error:
            raise UserError(f"{file}:{number}: not JSON: {error}", hint=_FORMATS) from error
        if not isinstance(values, dict):
            raise UserError(f"{file}:{number}: not a JSON object", hint="one object a line")
        yield Row(number, values)


def _cells(text: str, file: Path) -> Iterator[Row]:
    tab = "\t" in text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="\t" if tab else ",", strict=True)
    line = 1
    try:
        names = next(reader, [])
        twice = sorted({name for name in names if not name or names.count(name) > 1})
        if twice:
            raise UserError(
                f"{file}:1: columns without a name or with the same: {', '.join(map(repr, twice))}",
                hint="give each column a name of its own",
            )
        line = reader.line_num + 1
        for cells in reader:
            begin, line = line, reader.line_num + 1
            if cells and len(cells) != len(names):
                raise UserError(
                    f"{file}:{begin}: {len(cells)} values, but {len(names)} columns",
                    hint="put a value that holds a comma or a line end in quotes",
                )
            if cells:
                yield Row(begin, dict(zip(names, cells, strict=True)))
    except csv.Error as error:
        raise UserError(
            f"{file}:{line}: {error}", hint="close every quote; double the quotes inside a value"
        ) from error
