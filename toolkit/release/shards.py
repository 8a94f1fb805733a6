"""Write one shard of a split: chosen columns, fixed types, bounded memory, equal bytes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolkit.gate.levels import WITHHELD
from toolkit.release.columns import ReleaseColumn, release_schema
from toolkit.release.content import ColumnDigests
from toolkit.release.withheld import Withhold, reasons_of, without_texts
from toolkit.store.artifact import Artifact
from toolkit.store.atomic import replacing
from toolkit.store.canonical import canonical_json, text_digest
from toolkit.store.pieces import Piece, PieceWriter, ensure_piece

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

__all__ = [
    "GROUP_ROWS",
    "SHARD_BYTES",
    "SHARD_ROWS",
    "ShardTask",
    "cut",
    "shard_name",
    "write_shard",
]

SHARD_ROWS: Final = 100_000
"""Most rows of a shard."""

SHARD_BYTES: Final = 160_000_000
"""Compressed bytes of the items aimed at in a shard: skew leaves it under 200 MB or so."""

GROUP_ROWS: Final = 5_000
"""Most rows of a row group; the Hub's viewer reads whole row groups."""

GROUP_BYTES: Final = 64 << 20
"""Arrow bytes after which a row group is closed early; the viewer's limit is 286 MiB."""

_READ_ROWS: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardTask:
    """One shard to be written.

    Attributes:
        name: its name in the repository, e.g. ``default/train-00000-of-00002.parquet``.
        key: key of its piece.
        split: the split it belongs to.
        folder: folder of the release.
        items: the artifact that holds the items.
        table: its table.
        first: number of the first row.
        last: number of the row after the last.
        columns: the released columns.
        withhold: which rows lose texts.
    """

    name: str
    key: str
    split: str
    folder: Path
    items: Artifact
    table: str
    first: int
    last: int
    columns: tuple[ReleaseColumn, ...]
    withhold: Withhold


def cut(rows: int, size: int, *, most: int = SHARD_ROWS) -> list[tuple[int, int]]:
    """Cut a split into shards of nearly equal numbers of rows.

    Args:
        rows: rows of the split.
        size: bytes of its items, as they lie in the workspace.
        most: most rows of a shard.

    Returns:
        First row and row after the last of each shard; none is empty. They depend on the two
        numbers alone.
    """
    if rows == 0:
        return []
    count = min(rows, max(-(-rows // most), -(-size // SHARD_BYTES), 1))
    edges = [index * rows // count for index in range(count + 1)]
    return list(pairwise(edges))


def shard_name(config: str, split: str, index: int, count: int) -> str:
    """Return the name of a shard; sorted names are in the order of the rows."""
    return f"{config}/{split}-{index:05d}-of-{count:05d}.parquet"


def write_shard(task: ShardTask) -> Piece:
    """Write a shard unless it is there already.

    Returns:
        The piece; its facts are ``num_bytes`` (Arrow bytes), ``digests`` (a sha256 for each
        column over the values as they are in the items, those left out as null) and
        ``withheld`` (rows whose texts are left out).

    Raises:
        StoreError: the items were damaged.
    """
    return ensure_piece(task.folder, task.key, lambda writer: _write(task, writer))


def _write(task: ShardTask, writer: PieceWriter) -> Mapping[str, Any]:
    import pyarrow.parquet as pq

    schema = release_schema(task.columns)
    digests = ColumnDigests(schema.names)
    size = withheld = 0
    path = task.folder / task.name
    with (
        replacing(path) as temporary,
        pq.ParquetWriter(temporary, schema, compression="zstd", version="2.6") as file,
    ):
        for group in _groups(_batches(task, digests)):
            size += group.nbytes
            if WITHHELD in group.column_names:
                withheld += group.num_rows - group[WITHHELD].null_count
            file.write_table(group, row_group_size=group.num_rows)
        # Closed before the rename: the footer is part of the file.
        file.close()
    writer.adopt("release", path, digests.rows)
    return {"num_bytes": size, "digests": digests.result(), "withheld": withheld}


def _batches(task: ShardTask, digests: ColumnDigests) -> Iterator[pa.Table]:
    """Yield the released columns; what was read is digested before any type is changed."""
    schema = release_schema(task.columns)
    whole = any(column.how == "row" for column in task.columns)
    sources = dict.fromkeys(column.source for column in task.columns if column.source)
    wanted = None if whole else list(sources)
    for batch in _rows(task, wanted):
        table = _released(batch, task)
        digests.update(table)
        yield table.cast(schema)


def _released(batch: pa.RecordBatch, task: ShardTask) -> pa.Table:
    import pyarrow as pa

    reasons = reasons_of(batch, task.withhold)
    arrays = []
    for column in task.columns:
        if column.how == "copy":
            arrays.append(batch.column(column.source))
        elif column.how == "sha256":
            texts = batch.column(column.source).to_pylist()
            hashes = [None if text is None else text_digest(text) for text in texts]
            arrays.append(pa.array(hashes, pa.string()))
        elif column.how == "withheld":
            arrays.append(pa.array(reasons, pa.string()))
        else:
            hashes = [_row_digest(row, column.source) for row in batch.to_pylist()]
            arrays.append(pa.array(hashes, pa.string()))
    table = pa.Table.from_arrays(arrays, names=[column.name for column in task.columns])
    return without_texts(table, reasons, task.withhold)


def _row_digest(row: Mapping[str, Any], without: str) -> str:
    plain = {name: _plain(value) for name, value in row.items() if name != without}
    return text_digest(canonical_json(plain))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, bytes):
        return value.hex()
    if value is None or isinstance(value, str | int) or _finite(value):
        return value
    return str(value)


def _finite(value: Any) -> bool:
    # JSON has no NaN and no infinity; deep inside a list the sources let them pass.
    return isinstance(value, float) and math.isfinite(value)


def _groups(batches: Iterator[pa.Table]) -> Iterator[pa.Table]:
    import pyarrow as pa

    waiting: list[pa.Table] = []
    rows = size = 0
    for batch in batches:
        start = 0
        while start < batch.num_rows:
            part = batch.slice(start, GROUP_ROWS - rows)
            waiting.append(part)
            start += part.num_rows
            rows += part.num_rows
            size += part.nbytes
            if rows == GROUP_ROWS or size >= GROUP_BYTES:
                yield pa.concat_tables(waiting).combine_chunks()
                waiting, rows, size = [], 0, 0
    if waiting:
        yield pa.concat_tables(waiting).combine_chunks()


def _rows(task: ShardTask, columns: list[str] | None) -> Iterator[pa.RecordBatch]:
    """Yield rows ``first`` to ``last`` of the table; only the shards they lie in are opened."""
    import pyarrow.parquet as pq

    start = 0
    for shard in task.items.shards(task.table):
        end = start + shard.rows
        if task.first < end and task.last > start:
            with pq.ParquetFile(task.items.path(shard)) as file:
                yield from _slice(file, task.first - start, task.last - start, columns)
        start = end


def _slice(
    file: pq.ParquetFile, first: int, last: int, columns: list[str] | None
) -> Iterator[pa.RecordBatch]:
    start = 0
    for group in range(file.num_row_groups):
        rows = file.metadata.row_group(group).num_rows
        if first < start + rows and last > start:
            at = start
            for batch in file.iter_batches(_READ_ROWS, row_groups=[group], columns=columns):
                low, high = max(first - at, 0), min(last - at, batch.num_rows)
                if low < high:
                    yield batch.slice(low, high - low)
                at += batch.num_rows
        start += rows
