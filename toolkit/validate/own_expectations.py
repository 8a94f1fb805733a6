"""Expectations that Great Expectations lacks: about lists, and about text inside text.

Its own types measure a list by its printed form: a minimum length of 2 is met by ``['a']``,
whose text is five characters long. Importing this module registers the types, as importing
any module with expectations does.
"""

from __future__ import annotations

import re
from typing import Any

from great_expectations.execution_engine.pandas_execution_engine import (  # noqa: TID253
    PandasExecutionEngine,
)
from great_expectations.expectations.expectation import (  # noqa: TID253
    ColumnMapExpectation,
    ColumnPairMapExpectation,
)
from great_expectations.expectations.metrics.map_metric_provider.column_condition_partial import (  # noqa: TID253
    column_condition_partial,
)
from great_expectations.expectations.metrics.map_metric_provider.column_map_metric_provider import (  # noqa: TID253
    ColumnMapMetricProvider,
)
from great_expectations.expectations.metrics.map_metric_provider.column_pair_condition_partial import (  # noqa: E501, TID253
    column_pair_condition_partial,
)
from great_expectations.expectations.metrics.map_metric_provider.column_pair_map_metric_provider import (  # noqa: E501, TID253
    ColumnPairMapMetricProvider,
)
from great_expectations.expectations.registry import (  # noqa: TID253
    list_registered_expectation_implementations,
)

__all__ = [
    "OWN",
    "ExpectColumnListLengthsToBeBetween",
    "ExpectColumnListValuesToMatchRegex",
    "ExpectColumnPairAToNotContainB",
    "register",
]

OWN = (
    "expect_column_list_lengths_to_be_between",
    "expect_column_list_values_to_match_regex",
    "expect_column_pair_a_to_not_contain_b",
)
"""The types this module registers."""


def register() -> None:
    """Make sure the types are registered.

    Raises:
        RuntimeError: Great Expectations did not register one.
    """
    missing = set(OWN) - set(list_registered_expectation_implementations())
    if missing:
        raise RuntimeError(f"Great Expectations did not register {', '.join(sorted(missing))}")


class _ListLengths(ColumnMapMetricProvider):
    condition_metric_name = "column_values.list_length.between"
    condition_value_keys = ("min_value", "max_value")

    @column_condition_partial(engine=PandasExecutionEngine)
    def _pandas(
        cls,  # noqa: N805 - Great Expectations passes the class
        column: Any,
        min_value: int | None = None,
        max_value: int | None = None,
        **_: Any,
    ) -> Any:
        lengths = column.map(len)
        longest = float("inf") if max_value is None else max_value
        return (lengths >= (min_value or 0)) & (lengths <= longest)


class ExpectColumnListLengthsToBeBetween(ColumnMapExpectation):
    """The lists of a column have between ``min_value`` and ``max_value`` values, both allowed."""

    min_value: int | None = None
    max_value: int | None = None

    map_metric = "column_values.list_length.between"
    success_keys = ("mostly", "min_value", "max_value")
    args_keys = ("column", "min_value", "max_value")


class _ListPatterns(ColumnMapMetricProvider):
    condition_metric_name = "column_values.list_values.match_regex"
    condition_value_keys = ("regex",)

    @column_condition_partial(engine=PandasExecutionEngine)
    def _pandas(cls, column: Any, regex: str, **_: Any) -> Any:  # noqa: N805
        found = re.compile(regex).search
        return column.map(
            lambda values: all(value is not None and found(str(value)) for value in values)
        )


class ExpectColumnListValuesToMatchRegex(ColumnMapExpectation):
    """Every value of every list of a column matches ``regex`` somewhere; a null value does not."""

    regex: str

    map_metric = "column_values.list_values.match_regex"
    success_keys = ("mostly", "regex")
    args_keys = ("column", "regex")


class _NotContained(ColumnPairMapMetricProvider):
    condition_metric_name = "column_pair_values.a_not_containing_b"
    condition_domain_keys = (
        "batch_id",
        "table",
        "column_A",
        "column_B",
        "row_condition",
        "condition_parser",
        "ignore_row_if",
    )
    condition_value_keys = ()

    @column_pair_condition_partial(engine=PandasExecutionEngine)  # type: ignore[untyped-decorator]
    def _pandas(cls, column_A: Any, column_B: Any, **_: Any) -> Any:  # noqa: N803, N805
        return column_A.combine(
            column_B, lambda text, needle: not needle or needle not in (text or "")
        ).astype(bool)


class ExpectColumnPairAToNotContainB(ColumnPairMapExpectation):
    """The text of ``column_A`` does not hold the whole text of ``column_B``."""

    ignore_row_if: str = "either_value_is_missing"

    map_metric = "column_pair_values.a_not_containing_b"
    success_keys = ("mostly", "ignore_row_if")
    args_keys = ("column_A", "column_B")
