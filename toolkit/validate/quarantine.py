"""Leave out the rows that broke a suite, from the rejects file of a validation."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["failing_row_ids", "passing_batches"]


def failing_row_ids(rejects: Path, reasons: Collection[str]) -> tuple[str | None, ...]:
    """Return the ids of the rows that broke one of ``reasons``, each row once.

    Args:
        rejects: a file that :meth:`toolkit.validate.Validator.validate` wrote.
        reasons: ids of expectations, e.g. ``result.critical_failures()``.

    Returns:
        Ids in the order of the shards; null ids are None.
    """
    ids: dict[tuple[str, int], str | None] = {}
    for row in _rejected(rejects, reasons):
        ids[row["source_file"], row["position"]] = row["item_id"]
    return tuple(ids[place] for place in sorted(ids))


def passing_batches(
    shard: Path, rejects: Path, reasons: Collection[str]
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a shard that broke none of ``reasons``, in their order.

    Rows are told apart by their position, so rows without an id, or with the same one, are
    left out rightly.

    Args:
        shard: a shard that was validated.
        rejects: the rejects file of that validation.
        reasons: ids of expectations, e.g. ``result.critical_failures()``.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    # The second is used where shards of several folders share a name, and only there.
    labels = (shard.name, f"{shard.parent.name}/{shard.name}")
    failing = {
        row["position"] for row in _rejected(rejects, reasons) if row["source_file"] in labels
    }
    start = 0
    with pq.ParquetFile(shard) as file:
        for batch in file.iter_batches(batch_size=10_000):
            positions = np.arange(start, start + batch.num_rows)
            keep = ~np.isin(positions, np.fromiter(failing, dtype=np.int64))
            yield batch.filter(pa.array(keep))
            start += batch.num_rows


def _rejected(rejects: Path, reasons: Collection[str]) -> Iterator[dict[str, Any]]:
    import pyarrow.parquet as pq

    columns = ["item_id", "reason", "source_file", "position"]
    with pq.ParquetFile(rejects) as file:
        for batch in file.iter_batches(columns=columns):
            yield from (row for row in batch.to_pylist() if row["reason"] in reasons)
