"""Read the Parquet shards of one table as row batches, only the columns asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "BATCH_ROWS",
    "CannotEvaluate",
    "Rows",
    "Shards",
    "is_nested",
    "key_text",
    "shard_labels",
]

BATCH_ROWS: Final = 20_000
"""Rows held at once: about 100 MB of abstracts as Python strings."""


class CannotEvaluate(Exception):
    """An expectation, or the whole table, cannot be evaluated; the text says why."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Some consecutive rows: the shard's index, the first row's position in it, the values."""

    shard: int
    start: int
    batch: pa.RecordBatch


class Shards:
    """The shards of one table, in the order of their file names.

    Attributes:
        paths: the shard files, sorted by name.
        labels: what each shard is called in the rejects.
        schema: the Arrow schema that all of them share.
        rows: rows of all shards.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        """Open the shards.

        Raises:
            CannotEvaluate: a shard is missing or damaged, or has other columns than the first.
        """
        self.paths = sorted(paths, key=lambda path: (path.name, path.parent.name))
        self.labels = shard_labels(self.paths)
        schemas = []
        self.rows = 0
        for path in self.paths:
            with _readable(path) as file:
                schemas.append(file.schema_arrow.remove_metadata())
                self.rows += file.metadata.num_rows
        if not schemas:
            raise CannotEvaluate("the table has no shard")
        self.schema = schemas[0]
        for label, schema in zip(self.labels, schemas, strict=True):
            if not schema.equals(self.schema):
                raise CannotEvaluate(
                    f"shard {label} has other columns than {self.labels[0]}: "
                    f"{_difference(schema, self.schema)}"
                )

    def batches(self, columns: Sequence[str]) -> Iterator[Rows]:
        """Yield all rows with the given columns, shard after shard.

        Raises:
            CannotEvaluate: a shard is damaged.
        """
        wanted = list(dict.fromkeys(columns))
        for index, path in enumerate(self.paths):
            start = 0
            with _readable(path) as file:
                for batch in file.iter_batches(batch_size=BATCH_ROWS, columns=wanted):
                    yield Rows(index, start, batch)
                    start += batch.num_rows


def shard_labels(paths: Sequence[Path]) -> list[str]:
    """Name each shard: by its file name, with its folder before it where two share that name."""
    shared = {name for name, count in Counter(path.name for path in paths).items() if count > 1}
    return [
        f"{path.parent.name}/{path.name}" if path.name in shared else path.name for path in paths
    ]


def is_nested(type_: pa.DataType) -> bool:
    """Say whether a value of this type is a list, a struct or a map."""
    import pyarrow as pa

    return bool(pa.types.is_nested(type_))


def key_text(batch: pa.RecordBatch, columns: Sequence[str]) -> pa.Array:
    """Write the key columns of each row as one text; different keys give different texts.

    Returns:
        An Arrow string array; null where every key column is null.

    Raises:
        CannotEvaluate: a column's values cannot be written as text.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    parts, present = [], None
    for name in columns:
        column = batch.column(name)
        if is_nested(column.type):
            raise CannotEvaluate(f"column '{name}' holds lists, which cannot be a key")
        text = column.cast(pa.string())
        present = text.is_valid() if present is None else pc.or_(present, text.is_valid())
        if len(columns) > 1:
            text = pc.replace_substring(text, "\\", "\\\\")
            text = pc.replace_substring(text, "|", "\\|").fill_null("\\0")
        parts.append(text)
    if len(parts) == 1:
        return parts[0]
    joined = pc.binary_join_element_wise(*parts, "|")
    return pc.if_else(present, joined, pa.scalar(None, pa.string()))


@contextmanager
def _readable(path: Path) -> Iterator[pa.parquet.ParquetFile]:
    """Open one Parquet file; whatever is wrong with it is said with its name."""
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            yield file
    except (OSError, ValueError) as error:
        raise CannotEvaluate(f"shard {path.name} cannot be read: {error}") from error


def _difference(schema: pa.Schema, first: pa.Schema) -> str:
    ours, theirs = (
        {f"{field.name}: {field.type}" for field in columns} for columns in (schema, first)
    )
    return ", ".join(sorted(ours ^ theirs)) or "the same columns in another order"
