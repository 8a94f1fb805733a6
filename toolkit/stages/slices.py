"""Cut a table into runs of rows, and read just those rows again in a worker."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolkit.store.artifact import Artifact

__all__ = ["RowReader", "Slice", "picked_rows", "slices"]


@dataclass(frozen=True, slots=True)
class Slice:
    """Rows ``first`` to ``last`` (excluded) of a table over all its shards.

    Attributes:
        key: zero-padded, so that slices sort in the order of the rows.
    """

    key: str
    first: int
    last: int


def slices(artifact: Artifact, table: str, rows: int, limit: int | None = None) -> list[Slice]:
    """Cut a table into slices of at most ``rows`` rows.

    The cut depends on the table alone, never on how many workers there are.

    Args:
        artifact: the artifact.
        table: its table.
        rows: most rows of a slice.
        limit: use only that many rows from the start; None for all.
    """
    total = artifact.manifest.rows(table)
    if limit is not None:
        total = min(total, limit)
    starts = range(0, total, rows)
    return [
        Slice(f"{index:06d}", first, min(first + rows, total)) for index, first in enumerate(starts)
    ]


class RowReader:
    """Reads rows of a table by their number; each shard is verified once."""

    def __init__(self, artifact: Artifact, table: str) -> None:
        self._artifact = artifact
        self._shards = artifact.shards(table)
        self._paths: dict[int, Path] = {}

    def rows(self, part: Slice, columns: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
        """Yield the rows of a slice in order."""
        for index, first, last in self._pieces(part.first, part.last):
            yield from self._read(index, first, last, columns)

    def picked(self, numbers: Sequence[int], columns: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Yield the rows of ascending numbers, in order; each row group is read once."""
        start = at = 0
        for index, shard in enumerate(self._shards):
            end = bisect_left(numbers, start + shard.rows, at)
            if end > at:
                mine = [number - start for number in numbers[at:end]]
                yield from picked_rows(self._path(index), mine, columns)
            start, at = start + shard.rows, end

    def column(self, name: str, numbers: Sequence[int]) -> list[Any]:
        """Return one column's values of rows given by number, in the order given."""
        ordered = sorted(set(numbers))
        rows = self.picked(ordered, [name])
        values = {number: row[name] for number, row in zip(ordered, rows, strict=True)}
        return [values[number] for number in numbers]

    def _pieces(self, first: int, last: int) -> Iterator[tuple[int, int, int]]:
        start = 0
        for index, shard in enumerate(self._shards):
            end = start + shard.rows
            if first < end and last > start:
                yield index, max(first - start, 0), min(last, end) - start
            start = end

    def _read(
        self, index: int, first: int, last: int, columns: Sequence[str] | None
    ) -> Iterator[dict[str, Any]]:
        import pyarrow.parquet as pq

        with pq.ParquetFile(self._path(index)) as file:
            start = 0
            for group in range(file.num_row_groups):
                end = start + file.metadata.row_group(group).num_rows
                if first < end and last > start:
                    table = file.read_row_group(group, columns=list(columns) if columns else None)
                    low, high = max(first - start, 0), min(last, end) - start
                    yield from table.slice(low, high - low).to_pylist()
                start = end

    def _path(self, index: int) -> Path:
        if index not in self._paths:
            self._paths[index] = self._artifact.path(self._shards[index])
        return self._paths[index]


def picked_rows(
    path: Path, numbers: Sequence[int], columns: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield rows of a Parquet file by ascending number; each row group they are in is read once."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        start = at = 0
        for group in range(file.num_row_groups):
            last = start + file.metadata.row_group(group).num_rows
            end = bisect_left(numbers, last, at)
            if end > at:
                table = file.read_row_group(group, columns=list(columns))
                yield from table.take([number - start for number in numbers[at:end]]).to_pylist()
            start, at = last, end
