from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pytest

from toolkit.validate.frames import to_frame

MOMENT = dt.datetime(2020, 1, 2, 3, 4, 5)


@pytest.mark.parametrize(
    ("values", "kind", "dtype"),
    [
        ([1, None, 2**53 + 1], pa.int64(), "Int64"),
        ([1, 2], pa.int8(), "Int64"),
        ([2**64 - 1, None], pa.uint64(), "UInt64"),
        ([0.5, 2.0], pa.float32(), "float64"),
        (["a", None, ""], pa.string(), "object"),
        (["a", None], pa.large_string(), "object"),
        (["a", None, "a"], pa.dictionary(pa.int32(), pa.string()), "object"),
        ([True, None, False], pa.bool_(), "object"),
        ([["a"], None, []], pa.list_(pa.string()), "object"),
        ([{"a": 1}, None], pa.struct([("a", pa.int64())]), "object"),
        ([Decimal("1.50"), None], pa.decimal128(5, 2), "object"),
        ([b"\x00", None], pa.binary(), "object"),
    ],
)
def test_values_go_through_unchanged(values: list[object], kind: pa.DataType, dtype: str) -> None:
    batch = pa.RecordBatch.from_arrays([pa.array(values, kind)], names=["c"])
    frame = to_frame(batch, ["c"])
    assert str(frame["c"].dtype) == dtype
    assert [None if value is pd.NA else value for value in frame["c"]] == values
    assert list(frame.index) == list(range(len(values)))


def test_moments_stay_moments() -> None:
    batch = pa.RecordBatch.from_arrays(
        [
            pa.array([MOMENT, None], pa.timestamp("us")),
            pa.array([MOMENT.date(), None], pa.date32()),
        ],
        names=["t", "d"],
    )
    frame = to_frame(batch, ["t", "d"])
    assert frame["t"][0] == MOMENT
    assert frame["d"][0] == MOMENT.date()
    assert frame.isnull().to_numpy().tolist() == [[False, False], [True, True]]


def test_null_and_nan_are_both_missing_to_pandas() -> None:
    batch = pa.RecordBatch.from_arrays([pa.array([1.0, None, float("nan")])], names=["x"])
    assert to_frame(batch, ["x"])["x"].isnull().tolist() == [False, True, True]


def test_only_named_columns_are_converted_and_no_row_is_fine() -> None:
    batch = pa.RecordBatch.from_pydict({"a": [1], "b": [2]}).slice(1)
    frame = to_frame(batch, ["b"])
    assert (list(frame.columns), len(frame)) == (["b"], 0)


def test_lists_of_records_keep_their_lengths() -> None:
    kind = pa.list_(pa.struct([("text", pa.string())]))
    batch = pa.RecordBatch.from_arrays(
        [pa.array([[{"text": "a"}, {"text": "b"}], None, []], kind)], names=["c"]
    )
    assert list(to_frame(batch, ["c"])["c"]) == [[None, None], None, []]
