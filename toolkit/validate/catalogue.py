"""The expectation types a suite may name, with their arguments and how they are evaluated.

Great Expectations drops a misspelled type without a word, and asking it costs seconds of
import. So the types of its registry stand here, and a test compares them with the installed
version: a type it adds or renames makes that test fail.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

__all__ = ["LIST_TYPES", "REFUSED", "TYPES", "ExpectationType", "Scope", "argument_schema"]

Scope = Literal["rows", "columns", "table", "row_count", "whole"]
"""How a type is evaluated.

``rows``: Great Expectations, batch by batch, counts summed over all shards.
``columns``: Great Expectations, once, over the named columns of all shards together.
``table``: Great Expectations, over the table's columns and no rows.
``row_count``: the rows of all shards, counted here.
``whole``: ours, exact over all shards, without holding them (:mod:`toolkit.validate.whole`).
"""


@dataclass(frozen=True, slots=True)
class ExpectationType:
    """One type: its scope and the names of its arguments."""

    scope: Scope
    required: tuple[str, ...]
    optional: tuple[str, ...] = ()

    @property
    def arguments(self) -> tuple[str, ...]:
        """All arguments it takes."""
        return self.required + self.optional


_BOUNDS: Final = ("min_value", "max_value")
_STRICT: Final = ("min_value", "max_value", "strict_min", "strict_max")


def _rows(*required: str, optional: tuple[str, ...] = ()) -> ExpectationType:
    return ExpectationType("rows", required, (*optional, "mostly", "row_condition"))


def _every_row(*required: str, optional: tuple[str, ...] = ()) -> ExpectationType:
    return ExpectationType("columns", required, (*optional, "mostly", "row_condition"))


def _aggregate(*required: str, optional: tuple[str, ...] = ()) -> ExpectationType:
    return ExpectationType("columns", ("column", *required), (*optional, "row_condition"))


def _pair(*required: str, optional: tuple[str, ...] = ()) -> ExpectationType:
    return _rows("column_A", "column_B", *required, optional=(*optional, "ignore_row_if"))


def _several(*required: str) -> ExpectationType:
    return _rows("column_list", *required, optional=("ignore_row_if",))


TYPES: Final[dict[str, ExpectationType]] = {
    "expect_column_values_to_be_between": _rows("column", optional=_STRICT),
    "expect_column_values_to_be_dateutil_parseable": _rows("column"),
    "expect_column_values_to_be_in_set": _rows("column", "value_set"),
    "expect_column_values_to_be_json_parseable": _rows("column"),
    "expect_column_values_to_be_null": _rows("column"),
    "expect_column_values_to_match_json_schema": _rows("column", "json_schema"),
    "expect_column_values_to_match_regex": _rows("column", "regex"),
    "expect_column_values_to_match_regex_list": _rows(
        "column", "regex_list", optional=("match_on",)
    ),
    "expect_column_values_to_match_strftime_format": _rows("column", "strftime_format"),
    "expect_column_values_to_not_be_in_set": _rows("column", "value_set"),
    "expect_column_values_to_not_be_null": _rows("column"),
    "expect_column_values_to_not_match_regex": _rows("column", "regex"),
    "expect_column_values_to_not_match_regex_list": _rows("column", "regex_list"),
    "expect_column_value_lengths_to_be_between": _rows("column", optional=_STRICT),
    "expect_column_value_lengths_to_equal": _rows("column", "value"),
    "expect_column_pair_values_a_to_be_greater_than_b": _pair(optional=("or_equal",)),
    "expect_column_pair_values_to_be_equal": _pair(),
    "expect_column_pair_values_to_be_in_set": _pair("value_pairs_set"),
    "expect_multicolumn_sum_to_equal": _several("sum_total"),
    "expect_multicolumn_values_to_be_equal": _several(),
    "expect_select_column_values_to_be_unique_within_record": _several(),
    # Registered in Great Expectations by toolkit.validate.own_expectations.
    "expect_column_list_lengths_to_be_between": _rows("column", optional=_BOUNDS),
    "expect_column_list_values_to_match_regex": _rows("column", "regex"),
    "expect_column_pair_a_to_not_contain_b": _pair(),
    # A row's answer depends on other rows.
    "expect_column_value_z_scores_to_be_less_than": _every_row(
        "column", "threshold", "double_sided"
    ),
    "expect_column_values_to_be_decreasing": _every_row("column", optional=("strictly",)),
    "expect_column_values_to_be_increasing": _every_row("column", optional=("strictly",)),
    "expect_column_values_to_be_unique": _every_row("column"),
    "expect_column_values_to_not_be_outliers": _every_row(
        "column", optional=("method", "multiplier")
    ),
    "expect_compound_columns_to_be_unique": _every_row("column_list", optional=("ignore_row_if",)),
    # One number for a whole column.
    "expect_column_distinct_values_to_be_in_set": _aggregate("value_set"),
    "expect_column_distinct_values_to_contain_set": _aggregate("value_set"),
    "expect_column_distinct_values_to_equal_set": _aggregate("value_set"),
    "expect_column_kl_divergence_to_be_less_than": _aggregate(
        "partition_object",
        "threshold",
        optional=("internal_weight_holdout", "tail_weight_holdout", "bucketize_data"),
    ),
    "expect_column_max_to_be_between": _aggregate(optional=_STRICT),
    "expect_column_mean_to_be_between": _aggregate(optional=_STRICT),
    "expect_column_median_to_be_between": _aggregate(optional=_STRICT),
    "expect_column_min_to_be_between": _aggregate(optional=_STRICT),
    "expect_column_most_common_value_to_be_in_set": _aggregate(
        "value_set", optional=("ties_okay",)
    ),
    "expect_column_proportion_of_non_null_values_to_be_between": _aggregate(optional=_STRICT),
    "expect_column_proportion_of_unique_values_to_be_between": _aggregate(optional=_STRICT),
    "expect_column_quantile_values_to_be_between": _aggregate(
        "quantile_ranges", optional=("allow_relative_error",)
    ),
    "expect_column_stdev_to_be_between": _aggregate(optional=_STRICT),
    "expect_column_sum_to_be_between": _aggregate(optional=_STRICT),
    "expect_column_unique_value_count_to_be_between": _aggregate(optional=_STRICT),
    # The columns themselves.
    "expect_column_to_exist": ExpectationType("table", ("column",), ("column_index",)),
    "expect_table_column_count_to_be_between": ExpectationType("table", (), _BOUNDS),
    "expect_table_column_count_to_equal": ExpectationType("table", ("value",)),
    "expect_table_columns_to_match_ordered_list": ExpectationType("table", ("column_list",)),
    "expect_table_columns_to_match_set": ExpectationType(
        "table", ("column_set",), ("exact_match",)
    ),
    "expect_table_row_count_to_be_between": ExpectationType("row_count", (), _STRICT),
    "expect_table_row_count_to_equal": ExpectationType("row_count", ("value",)),
    # Ours.
    "toolkit_column_type": ExpectationType("whole", ("column", "arrow_type")),
    "toolkit_finite": ExpectationType("whole", ("columns",), ("mostly",)),
    "toolkit_group_counts": ExpectationType("whole", ("column",), (*_BOUNDS, "groups")),
    "toolkit_ids_match": ExpectationType("whole", ("columns", "table"), ("relation",)),
    "toolkit_mean_between": ExpectationType("whole", ("column",), _BOUNDS),
    "toolkit_ordered": ExpectationType("whole", ("columns",), ("tolerance", "mostly")),
    "toolkit_row_count": ExpectationType("row_count", (), _BOUNDS),
    "toolkit_single_value": ExpectationType("whole", ("column", "group_columns")),
    "toolkit_unique": ExpectationType("whole", ("columns",)),
    "toolkit_within_ranges": ExpectationType("whole", ("column", "by", "ranges"), ("mostly",)),
}

LIST_TYPES: Final = (
    "expect_column_list_lengths_to_be_between",
    "expect_column_list_values_to_match_regex",
)
"""The types that judge the values of a list; every other judges its printed form."""

_TYPE_HINT: Final = "use toolkit_column_type: the table's Arrow schema decides types"
_LIKE_HINT: Final = "it is for databases; write a regular expression instead"
_SQL_HINT: Final = "it needs a database; the tables of a run are Parquet files"

REFUSED: Final[dict[str, str]] = {
    "expect_column_type_to_be": _TYPE_HINT,
    "expect_column_values_to_be_in_type_list": _TYPE_HINT,
    "expect_column_values_to_be_of_type": _TYPE_HINT,
    "expect_column_values_to_match_like_pattern": _LIKE_HINT,
    "expect_column_values_to_match_like_pattern_list": _LIKE_HINT,
    "expect_column_values_to_not_match_like_pattern": _LIKE_HINT,
    "expect_column_values_to_not_match_like_pattern_list": _LIKE_HINT,
    "expect_query_results_to_match_comparison": _SQL_HINT,
    "expect_table_row_count_to_equal_other_table": "use toolkit_ids_match",
    "unexpected_rows_expectation": _SQL_HINT,
}
"""Types of Great Expectations that mean nothing here, each with what to do instead."""

_NAME: Final = {"type": "string", "minLength": 1}
_NAMES: Final = {"type": "array", "items": _NAME, "minItems": 1, "uniqueItems": True}
_NUMBER: Final = {"type": "number"}
_BOUND: Final = {"type": ["number", "string", "null"]}
_COUNT: Final = {"type": "integer", "minimum": 0}
_FLAG: Final = {"type": "boolean"}
_PATTERN: Final = {"type": "string", "minLength": 1}
_PATTERNS: Final = {"type": "array", "items": _PATTERN, "minItems": 1}
_SCALAR: Final = {"type": ["string", "number", "boolean"]}

_ARGUMENTS: Final[dict[str, dict[str, Any]]] = {
    **dict.fromkeys(("column", "column_A", "column_B", "by", "table"), _NAME),
    **dict.fromkeys(("column_list", "column_set", "columns", "group_columns"), _NAMES),
    **dict.fromkeys(("min_value", "max_value"), _BOUND),
    **dict.fromkeys(("regex", "strftime_format", "arrow_type"), _PATTERN),
    "regex_list": _PATTERNS,
    **dict.fromkeys(
        (
            "strict_min",
            "strict_max",
            "or_equal",
            "strictly",
            "exact_match",
            "double_sided",
            "ties_okay",
            "bucketize_data",
        ),
        _FLAG,
    ),
    **dict.fromkeys(
        ("sum_total", "threshold", "internal_weight_holdout", "tail_weight_holdout", "multiplier"),
        _NUMBER,
    ),
    **dict.fromkeys(("column_index", "value"), _COUNT),
    "allow_relative_error": {"type": ["boolean", "string"]},
    "groups": {"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": True},
    "ignore_row_if": {
        "enum": [
            "both_values_are_missing",
            "either_value_is_missing",
            "all_values_are_missing",
            "any_value_is_missing",
            "never",
        ]
    },
    "json_schema": {"type": "object", "minProperties": 1},
    "match_on": {"enum": ["any", "all"]},
    "method": {"type": "string"},
    # Nothing could break an expectation that lets every row fail.
    "mostly": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    "partition_object": {"type": "object"},
    "quantile_ranges": {"type": "object", "required": ["quantiles", "value_ranges"]},
    "ranges": {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": {
            "type": "array",
            "prefixItems": [{"type": ["number", "null"]}, {"type": ["number", "null"]}],
            "minItems": 2,
            "maxItems": 2,
        },
    },
    "relation": {"enum": ["same", "subset"]},
    "row_condition": {"$ref": "#/$defs/condition"},
    "tolerance": {"type": "number", "minimum": 0},
    "value_pairs_set": {
        "type": "array",
        "minItems": 1,
        "items": {"type": "array", "minItems": 2, "maxItems": 2},
    },
    "value_set": {"type": "array", "items": _SCALAR, "minItems": 1, "uniqueItems": True},
}


def argument_schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of the argument ``name``, in whichever type it stands.

    Raises:
        KeyError: no type has such an argument.
    """
    return _ARGUMENTS[name]
