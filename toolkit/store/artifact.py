"""Read artifacts; every shard's checksum is verified before its rows are used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolkit.errors import StoreError
from toolkit.store.canonical import file_digest
from toolkit.store.manifest import Manifest, Shard, read_manifest

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Artifact", "open_artifact"]


@dataclass(frozen=True, slots=True)
class Artifact:
    """A complete artifact: its folder and its manifest; small, so it travels to workers."""

    folder: Path
    manifest: Manifest

    @property
    def fingerprint(self) -> str:
        """The artifact's fingerprint, 64 hex digits."""
        return self.manifest.fingerprint

    def shards(self, table: str) -> tuple[Shard, ...]:
        """Return the shards of a table in order."""
        return tuple(shard for shard in self.manifest.shards if shard.table == table)

    def path(self, shard: Shard) -> Path:
        """Return the path of a shard after verifying its bytes.

        Raises:
            StoreError: the file is missing or its checksum is wrong.
        """
        path = self.folder / shard.name
        try:
            actual = file_digest(path)
        except OSError as error:
            raise StoreError(
                f"{path}: a file of the artifact '{self.manifest.step}' is missing",
                hint=f"delete the folder {self.folder}; the next run builds it again",
            ) from error
        if actual != shard.sha256:
            raise StoreError(
                f"{path}: the file was changed after it was written (its checksum differs)",
                hint=f"delete the folder {self.folder}; the next run builds it again",
            )
        return path

    def files(self, table: str) -> list[Path]:
        """Return the verified paths of a table's shards in order."""
        return [self.path(shard) for shard in self.shards(table)]

    def batches(
        self, table: str, columns: Sequence[str] | None = None, rows: int = 4096
    ) -> Iterator[pa.RecordBatch]:
        """Read a table batch after batch; memory does not grow with the table.

        Args:
            table: name of the table.
            columns: the columns wanted, in this order; None for all.
            rows: most rows in a batch.
        """
        import pyarrow.parquet as pq

        for shard in self.shards(table):
            with pq.ParquetFile(self.path(shard)) as file:
                yield from file.iter_batches(
                    batch_size=rows, columns=list(columns) if columns is not None else None
                )

    def rows(self, table: str, columns: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
        """Read a table row after row."""
        for batch in self.batches(table, columns):
            yield from batch.to_pylist()

    def read(self, table: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Read a whole table; only for tables that are small by nature.

        Raises:
            KeyError: the artifact has no such table, or it is empty.
        """
        import pyarrow as pa

        batches = list(self.batches(table, columns))
        if not batches:
            raise KeyError(f"{self.manifest.step} has no rows in table {table!r}")
        return pa.Table.from_batches(batches)


def open_artifact(folder: Path) -> Artifact | None:
    """Open an artifact.

    Returns:
        The artifact, or None when it is not complete.

    Raises:
        StoreError: its manifest is damaged or from a newer version.
    """
    manifest = read_manifest(folder)
    return None if manifest is None else Artifact(folder, manifest)
