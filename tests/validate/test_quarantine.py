from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from toolkit.records import arrow_schema
from toolkit.validate import Validator, failing_row_ids, passing_batches

BETWEEN = "expect_column_values_to_be_between"


def test_rejects_hold_every_failing_row_with_its_reason_and_place(
    validator: Validator, shards: Any, suite: Any, expect: Any, tmp_path: Path
) -> None:
    rows = 300
    table = {
        "item_id": [f"i{n}" for n in range(rows)],
        "year": pa.array([1990] * rows, pa.int32()),
        "n": list(range(rows)),
        "text": ["evil \x1b[31m\n" + "x" * 500] * rows,
    }
    target = tmp_path / "rejects.parquet"
    result = validator.validate(
        shards(table, 2),
        suite(
            expect(BETWEEN, "small", column="n", max_value=149),
            expect("expect_column_values_to_match_regex", "clean", column="text", regex="^x"),
            expect(BETWEEN, "allowed", column="n", max_value=100, mostly=0.1),
        ),
        id_column="item_id",
        rejects=target,
    )
    assert [item.status for item in result.results] == ["failed", "failed", "passed"]
    rejects = pq.read_table(target)
    assert rejects.schema.equals(arrow_schema("rejects"))
    assert rejects["reason"].to_pylist() == ["small"] * 150 + ["clean"] * 300
    assert rejects.slice(0, 1).to_pylist() == [
        {
            "item_id": "i150",
            "reason": "small",
            "detail": "n=150",
            "year": 1990,
            "source_file": "part-00001.parquet",
            "position": 0,
        }
    ]
    detail = rejects["detail"][200].as_py()
    assert detail.isprintable()
    assert len(detail) < 300
    assert len(result.results[0].failing_ids) == 100


def test_no_failing_row_makes_an_empty_rejects_file(
    validator: Validator, shards: Any, suite: Any, expect: Any, tmp_path: Path
) -> None:
    target = tmp_path / "deep" / "rejects.parquet"
    validator.validate(
        shards({"item_id": ["a"], "n": [1]}),
        suite(expect(BETWEEN, column="n", max_value=1)),
        id_column="item_id",
        rejects=target,
    )
    assert pq.read_table(target).num_rows == 0
    assert [path.name for path in target.parent.iterdir()] == ["rejects.parquet"]


def test_quarantine_leaves_out_exactly_the_failing_rows(
    validator: Validator, shards: Any, suite: Any, expect: Any, tmp_path: Path
) -> None:
    table = {"item_id": ["a", "b", "b", None, "e", "f"], "n": [1, 1, 1, 1, 9, 8]}
    paths = shards(table, 2)
    target = tmp_path / "rejects.parquet"
    asked = suite(
        expect("toolkit_unique", "unique", columns=["item_id"]),
        expect("expect_column_values_to_not_be_null", "present", column="item_id"),
        expect(BETWEEN, "nine", column="n", max_value=8),
        expect(BETWEEN, "noted", severity="warning", column="n", max_value=7),
    )
    result = validator.validate(paths, asked, id_column="item_id", rejects=target)
    assert result.quarantinable
    assert result.critical_failures() == ("unique", "present", "nine")
    reasons = result.critical_failures()
    assert failing_row_ids(target, reasons) == ("b", "b", None, "e")
    assert failing_row_ids(target, ["noted"]) == ("e", "f")
    kept = [batch for path in paths for batch in passing_batches(path, target, reasons)]
    assert pa.Table.from_batches(kept).to_pylist() == [
        {"item_id": "a", "n": 1},
        {"item_id": "f", "n": 8},
    ]
    folder = tmp_path / "kept"
    folder.mkdir()
    pq.write_table(pa.Table.from_batches(kept), folder / "part-00000.parquet")
    again = validator.validate([folder / "part-00000.parquet"], asked, id_column="item_id")
    assert again.success


def test_failure_that_is_about_no_row_cannot_be_quarantined(
    validator: Validator, shards: Any, suite: Any, expect: Any
) -> None:
    asked = suite(expect("toolkit_mean_between", column="n", max_value=1))
    paths = shards({"item_id": ["a"], "n": [9]})
    result = validator.validate(paths, asked, id_column="item_id")
    assert not result.quarantinable


def test_shards_of_several_folders_may_share_a_name(
    validator: Validator, shards: Any, suite: Any, expect: Any, tmp_path: Path
) -> None:
    (one,) = shards({"item_id": ["a", "b"], "n": [1, 9]}, folder="one")
    (two,) = shards({"item_id": ["c", "d"], "n": [9, 1]}, folder="two")
    assert one.name == two.name
    target = tmp_path / "rejects.parquet"
    asked = suite(expect(BETWEEN, column="n", max_value=5))
    result = validator.validate([two, one], asked, id_column="item_id", rejects=target)
    assert result.results[0].failing_ids == ("b", "c")
    assert pq.read_table(target)["source_file"].to_pylist() == [
        "one/part-00000.parquet",
        "two/part-00000.parquet",
    ]
    kept = [
        row["item_id"]
        for path in (one, two)
        for batch in passing_batches(path, target, ["e"])
        for row in batch.to_pylist()
    ]
    assert kept == ["a", "d"]
