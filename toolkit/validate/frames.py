"""Turn Arrow columns into the pandas columns that Great Expectations is given.

pandas would turn an integer column with a null into floats (30000001.0 as an id), a null
string into NaN, and has two kinds of string column with different regular expressions. Here
integers keep their digits, nulls stay nulls and strings are plain Python strings. Lists of
records (the sections of an abstract) keep their lengths alone: no expectation reads more, and
as Python dicts they would take several times the memory of all other columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = ["to_frame"]


def to_frame(columns: pa.RecordBatch | pa.Table, names: Sequence[str]) -> pd.DataFrame:
    """Return the named columns as a frame indexed 0..n-1."""
    import pandas as pd

    index = pd.RangeIndex(columns.num_rows)
    return pd.DataFrame({name: _series(columns.column(name), index) for name in names}, index=index)


def _series(column: pa.Array | pa.ChunkedArray, index: pd.RangeIndex) -> pd.Series:
    import pandas as pd
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_integer(kind):
        return pd.Series(
            column.to_pylist(), index=index, dtype="Int64" if _signed(kind) else "UInt64"
        )
    if pa.types.is_floating(kind):
        return pd.Series(column.to_pandas().to_numpy(dtype="float64"), index=index)
    if pa.types.is_temporal(kind):
        return pd.Series(column.to_pandas().to_numpy(), index=index)
    values = _lengths_only(column) if _holds_records(kind) else column.to_pylist()
    return pd.Series(values, index=index, dtype=object)


def _holds_records(kind: pa.DataType) -> bool:
    import pyarrow as pa

    of_values = pa.types.is_list(kind) or pa.types.is_large_list(kind)
    return bool(of_values and pa.types.is_nested(kind.value_type))


def _lengths_only(column: pa.Array | pa.ChunkedArray) -> list[list[None] | None]:
    import pyarrow.compute as pc

    lengths = pc.list_value_length(column).to_pylist()
    return [None if length is None else [None] * length for length in lengths]


def _signed(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_signed_integer(kind))
