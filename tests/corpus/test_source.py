from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from toolkit.corpus.funnel import KEPT, part_funnel
from toolkit.corpus.source import ROW_GROUP, PartWriter, dropped, find_files, surviving
from toolkit.errors import SourceError
from toolkit.records import arrow_schema

SCHEMA = pa.schema([("item_id", pa.string()), ("year", pa.string())])


def batch(*ids: int) -> pa.RecordBatch:
    rows = [{"item_id": str(n), "year": f"in {n}"} for n in ids]
    return pa.RecordBatch.from_pylist(rows, schema=SCHEMA)


def test_a_part_that_fails_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), PartWriter("p", tmp_path, SCHEMA) as writer:
        writer.items(batch(1, 2))
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_a_batch_of_another_schema_leaves_no_file(tmp_path: Path) -> None:
    other = pa.RecordBatch.from_pylist([{"x": 1}])
    with pytest.raises(pa.ArrowException), PartWriter("p", tmp_path, SCHEMA) as writer:
        writer.items(batch(1))
        writer.items(other)
    assert list(tmp_path.iterdir()) == []


def test_an_earlier_result_outlives_a_failed_repeat(tmp_path: Path) -> None:
    with PartWriter("p", tmp_path, SCHEMA) as writer:
        writer.items(batch(1))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(KeyError), PartWriter("p", tmp_path, SCHEMA) as writer:
        writer.items(batch(2))
        raise KeyError
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_row_groups_are_bounded(tmp_path: Path) -> None:
    with PartWriter("p", tmp_path, SCHEMA) as writer:
        for start in range(0, 3 * ROW_GROUP, ROW_GROUP // 2 + 7):
            writer.items(batch(*range(start, start + ROW_GROUP // 2 + 7)))
    file = pq.ParquetFile(writer.result().items)
    groups = [file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)]
    assert max(groups) <= ROW_GROUP
    assert sum(groups) == writer.result().rows


def test_dropped_rows_are_rejects_and_the_others_survive(tmp_path: Path) -> None:
    count = 2 * ROW_GROUP + 5
    with PartWriter("p", tmp_path, SCHEMA) as writer:
        writer.items(batch(*range(count)))
        writer.keys({"key": range(count), "row": range(count), "position": range(10, count + 10)})
    result = writer.result()
    lost = [0, ROW_GROUP - 1, ROW_GROUP, count - 1]
    drops = pa.table({"row": lost, "reason": ["why"] * 4, "detail": ["how"] * 4})
    kept = [
        n for part in surviving(result, drops, ["item_id"]) for n in part["item_id"].to_pylist()
    ]
    assert kept == [str(n) for n in range(count) if n not in lost]
    rejects = dropped(result, drops)
    assert rejects.schema == arrow_schema("rejects")
    # A user's own column called year holds text here, which is no publication year.
    assert rejects.to_pylist()[1] == {
        "item_id": str(ROW_GROUP - 1),
        "reason": "why",
        "detail": "how",
        "year": None,
        "source_file": "p",
        "position": ROW_GROUP + 9,
    }
    outcomes = part_funnel(result, drops).outcomes
    assert outcomes == {("p", None, KEPT): count - 4, ("p", None, "why"): 4}


def test_names_with_brackets_globs_and_absolute_paths(tmp_path: Path) -> None:
    for name in ("a[1].txt", "b.txt", "sub/c.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x", encoding="utf-8")
    assert find_files(["a[1].txt"], tmp_path) == (tmp_path / "a[1].txt",)
    everything = find_files(["**/*.txt", "b.txt", f"{tmp_path}/sub/*"], tmp_path)
    assert [path.name for path in everything] == ["a[1].txt", "b.txt", "c.txt"]
    with pytest.raises(SourceError, match="no file is named"):
        find_files([], tmp_path)
    with pytest.raises(SourceError, match="sub"):
        find_files(["sub"], tmp_path)
