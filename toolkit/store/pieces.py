"""Pieces: the unit of work of a worker, done exactly once however often it is tried.

A task of the executor means "make sure piece k exists". A piece is a few Parquet files and a
note, ``pieces/<key>.json``, that is written after them with their checksums and its own. A
piece whose note and bytes agree is never computed again; any other is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolkit.store.atomic import replacing, write_json
from toolkit.store.canonical import canonical_json, digest, file_digest
from toolkit.store.manifest import Shard

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Piece", "PieceWriter", "all_shards", "ensure_piece", "find_piece"]

ROW_GROUP = 1000


@dataclass(frozen=True, slots=True)
class Piece:
    """A finished piece: its files and what was noted while making them (as JSON)."""

    key: str
    shards: tuple[Shard, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)


class PieceWriter:
    """Collects the files of one piece; an empty table leaves no file."""

    def __init__(self, folder: Path, key: str) -> None:
        self._folder = folder
        self._key = key
        self.shards: list[Shard] = []

    def table(self, name: str, rows: pa.Table) -> None:
        """Write a table that is at hand."""
        self.batches(name, rows.schema, rows.to_batches(max_chunksize=ROW_GROUP))

    def batches(self, name: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
        """Write a table batch after batch in bounded memory."""
        self.keyed(name, self._key, schema, batches)

    def keyed(
        self, name: str, key: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch]
    ) -> None:
        """Write one of several files of a table, told apart by ``key``."""
        import pyarrow.parquet as pq

        path = self._folder / f"{name}-{key}.parquet"
        count = 0
        with (
            replacing(path) as temporary,
            pq.ParquetWriter(temporary, schema, compression="zstd") as writer,
        ):
            for batch in batches:
                count += batch.num_rows
                if batch.num_rows:
                    writer.write_batch(batch, row_group_size=ROW_GROUP)
            # Closed before the rename: the footer is part of the file.
            writer.close()
        if count == 0:
            path.unlink()
            return
        self.shards.append(_shard(path, name, count, self._folder))

    def text(self, name: str, text: str, suffix: str) -> None:
        """Write a text file."""
        self.binary(name, text.encode("utf-8"), suffix)

    def binary(self, name: str, data: bytes, suffix: str) -> None:
        """Write a file of bytes."""
        path = self._folder / f"{name}-{self._key}{suffix}"
        with replacing(path) as temporary:
            temporary.write_bytes(data)
        self.shards.append(_shard(path, name, 0, self._folder))

    def adopt(self, table: str, path: Path, rows: int = 0) -> None:
        """Count in a file that was written into the folder under its final name."""
        self.shards.append(_shard(path, table, rows, self._folder))


def ensure_piece(folder: Path, key: str, make: Callable[[PieceWriter], Mapping[str, Any]]) -> Piece:
    """Return the piece ``key``, making it when it is not there or not whole.

    Args:
        folder: folder of the artifact.
        key: zero-padded, so that names sort in the order of the pieces.
        make: writes the piece's tables and returns its facts; called at most once.
    """
    piece = find_piece(folder, key)
    if piece is not None:
        return piece
    writer = PieceWriter(folder, key)
    facts = make(writer)
    shards = tuple(writer.shards)
    # As a later run will read them, so that a resumed run sees the same facts.
    data = json.loads(canonical_json(asdict(Piece(key, shards, facts))))
    write_json(_note(folder, key), {**data, "sha256": digest(data)})
    return Piece(key, shards, data["facts"])


def find_piece(folder: Path, key: str) -> Piece | None:
    """Return the piece ``key`` if its note and its bytes agree, else None."""
    try:
        data = json.loads(_note(folder, key).read_text(encoding="utf-8"))
        if data.pop("sha256") != digest(data):
            return None
        shards = tuple(Shard(**shard) for shard in data["shards"])
        whole = all(file_digest(folder / shard.name) == shard.sha256 for shard in shards)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return Piece(key, shards, data["facts"]) if whole else None


def all_shards(pieces: Sequence[Piece]) -> tuple[Shard, ...]:
    """Return the shards of all pieces, by table and then in the order of the pieces."""
    shards = [shard for piece in pieces for shard in piece.shards]
    return tuple(sorted(shards, key=lambda shard: (shard.table, shard.name)))


def _note(folder: Path, key: str) -> Path:
    return folder / "pieces" / f"{key}.json"


def _shard(path: Path, table: str, rows: int, folder: Path) -> Shard:
    name = path.relative_to(folder).as_posix()
    return Shard(name, table, rows, path.stat().st_size, file_digest(path))
