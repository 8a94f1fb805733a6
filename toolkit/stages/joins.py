"""Add the columns of a user's second table to the items, by a shared key."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

from toolkit.errors import SourceError
from toolkit.recipe.sections import Join
from toolkit.records import JOURNAL, arrow_type
from toolkit.store.parquet import read_parquet

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["JoinTable", "is_articles", "joined_schema", "load_joins", "without_journals"]

_Record = tuple[str, dict[str, Any]]
"""Where a row stands, and its values by column."""

_ONE_ROW: Final = "keep one row for each key"
_OBJECTS: Final = "one JSON object a line"


@dataclass(frozen=True, slots=True)
class JoinTable:
    """A small table in memory: rows by key.

    Attributes:
        name: name of the file.
        on: the key column.
        columns: names of the columns it adds; their values are text.
        rows: values by key, in the order of ``columns``.
    """

    name: str
    on: str
    columns: tuple[str, ...]
    rows: dict[str, tuple[str | None, ...]]

    def add(self, table: pa.Table) -> tuple[pa.Table, int]:
        """Return the items with this table's columns, and how many items found no row.

        Raises:
            SourceError: the items lack the key column.
        """
        import pyarrow as pa

        if self.on not in table.column_names:
            raise SourceError(
                f"{self.name}: the items have no column '{self.on}' to join on",
                hint=f"their columns: {', '.join(table.column_names)}",
            )
        keys = [None if key is None else str(key) for key in table[self.on].to_pylist()]
        blank = (None,) * len(self.columns)
        found = [self.rows.get(key, blank) if key is not None else blank for key in keys]
        for index, column in enumerate(self.columns):
            values = pa.array([row[index] for row in found], pa.string())
            table = table.append_column(column, values)
        return table, sum(key is None or key not in self.rows for key in keys)


def load_joins(joins: Sequence[Join]) -> tuple[JoinTable, ...]:
    """Read the tables that a recipe joins.

    Raises:
        SourceError: a file cannot be read, lacks its key, or repeats a key; a line is damaged.
            The message names the line.
    """
    return tuple(_load(Path(join.file), join.on) for join in joins)


def is_articles(schema: pa.Schema) -> bool:
    """Return whether items are PubMed articles, which always have the journal columns."""
    return {"nlm_unique_id", "issn_linking"} <= set(schema.names)


def without_journals(table: pa.Table) -> pa.Table:
    """Return articles with empty journal columns: no journal table was given."""
    import pyarrow as pa

    for column in JOURNAL:
        if column.name not in table.column_names:
            nulls = pa.nulls(table.num_rows, arrow_type(column.type))
            table = table.append_column(column.name, nulls)
    return table


def joined_schema(items: pa.Schema, journals: bool, joins: Sequence[JoinTable]) -> pa.Schema:
    """Return the schema of the items once everything is joined.

    Raises:
        SourceError: a joined column has the name of one that is there already.
    """
    import pyarrow as pa

    schema = items
    if journals or is_articles(items):
        for column in JOURNAL:
            position = schema.get_field_index(column.name)
            schema = schema.remove(position) if position >= 0 else schema
        for column in JOURNAL:
            schema = schema.append(pa.field(column.name, arrow_type(column.type)))
    for join in joins:
        for name in join.columns:
            if name in schema.names:
                raise SourceError(
                    f"{join.name}: the items have a column '{name}' already",
                    hint="rename the column in the joined file",
                )
            schema = schema.append(pa.field(name, pa.string()))
    return schema


def _load(file: Path, on: str) -> JoinTable:
    records = _records(file)
    columns = tuple(dict.fromkeys(name for _, record in records for name in record if name != on))
    if not any(on in record for _, record in records):
        raise SourceError(
            f"{file}: no rows with a column '{on}'", hint="name the key column in corpus.join.on"
        )
    rows: dict[str, tuple[str | None, ...]] = {}
    for where, record in records:
        if record.get(on) is None:
            raise SourceError(f"{where}: the key '{on}' is missing", hint=_ONE_ROW)
        key = str(record[on])
        if key in rows:
            raise SourceError(f"{where}: the key '{key}' is repeated", hint=_ONE_ROW)
        rows[key] = tuple(
            None if record.get(name) is None else str(record[name]) for name in columns
        )
    return JoinTable(file.name, on, columns, rows)


def _records(file: Path) -> list[_Record]:
    try:
        if file.suffix == ".parquet":
            rows: list[dict[str, Any]] = read_parquet(file).to_pylist()
            return [(f"{file}: row {number}", row) for number, row in enumerate(rows, start=1)]
        # A record of CSV may hold line ends of any kind; newline="" leaves them as they are.
        with file.open(encoding="utf-8-sig", newline="") as handle:
            return list(_jsonl(handle, file) if file.suffix == ".jsonl" else _csv(handle, file))
    except (OSError, ValueError) as error:
        raise SourceError(f"{file}: {error}", hint="CSV, JSONL or Parquet, in UTF-8") from error


def _jsonl(handle: TextIO, file: Path) -> Iterator[_Record]:
    # JSON allows U+2028 and its like inside a string: only a line feed ends a line.
    for number, line in enumerate(handle.read().split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            raise SourceError(f"{file}:{number}: not JSON: {error}", hint=_OBJECTS) from error
        if not isinstance(record, dict):
            raise SourceError(f"{file}:{number}: not a JSON object", hint=_OBJECTS)
        yield f"{file}:{number}", record


def _csv(handle: TextIO, file: Path) -> Iterator[_Record]:
    # Not DictReader: it does not tell on which line a record begins.
    reader = csv.reader(handle, strict=True)
    line = 1
    try:
        names = next(reader, [])
        _check_header(names, file)
        line = reader.line_num + 1
        for row in reader:
            where, line = f"{file}:{line}", reader.line_num + 1
            if row and len(row) != len(names):
                raise SourceError(
                    f"{where}: {len(row)} values, but the header names {len(names)} columns",
                    hint="put a value that holds a comma or a line end in quotes",
                )
            if row:
                yield where, dict(zip(names, row, strict=True))
    except csv.Error as error:
        raise SourceError(
            f"{file}:{line}: {error}", hint="close every quote; double the quotes inside a value"
        ) from error


def _check_header(names: Sequence[str], file: Path) -> None:
    for name in names:
        if not name or names.count(name) > 1:
            reason = f"two columns are called '{name}'" if name else "a column has no name"
            raise SourceError(f"{file}:1: {reason}", hint="give each column a name of its own")
