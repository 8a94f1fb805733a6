from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from toolkit.validate import Expectation, Suite, Validator
from toolkit.validate.catalogue import LIST_TYPES, REFUSED, TYPES

SET_ASIDE = {"condition_parser", "batch_id", "windows", "severity", "library_metadata"}
COMMON = {"id", "meta", "notes", "result_format", "description", "catch_exceptions"}

GOOD = pa.table(
    {
        "item_id": [str(n) for n in range(8)],
        "n": pa.array([1, 2, 3, 4, 5, None, 7, 8], pa.int32()),
        "x": [0.5, 1.5, 2.5, 3.5, 4.5, None, 6.5, 7.5],
        "y": [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5],
        "same": [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5],
        "half": [0.5] * 8,
        "half_too": [0.5] * 8,
        "word": ["ab", "ac", "ad", "ae", "af", None, "ah", "ai"],
        "day": ["2020-01-01"] * 8,
        "json": ['{"a": 1}'] * 8,
        "doc": ['{"a": 1}'] * 8,
        "nothing": pa.array([None] * 8, pa.string()),
        "list": [["eng"], ["eng", "fre"], None, ["ger"], ["eng"], ["eng"], ["eng"], ["eng"]],
        "long": ["say: xy", "say: xx"] * 4,
        "group": ["g1", "g1", "g2", "g2", "g3", "g3", "g4", "g4"],
        "split": ["a", "a", "b", "b", "a", "a", "b", "b"],
        "down": pa.array([9, 8, 7, 6, 5, 4, 3, 2], pa.int32()),
        "extra": [1] * 8,
    }
)
BAD = pa.table(
    {
        "item_id": [str(n) for n in range(9)],
        "n": pa.array([99, 2, 3, 4, 5, None, 2, -1, 2], pa.int64()),
        "x": [0.5, 1.5, float("inf"), 0.1, 0.1, None, 0.1, 1e6, 1.0],
        "y": [0.5, 2.5, 2.0, 0.0, 0.0, 6.5, 0.0, 8.5, 0.0],
        "same": [9.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 1.0],
        "half": [0.75] * 9,
        "half_too": [0.5] * 9,
        "word": ["zzzz", "zzzz", None, "ae", "af", None, "ah", "ai", "aj"],
        "day": ["yesterdayish", *["2020-01-01"] * 8],
        "json": ["{", *['{"a": 1}'] * 8],
        "doc": ["[1]", *['{"a": 1}'] * 8],
        "nothing": ["something", *[None] * 8],
        "list": [[], ["english"], None, ["ger"], ["eng"], ["eng"], ["eng"], ["eng"], ["eng"]],
        "long": ["say: zzzz", *["say: xx"] * 8],
        "group": ["g1", "g1", "g1", "g2", "g3", "g3", "g4", "g4", "g4"],
        "split": ["a", "a", "b", "c", "c", "c", "c", "b", "b"],
        "down": pa.array([9, 8, 7, 6, 5, 4, 3, 2, 3], pa.int32()),
    }
)

