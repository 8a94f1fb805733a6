from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolkit.validate import Expectation, Suite, Validator
from toolkit.validate.shards import key_text

PART = st.one_of(st.none(), st.text(alphabet="ab|\\0", max_size=3))


@given(rows=st.lists(st.tuples(PART, PART), max_size=30))
def test_texts_of_two_keys_are_equal_only_if_the_keys_are(
    rows: list[tuple[str | None, str | None]],
) -> None:
    batch = pa.RecordBatch.from_arrays(
        [pa.array([row[side] for row in rows], pa.string()) for side in (0, 1)], names=["a", "b"]
    )
    texts = key_text(batch, ["a", "b"]).to_pylist()
    assert [text is None for text in texts] == [row == (None, None) for row in rows]
    for row, text in zip(rows, texts, strict=True):
        for other, again in zip(rows, texts, strict=True):
            assert (row == other) == (text == again)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(rows=st.lists(st.tuples(PART, PART), min_size=1, max_size=12), cut=st.integers(0, 12))
def test_unique_agrees_with_counting(
    validator: Validator, rows: list[tuple[str | None, str | None]], cut: int
) -> None:
    asked = Suite(
        "s",
        "A test.",
        (Expectation("u", "toolkit_unique", {"columns": ["a", "b"]}, "critical", "Because."),),
    )
    table = pa.table(
        {
            "row": list(range(len(rows))),
            "a": pa.array([row[0] for row in rows], pa.string()),
            "b": pa.array([row[1] for row in rows], pa.string()),
        }
    )
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / "0.parquet", Path(folder) / "1.parquet"]
        pq.write_table(table.slice(0, cut), paths[0])
        pq.write_table(table.slice(cut), paths[1])
        found = validator.validate(paths, asked, id_column="row").results[0]
    counts = Counter(row for row in rows if row != (None, None))
    repeated = tuple(str(n) for n, row in enumerate(rows) if counts[row] > 1)
    assert found.failing_ids == repeated
    assert found.status == ("failed" if repeated else "passed")
    assert found.missing_count == rows.count((None, None))


@pytest.fixture
def one(validator: Validator, shards: Any, suite: Any) -> Any:
    def run(expectation: Any, table: Any, **more: Any) -> Any:
        return validator.validate(
            shards(table, 2), suite(expectation), id_column="item_id", **more
        ).results[0]

    return run


def test_group_with_two_values_is_found_across_shards(one: Any, expect: Any) -> None:
    asked = expect("toolkit_single_value", column="split", group_columns=["group"])
    table = {
        "item_id": list("abcdef"),
        "split": ["x", "x", "y", "y", "x", None],
        "group": ["g", "h", "i", "g", None, "h"],
    }
    found = one(asked, table)
    assert (found.status, found.failing_ids) == ("failed", ("a", "b", "d", "f"))
    assert found.reason == "2 groups hold more than one split"
    table["split"] = ["x", "x", "y", "x", "y", "x"]
    assert one(asked, table).status == "passed"


def test_ids_match_another_table_in_both_directions(one: Any, expect: Any, shards: Any) -> None:
    items = shards({"item_id": ["a", "b", "c"]}, 2, folder="items")
    same = expect("toolkit_ids_match", columns=["item_id"], table="items")
    subset = expect("toolkit_ids_match", columns=["item_id"], table="items", relation="subset")
    given = {"tables": {"items": items}}
    assert one(same, {"item_id": ["c", "a", "b"]}, **given).status == "passed"
    lost = one(same, {"item_id": ["c", "a"]}, **given)
    assert (lost.status, lost.observed) == ("failed", {"missing_here": 1})
    assert lost.reason == "1 rows of 'items' are not here: b"
    assert one(subset, {"item_id": ["c", "a"]}, **given).status == "passed"
    foreign = one(subset, {"item_id": ["c", "z"]}, **given)
    assert (foreign.status, foreign.failing_ids) == ("failed", ("z",))


def test_table_to_match_has_to_be_given_and_have_the_columns(
    one: Any, expect: Any, shards: Any
) -> None:
    asked = expect("toolkit_ids_match", columns=["item_id"], table="items")
    absent = one(asked, {"item_id": ["a", "b"]})
    assert (absent.status, absent.reason) == (
        "error",
        "the caller gave no table 'items' to compare with",
    )
    other = shards({"id": ["a"]}, 1, folder="items")
    found = one(asked, {"item_id": ["a", "b"]}, tables={"items": other})
    assert (found.status, found.reason) == ("error", "the table 'items' has no column item_id")
