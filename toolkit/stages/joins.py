"""Add the columns of a user's second table to the items, by a shared key."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolkit.errors import SourceError
from toolkit.recipe.sections import Join
from toolkit.records import JOURNAL, arrow_type

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["JoinTable", "is_articles", "joined_schema", "load_joins", "without_journals"]


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
        SourceError: a file cannot be read, lacks its key, or repeats a key.
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
    if not records or on not in records[0]:
        raise SourceError(
            f"{file}: no rows with a column '{on}'", hint="name the key column in corpus.join.on"
        )
    columns = tuple(name for name in records[0] if name != on)
    rows: dict[str, tuple[str | None, ...]] = {}
    for number, record in enumerate(records, start=1):
        key = str(record[on])
        if key in rows:
            raise SourceError(
                f"{file}: row {number} repeats the key '{key}'", hint="keep one row for each key"
            )
        rows[key] = tuple(
            None if record.get(name) is None else str(record[name]) for name in columns
        )
    return JoinTable(file.name, on, columns, rows)


def _records(file: Path) -> list[dict[str, Any]]:
    try:
        if file.suffix == ".parquet":
            import pyarrow.parquet as pq

            rows: list[dict[str, Any]] = pq.read_table(file).to_pylist()
            return rows
        text = file.read_text(encoding="utf-8-sig")
        if file.suffix == ".jsonl":
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        return list(csv.DictReader(text.splitlines()))
    except (OSError, ValueError) as error:
        raise SourceError(f"{file}: {error}", hint="CSV, JSONL or Parquet, in UTF-8") from error
