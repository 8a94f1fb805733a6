"""Read one Parquet file as it is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["read_parquet"]


def read_parquet(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Return the rows of one file; a column that it lacks is not in the table.

    pyarrow's own ``read_table`` loads its dataset layer and pandas with it, most of a second in
    each process, and makes columns of folders that are called ``name=value``.

    Args:
        path: the file.
        columns: names; None for all.

    Raises:
        OSError: the file cannot be read.
        pyarrow.ArrowException: it is damaged, or no Parquet file.
    """
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        return file.read(columns=None if columns is None else list(columns))
