from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from toolkit.corpus.parquet import Parquet
from toolkit.corpus.source import surviving
from toolkit.errors import SourceError


def build(
    folder: Path, **params: Any
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], pa.Schema]:
    source = Parquet(Parquet.Params(files=("*.parquet",), **params), folder)
    schema = source.schema()
    results = [source.read(part, folder / "out" / part.name, schema) for part in source.parts()]
    drops = source.merge(results)
    items = [
        row
        for result in results
        for batch in surviving(result, drops.get(result.part))
        for row in batch.to_pylist()
    ]
    rejects = [row for result in results for row in pq.read_table(result.rejects).to_pylist()]
    return items, rejects, schema


def test_widths_are_made_plain_and_nested_columns_stay(tmp_path: Path) -> None:
    sections = pa.list_(pa.struct([("label", pa.string()), ("text", pa.string())]))
    table = pa.table(
        {
            "id": pa.array([1, 2], pa.int16()),
            "small": pa.array([1, None], pa.int8()),
            "half": pa.array([0.5, None], pa.float32()),
            "word": pa.array(["a", "b"]).dictionary_encode(),
            "long": pa.array(["c", None], pa.large_string()),
            "sections": pa.array([[{"label": "AIM", "text": "x"}], None], sections),
        }
    )
    pq.write_table(table, tmp_path / "a.parquet")
    items, rejects, schema = build(tmp_path)
    assert rejects == []
    kinds = [str(schema.field(name).type) for name in ("small", "half", "word", "long")]
    assert kinds == ["int64", "double", "string", "string"]
    assert items[0] == {
        "item_id": "1",
        "small": 1,
        "half": 0.5,
        "word": "a",
        "long": "c",
        "sections": [{"label": "AIM", "text": "x"}],
    }


def test_columns_that_a_file_lacks_are_null(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": ["1"], "a": ["x"]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"id": ["2"], "b": [True]}), tmp_path / "2.parquet")
    items, _, _ = build(tmp_path)
    assert items == [
        {"item_id": "1", "a": "x", "b": None},
        {"item_id": "2", "a": None, "b": True},
    ]


def test_files_that_disagree_are_refused_by_name(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": ["1"], "a": ["x"]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"id": ["2"], "a": [1]}), tmp_path / "2.parquet")
    with pytest.raises(SourceError, match=r"'a' is string in 1\.parquet and int64 in 2\.parquet"):
        build(tmp_path)
    assert len(build(tmp_path, fields={})[0]) == 2


def test_fields_choose_and_rename(tmp_path: Path) -> None:
    pq.write_table(pa.table({"pmid": [5], "abstract": ["x"], "b": [1]}), tmp_path / "a.parquet")
    items, _, _ = build(tmp_path, id="pmid", fields={"input": "abstract"})
    assert items == [{"item_id": "5", "input": "x"}]


@pytest.mark.parametrize(
    ("ids", "values", "reason", "position"),
    [
        (["1", None], [0.0, 1.0], "missing_id", 1),
        (["1", "2"], [math.nan, 1.0], "not_finite", 0),
        (["1", "2"], [1.0, -math.inf], "not_finite", 1),
    ],
)
def test_bad_rows_stop_or_are_rejected(
    tmp_path: Path, ids: list[Any], values: list[float], reason: str, position: int
) -> None:
    pq.write_table(pa.table({"id": ids, "v": values}), tmp_path / "a.parquet")
    with pytest.raises(SourceError, match=rf"a\.parquet:{position + 1}"):
        build(tmp_path)
    items, rejects, _ = build(tmp_path, on_bad_row="reject")
    assert len(items) == 1
    assert [(row["reason"], row["position"]) for row in rejects] == [(reason, position)]


def test_a_damaged_file_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    table = pa.table({"id": [str(n) for n in range(50_000)]})
    pq.write_table(table, path, write_page_checksum=True, use_dictionary=False)
    whole = path.read_bytes()
    for damaged in (
        whole[:-100],
        b"PAR1 no",
        whole[:9000] + bytes([whole[9000] ^ 1]) + whole[9001:],
    ):
        path.write_bytes(damaged)
        with pytest.raises(SourceError, match=r"a\.parquet"):
            build(tmp_path)