# One use of every type that holds for GOOD and does not hold for BAD.
USES: dict[str, dict[str, Any]] = {
    "expect_column_values_to_be_between": {"column": "n", "min_value": 1, "max_value": 8},
    "expect_column_values_to_be_dateutil_parseable": {"column": "day"},
    "expect_column_values_to_be_in_set": {"column": "split", "value_set": ["a", "b"]},
    "expect_column_values_to_be_json_parseable": {"column": "json"},
    "expect_column_values_to_be_null": {"column": "nothing"},
    "expect_column_values_to_match_json_schema": {
        "column": "doc",
        "json_schema": {"type": "object"},
    },
    "expect_column_values_to_match_regex": {"column": "word", "regex": "^a[a-z]$"},
    "expect_column_values_to_match_regex_list": {"column": "word", "regex_list": ["^a"]},
    "expect_column_values_to_match_strftime_format": {
        "column": "day",
        "strftime_format": "%Y-%m-%d",
    },
    "expect_column_values_to_not_be_in_set": {"column": "word", "value_set": ["zzzz"]},
    "expect_column_values_to_not_be_null": {
        "column": "word",
        "row_condition": {
            "type": "comparison",
            "column": {"name": "item_id"},
            "operator": "==",
            "parameter": "2",
        },
    },
    "expect_column_values_to_not_match_regex": {"column": "word", "regex": "z"},
    "expect_column_values_to_not_match_regex_list": {"column": "word", "regex_list": ["z"]},
    "expect_column_value_lengths_to_be_between": {"column": "word", "max_value": 2},
    "expect_column_value_lengths_to_equal": {"column": "word", "value": 2},
    "expect_column_pair_values_a_to_be_greater_than_b": {
        "column_A": "y",
        "column_B": "x",
        "ignore_row_if": "either_value_is_missing",
    },
    "expect_column_pair_values_to_be_equal": {"column_A": "y", "column_B": "same"},
    "expect_column_pair_values_to_be_in_set": {
        "column_A": "group",
        "column_B": "split",
        "value_pairs_set": [["g1", "a"], ["g2", "b"], ["g3", "a"], ["g4", "b"]],
    },
    "expect_multicolumn_sum_to_equal": {"column_list": ["half", "half_too"], "sum_total": 1},
    "expect_multicolumn_values_to_be_equal": {"column_list": ["y", "same"]},
    "expect_select_column_values_to_be_unique_within_record": {"column_list": ["x", "y"]},
    "expect_column_list_lengths_to_be_between": {"column": "list", "min_value": 1},
    "expect_column_list_values_to_match_regex": {"column": "list", "regex": "^[a-z]{3}$"},
    "expect_column_pair_a_to_not_contain_b": {"column_A": "long", "column_B": "word"},
    "expect_column_value_z_scores_to_be_less_than": {
        "column": "n",
        "threshold": 2,
        "double_sided": True,
    },
    "expect_column_values_to_be_decreasing": {"column": "down"},
    "expect_column_values_to_be_increasing": {"column": "n"},
    "expect_column_values_to_be_unique": {"column": "word"},
    "expect_column_values_to_not_be_outliers": {
        "column": "n",
        "method": "iqr",
        "multiplier": 1.5,
    },
    "expect_compound_columns_to_be_unique": {"column_list": ["word", "half"]},
    "expect_column_distinct_values_to_be_in_set": {"column": "split", "value_set": ["a", "b"]},
    "expect_column_distinct_values_to_contain_set": {"column": "word", "value_set": ["ab"]},
    "expect_column_distinct_values_to_equal_set": {"column": "split", "value_set": ["a", "b"]},
    "expect_column_kl_divergence_to_be_less_than": {
        "column": "split",
        "partition_object": {"values": ["a", "b"], "weights": [0.5, 0.5]},
        "threshold": 0.1,
    },
    "expect_column_max_to_be_between": {"column": "n", "max_value": 8},
    "expect_column_mean_to_be_between": {"column": "n", "max_value": 5},
    "expect_column_median_to_be_between": {"column": "y", "min_value": 4, "max_value": 6},
    "expect_column_min_to_be_between": {"column": "n", "min_value": 1},
    "expect_column_most_common_value_to_be_in_set": {
        "column": "split",
        "value_set": ["a"],
        "ties_okay": True,
    },
    "expect_column_proportion_of_non_null_values_to_be_between": {
        "column": "word",
        "min_value": 0.8,
    },
    "expect_column_proportion_of_unique_values_to_be_between": {"column": "word", "min_value": 1},
    "expect_column_quantile_values_to_be_between": {
        "column": "y",
        "quantile_ranges": {"quantiles": [0.5], "value_ranges": [[4, 6]]},
    },
    "expect_column_stdev_to_be_between": {"column": "n", "max_value": 5},
    "expect_column_sum_to_be_between": {"column": "n", "max_value": 30},
    "expect_column_unique_value_count_to_be_between": {"column": "split", "max_value": 2},
    "expect_column_to_exist": {"column": "extra"},
    "expect_table_column_count_to_be_between": {"min_value": 18, "max_value": 18},
    "expect_table_column_count_to_equal": {"value": 18},
    "expect_table_columns_to_match_ordered_list": {"column_list": GOOD.column_names},
    "expect_table_columns_to_match_set": {"column_set": GOOD.column_names},
    "expect_table_row_count_to_be_between": {"min_value": 8, "max_value": 8},
    "expect_table_row_count_to_equal": {"value": 8},
    "toolkit_column_type": {"column": "n", "arrow_type": "int32"},
    "toolkit_finite": {"columns": ["x", "y"]},
    "toolkit_group_counts": {"column": "split", "groups": ["a", "b"]},
    "toolkit_ids_match": {"columns": ["group", "split"], "table": "other"},
    "toolkit_mean_between": {"column": "n", "max_value": 5},
    "toolkit_ordered": {"columns": ["x", "y"]},
    "toolkit_row_count": {"max_value": 8},
    "toolkit_single_value": {"column": "split", "group_columns": ["group"]},
    "toolkit_unique": {"columns": ["word"]},
    "toolkit_within_ranges": {
        "column": "y",
        "by": "split",
        "ranges": {"a": [1, 7], "b": [3, None]},
    },
}


def evaluate(
    validator: Validator, shards: Callable[..., list[Path]], table: pa.Table
) -> dict[str, tuple[str, str]]:
    expectations = tuple(
        Expectation(name, name, kwargs, "critical", "Because.") for name, kwargs in USES.items()
    )
    result = validator.validate(
        shards(table, 3),
        Suite("all", "Every type.", expectations),
        id_column="item_id",
        tables={"other": shards(GOOD, 2, folder="other")},
    )
    return {item.id: (item.status, item.reason) for item in result.results}


def test_every_type_has_a_use_here() -> None:
    assert sorted(USES) == sorted(TYPES)


def test_every_type_passes_what_holds(validator: Validator, shards: Any) -> None:
    found = evaluate(validator, shards, GOOD)
    assert found == dict.fromkeys(TYPES, ("passed", ""))


def test_every_type_fails_what_does_not_hold(validator: Validator, shards: Any) -> None:
    found = evaluate(validator, shards, BAD)
    assert {name: said for name, said in found.items() if said[0] != "failed"} == {}
    assert all(reason for _, reason in found.values())


REGISTRY = """
import json
import great_expectations
from great_expectations.expectations.registry import (
    get_expectation_impl,
    list_registered_expectation_implementations as names,
)
fields = {name: get_expectation_impl(name).__fields__ for name in names()}
print(json.dumps({
    name: {key: bool(field.required) for key, field in found.items()}
    for name, found in fields.items()
}))
"""


def test_catalogue_is_the_registry_of_great_expectations() -> None:
    out = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", REGISTRY],
        capture_output=True,
        text=True,
        timeout=120,
    )
    registered: dict[str, dict[str, bool]] = json.loads(out.stdout)
    ours = {name for name in {*TYPES, *REFUSED} if not name.startswith("toolkit_")}
    own = {*LIST_TYPES, "expect_column_pair_a_to_not_contain_b"}
    assert ours - own == set(registered)
    for name in sorted(registered.keys() & TYPES.keys()):
        takes = registered[name].keys() - COMMON - SET_ASIDE
        assert set(TYPES[name].arguments) <= takes, name
        required = {key for key in takes if registered[name][key]}
        assert required <= set(TYPES[name].required), name
