"""What the table sources share: an id for every row, columns chosen and renamed, plain types."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolkit.corpus.merge import hash_key
from toolkit.corpus.source import PartWriter
from toolkit.errors import SourceError, suggest

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Columns", "Row", "RowWriter", "batch_rows", "plain_type", "table_schema"]


@dataclass(frozen=True, slots=True)
class Columns:
    """Which source columns become which item columns.

    Attributes:
        id: source column that holds the id.
        fields: item column to source column; None for all columns under their own names.
    """

    id: str
    fields: Mapping[str, str] | None = None

    def chosen(self, available: Sequence[str], where: str) -> dict[str, str]:
        """Return item column to source column, the id left out.

        Args:
            available: the source's columns.
            where: the file or data set, for messages.

        Raises:
            SourceError: a named column does not exist, or ``item_id`` would stand twice.
        """
        fields = self.fields
        if fields is None:
            fields = {name: name for name in available if name != self.id}
        wanted = {self.id, *fields.values()}
        missing = sorted(wanted - set(available))
        if missing:
            raise SourceError(
                f"{where}: no column is called {', '.join(map(repr, missing))}",
                hint=suggest(missing[0], sorted(available)),
            )
        if "item_id" in fields and fields["item_id"] != self.id:
            raise SourceError(
                f"{where}: a column is called 'item_id' but the id is taken from '{self.id}'",
                hint="name the column in `id`, or choose the other columns with `fields`",
            )
        return {ours: theirs for ours, theirs in fields.items() if ours != "item_id"}


@dataclass(frozen=True, slots=True)
class Row:
    """One row as read: its id as text or None, its values by item column, its place."""

    item_id: str | None
    values: Mapping[str, Any]
    position: int


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Return the type a column is stored in: integers as int64, floats as double, ...

    Dictionaries and the large and view forms of text become string; all other types stay.
    """
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(kind):
        return plain_type(kind.value_type)
    if types.is_null(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return pa.string()
    if types.is_integer(kind) and kind != pa.uint64():
        return pa.int64()
    if types.is_floating(kind):
        return pa.float64()
    if types.is_list(kind) or types.is_large_list(kind):
        return pa.list_(plain_type(kind.value_type))
    return kind


def table_schema(schemas: Sequence[tuple[str, pa.Schema]], columns: Columns) -> pa.Schema:
    """Return the item schema of files that belong together.

    Args:
        schemas: name and schema of each file; a column that some files lack is null there.
        columns: what to take.

    Raises:
        SourceError: a column has different types, or a named one is nowhere.
    """
    import pyarrow as pa

    available = dict.fromkeys(name for _, schema in schemas for name in schema.names)
    chosen = columns.chosen(list(available), ", ".join(name for name, _ in schemas[:3]))
    pairs = [(ours, _common_type(schemas, theirs)) for ours, theirs in chosen.items()]
    return pa.schema([("item_id", pa.string()), *pairs])


def _common_type(schemas: Sequence[tuple[str, pa.Schema]], column: str) -> pa.DataType:
    import pyarrow as pa

    first_file, first = "", None
    for file, schema in schemas:
        if column not in schema.names or pa.types.is_null(schema.field(column).type):
            continue
        kind = plain_type(schema.field(column).type)
        if first is not None and kind != first:
            raise SourceError(
                f"column '{column}' is {first} in {first_file} and {kind} in {file}",
                hint="make the types agree, or leave the column out with `fields`",
            )
        first_file, first = (first_file, first) if first is not None else (file, kind)
    return pa.string() if first is None else first


def batch_rows(
    batch: pa.RecordBatch,
    id_column: str,
    fields: Mapping[str, str],
    schema: pa.Schema,
    start: int,
) -> list[Row]:
    """Take the rows of a batch.

    Args:
        batch: some or all of the source's columns; absent ones are null.
        id_column: the column that holds the id.
        fields: item column to source column, where the names differ.
        schema: the item schema.
        start: position of the batch's first row in its part.
    """
    names = set(batch.schema.names)
    ids = batch[id_column].to_pylist() if id_column in names else [None] * batch.num_rows
    columns = {}
    for ours in schema.names[1:]:
        theirs = fields.get(ours, ours)
        columns[ours] = batch[theirs].to_pylist() if theirs in names else [None] * batch.num_rows
    return [
        Row(
            None if identity is None else str(identity),
            {name: values[index] for name, values in columns.items()},
            start + index,
        )
        for index, identity in enumerate(ids)
    ]


class RowWriter:
    """Checks rows one by one and writes the good ones as items, the others as rejects."""

    def __init__(self, writer: PartWriter, schema: pa.Schema, file: str, *, stop: bool) -> None:
        self._writer = writer
        self._schema = schema
        self._file = file
        self._stop = stop

    def write(self, rows: Sequence[Row]) -> None:
        """Write rows in order.

        Raises:
            SourceError: a row is bad and the source says to stop.
        """
        import pyarrow as pa

        good: list[Row] = []
        for row in rows:
            reason, detail = _fault(row)
            if reason:
                known = row.item_id if row.item_id and _encodable(row.item_id) else None
                self.reject(known, reason, detail, row.position)
            else:
                good.append(row)
        if not good:
            return
        start = self._writer.rows
        data = [{"item_id": row.item_id, **row.values} for row in good]
        self._writer.items(pa.RecordBatch.from_pylist(data, schema=self._schema))
        self._writer.keys(
            {
                "key": [hash_key(row.item_id or "") for row in good],
                "row": range(start, start + len(good)),
                "position": [row.position for row in good],
            }
        )

    def reject(self, item_id: str | None, reason: str, detail: str, position: int) -> None:
        """Write one reject.

        Raises:
            SourceError: the source says to stop at the first bad row.
        """
        if self._stop:
            raise SourceError(
                f"{self._file}:{position + 1}: {reason.replace('_', ' ')}: {detail}",
                hint="correct the row, or set `on_bad_row: reject` to go on without it",
            )
        row = {"item_id": item_id, "reason": reason, "detail": detail, "position": position}
        self._writer.rejects([{**row, "source_file": self._file}])


def _fault(row: Row) -> tuple[str, str]:
    if row.item_id is None or not row.item_id.strip():
        return "missing_id", "the id is empty or absent"
    for name, value in row.values.items():
        if isinstance(value, float) and not math.isfinite(value):
            return "not_finite", f"'{name}' is {value}"
        if isinstance(value, str) and not _encodable(value):
            return "bad_text", f"'{name}' holds half of a surrogate pair"
    return ("", "") if _encodable(row.item_id) else ("bad_text", "the id holds half a character")


def _encodable(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
