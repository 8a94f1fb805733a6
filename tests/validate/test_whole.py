from __future__ import annotations

from typing import Any

import pytest

from toolkit.validate import Validator


@pytest.fixture
def one(validator: Validator, shards: Any, suite: Any) -> Any:
    def run(expectation: Any, table: Any, count: int = 2) -> Any:
        full = {"item_id": [str(n) for n in range(len(next(iter(table.values()))))], **table}
        result = validator.validate(shards(full, count), suite(expectation), id_column="item_id")
        return result.results[0]

    return run


def test_nan_is_no_missing_value(one: Any, expect: Any) -> None:
    table = {"x": [1.0, float("nan"), None, float("-inf")]}
    found = one(expect("toolkit_finite", columns=["x"]), table)
    assert (found.status, found.missing_count) == ("failed", 1)
    assert found.failing_ids == ("1", "3")


def test_text_is_no_number(one: Any, expect: Any) -> None:
    for type_, kwargs in (
        ("toolkit_finite", {"columns": ["x"]}),
        ("toolkit_mean_between", {"column": "x", "min_value": 0}),
        ("toolkit_ordered", {"columns": ["x", "item_id"]}),
    ):
        found = one(expect(type_, **kwargs), {"x": ["1", "2"]})
        assert (found.status, found.reason) == ("error", "column 'x' is string, not a number")


def test_order_allows_the_last_bits(one: Any, expect: Any) -> None:
    table = {
        "low": [0.30000000000000004, 1e6 + 1e-4, 2.0, None],
        "mean": [0.3, 1e6, 1.0, 1.0],
        "high": [0.3, 1e6, 3.0, 2.0],
    }
    found = one(expect("toolkit_ordered", columns=["low", "mean", "high"]), table)
    assert (found.failing_ids, found.missing_count) == (("2",), 1)
    strict = expect("toolkit_ordered", columns=["low", "mean", "high"], tolerance=0)
    assert one(strict, table).failing_ids == ("0", "1", "2")


def test_ranges_go_by_name_and_an_undeclared_name_fails(one: Any, expect: Any) -> None:
    table = {"v": [0.5, 1.5, 1.5, None, 0.1], "s": ["bleu", "bleu", "ratio", "bleu", "other"]}
    asked = expect(
        "toolkit_within_ranges", column="v", by="s", ranges={"bleu": [0, 1], "ratio": [0, None]}
    )
    found = one(asked, table)
    assert (found.failing_ids, found.missing_count) == (("1", "4"), 1)


def test_mean_needs_values_that_are_numbers(one: Any, expect: Any) -> None:
    asked = expect("toolkit_mean_between", column="x", min_value=0)
    assert (
        one(asked, {"x": [1.0, float("nan")]}).reason == "the column holds NaN or infinite values"
    )
    import pyarrow as pa

    empty = one(asked, {"x": pa.array([None, None], pa.float64())})
    assert (empty.status, empty.reason) == ("failed", "the column has no value")
    over = one(expect("toolkit_mean_between", column="x", max_value=1), {"x": [1.0, 2.0]})
    assert (over.status, over.reason, over.observed) == ("failed", "the mean is 1.5, over 1", 1.5)


def test_groups_must_all_be_there_and_no_other(one: Any, expect: Any) -> None:
    asked = expect("toolkit_group_counts", column="s", groups=["train", "test"])
    assert one(asked, {"s": ["test", "train"]}).status == "passed"
    empty = one(asked, {"s": ["train", "train"]})
    assert (empty.status, empty.observed) == ("failed", {"train": 2, "test": 0})
    assert "'test': the count is 0" in empty.reason
    stranger = one(asked, {"s": ["train", "test", "tset"]})
    assert "not among the declared groups: tset" in stranger.reason


def test_group_counts_are_bounded_over_all_shards(one: Any, expect: Any) -> None:
    asked = expect("toolkit_group_counts", column="s", min_value=2)
    assert one(asked, {"s": ["a", "b", "a", "b"]}, count=4).status == "passed"
    assert one(asked, {"s": ["a", "b", "a"]}, count=3).reason == "'b': the count is 1, under 2"


def test_arrow_type_is_compared_as_a_type(one: Any, expect: Any) -> None:
    table = {"l": [["a"], ["b"]]}
    same = one(expect("toolkit_column_type", column="l", arrow_type="list<string>"), table)
    assert same.status == "passed"
    other = one(expect("toolkit_column_type", column="l", arrow_type="list<int64>"), table)
    assert other.status == "failed"
