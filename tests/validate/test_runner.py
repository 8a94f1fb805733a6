"""The traps of Great Expectations: each would be a silent pass, and is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from toolkit.validate import Expectation, ExpectationResult, Suite, Validator

NOT_NULL = "expect_column_values_to_not_be_null"
BETWEEN = "expect_column_values_to_be_between"
REGEX = "expect_column_values_to_match_regex"


@pytest.fixture
def one(validator: Validator, shards: Any, suite: Any) -> Any:
    """Evaluate one expectation over a table and return its result."""

    def run(expectation: Expectation, table: Any, count: int = 1, **more: Any) -> ExpectationResult:
        paths = shards(table, count)
        result = validator.validate(paths, suite(expectation), id_column="item_id", **more)
        assert result.success == (result.results[0].status == "passed")
        return result.results[0]

    return run


def test_failing_rows_of_all_shards_are_counted_and_named(one: Any, expect: Any) -> None:
    table = {"item_id": [f"i{n}" for n in range(250)], "n": list(range(250))}
    found = one(expect(BETWEEN, column="n", max_value=39), table, count=4)
    assert (found.status, found.element_count, found.unexpected_count) == ("failed", 250, 210)
    assert found.failing_ids == tuple(f"i{n}" for n in range(40, 140))
    assert found.reason == "210 of 250 rows break it"


def test_share_allowed_by_mostly_is_one_of_the_whole_table(one: Any, expect: Any) -> None:
    table = {"item_id": list("abcdefgh"), "n": [9, 9, 1, 1, 1, 1, 1, 1]}
    loose = one(expect(BETWEEN, column="n", max_value=5, mostly=0.75), table, count=4)
    assert (loose.status, loose.unexpected_count, loose.failing_ids) == ("passed", 2, ("a", "b"))
    strict = one(expect(BETWEEN, column="n", max_value=5, mostly=0.76), table, count=4)
    assert strict.status == "failed"


def test_misspelled_type_that_reaches_the_process_is_an_error(one: Any, expect: Any) -> None:
    found = one(expect("expect_column_values_to_not_be_nul", column="item_id"), {"item_id": ["a"]})
    assert found.status == "error"
    assert f"did you mean '{NOT_NULL}'?" in found.reason


def test_misspelled_argument_that_reaches_the_process_is_an_error(one: Any, expect: Any) -> None:
    found = one(expect(NOT_NULL, colum="item_id"), {"item_id": ["a"]})
    assert found.status == "error"
    assert "colum" in found.reason


@pytest.mark.parametrize("type_", [NOT_NULL, "toolkit_mean_between"])
def test_missing_column_is_an_error_not_zero_rows(one: Any, expect: Any, type_: str) -> None:
    bounds = {"min_value": 0} if type_ != NOT_NULL else {}
    found = one(expect(type_, column="titel", **bounds), {"item_id": ["a"], "title": ["x"]})
    assert found.status == "error"
    assert found.reason == "the table has no column 'titel'; did you mean 'title'?"


def test_bad_regular_expression_is_an_error_even_where_all_values_are_null(
    one: Any, expect: Any
) -> None:
    table = {"item_id": ["a"], "t": pa.array([None], pa.string())}
    assert one(expect(REGEX, column="t", regex="("), table).status == "error"


def test_exception_inside_is_an_error_and_spares_the_others(
    validator: Validator, shards: Any, suite: Any, expect: Any
) -> None:
    table = {"item_id": ["a", "b"], "t": ["x", None], "n": [1, 2]}
    result = validator.validate(
        shards(table, 2),
        suite(
            expect(NOT_NULL, "kept", column="t"),
            expect(BETWEEN, "broken", column="t", min_value=3),
            expect(REGEX, "also_kept", column="t", regex="x"),
        ),
        id_column="item_id",
    )
    assert [item.status for item in result.results] == ["failed", "error", "passed"]
    assert "same type" in result.results[1].reason
    assert result.results[0].failing_ids == ("b",)


def test_exception_in_a_warning_is_no_success_either(
    validator: Validator, shards: Any, suite: Any, expect: Any
) -> None:
    broken = expect(BETWEEN, severity="warning", column="item_id", min_value=3)
    result = validator.validate(shards({"item_id": ["a"]}), suite(broken), id_column="item_id")
    assert not result.success


def test_failed_warning_alone_is_a_success(
    validator: Validator, shards: Any, suite: Any, expect: Any
) -> None:
    failing = expect(REGEX, severity="warning", column="item_id", regex="b")
    result = validator.validate(shards({"item_id": ["a"]}), suite(failing), id_column="item_id")
    assert result.success
    assert [item.status for item in result.problems] == ["failed"]


def test_empty_table_fails_by_its_row_count(
    validator: Validator, shards: Any, tmp_path: Path
) -> None:
    from toolkit.validate import load_suite

    path = tmp_path / "s.json"
    why = {"id": "present", "why": "Because."}
    item = {"type": NOT_NULL, "kwargs": {"column": "item_id"}, "severity": "critical", "meta": why}
    content = {"name": "s", "meta": {"about": "A test."}, "expectations": [item]}
    path.write_text(json.dumps(content))
    empty = shards({"item_id": pa.array([], pa.string())})
    result = validator.validate(empty, load_suite(path), id_column="item_id")
    assert not result.success
    assert [(item.id, item.status) for item in result.results] == [
        ("row_count", "failed"),
        ("present", "passed"),
    ]


def test_empty_table_does_not_hide_what_cannot_be_evaluated(one: Any, expect: Any) -> None:
    table = {"item_id": pa.array([], pa.string()), "n": pa.array([], pa.int64())}
    assert one(expect(NOT_NULL, column="m"), table).status == "error"
    assert one(expect("toolkit_unique", columns=["m"]), table).status == "error"


def test_lists_are_measured_as_lists(one: Any, expect: Any) -> None:
    table = {"item_id": ["a", "b", "c"], "l": [["xxxx"], ["x", "y"], []]}
    found = one(expect("expect_column_list_lengths_to_be_between", column="l", min_value=2), table)
    assert (found.status, found.failing_ids) == ("failed", ("a", "c"))
    longest = expect("expect_column_list_lengths_to_be_between", column="l", max_value=0)
    assert one(longest, table).failing_ids == ("a", "b")


@pytest.mark.parametrize(
    ("type_", "kwargs"),
    [
        ("expect_column_value_lengths_to_be_between", {"column": "l", "min_value": 2}),
        (REGEX, {"column": "l", "regex": "x"}),
        ("expect_column_values_to_be_unique", {"column": "l"}),
        ("toolkit_unique", {"columns": ["l"]}),
    ],
)
def test_list_column_is_not_judged_by_its_printed_form(
    one: Any, expect: Any, type_: str, kwargs: dict[str, Any]
) -> None:
    found = one(expect(type_, **kwargs), {"item_id": ["a", "b"], "l": [["x"], ["y"]]})
    assert found.status == "error"
    assert "'l'" in found.reason


def test_list_expectation_on_text_is_an_error(one: Any, expect: Any) -> None:
    found = one(
        expect("expect_column_list_lengths_to_be_between", column="item_id", min_value=1),
        {"item_id": ["a"]},
    )
    assert (found.status, found.reason) == ("error", "column 'item_id' is string, not a list")


def test_lists_of_records_have_a_length_and_no_text(one: Any, expect: Any) -> None:
    table = {"item_id": ["a", "b"], "l": [[{"t": "x"}], [{"t": "y"}, {"t": "z"}]]}
    shorter = expect("expect_column_list_lengths_to_be_between", column="l", max_value=1)
    assert one(shorter, table).failing_ids == ("b",)
    text = one(expect("expect_column_list_values_to_match_regex", column="l", regex="x"), table)
    assert text.status == "error"
    assert "no text" in text.reason


def test_nulls_of_lists_are_found(one: Any, expect: Any) -> None:
    found = one(expect(NOT_NULL, column="l"), {"item_id": ["a", "b"], "l": [None, ["y"]]})
    assert found.failing_ids == ("a",)


def test_null_rows_are_skipped_and_counted(one: Any, expect: Any) -> None:
    table = {"item_id": ["a", "b", "c"], "t": [None, "x", None]}
    found = one(expect(REGEX, column="t", regex="^x$"), table)
    assert (found.status, found.element_count, found.missing_count) == ("passed", 3, 2)
    assert one(expect(NOT_NULL, column="t"), table).failing_ids == ("a", "c")


def test_empty_text_is_not_null(one: Any, expect: Any) -> None:
    assert one(expect(NOT_NULL, column="t"), {"item_id": ["a"], "t": [""]}).status == "passed"


def test_integers_keep_their_digits_beside_a_null(one: Any, expect: Any) -> None:
    big = 2**53 + 1
    table = {"item_id": pa.array([big, None, 3], pa.int64()), "n": [1, 1, None]}
    found = one(expect(BETWEEN, column="item_id", max_value=1), table)
    assert found.failing_ids == (str(big), "3")
    digits = one(expect(REGEX, column="item_id", regex=r"^\d+$"), table)
    assert (digits.status, digits.missing_count) == ("passed", 1)
    assert one(expect(NOT_NULL, column="item_id"), table).failing_ids == ("(null)",)


def test_regular_expressions_are_those_of_python(one: Any, expect: Any) -> None:
    found = one(expect(REGEX, column="t", regex=r"^(?!x)\w+$"), {"item_id": ["a"], "t": ["é"]})
    assert found.status == "passed"


def test_row_condition_limits_the_rows(one: Any, expect: Any) -> None:
    table = {
        "item_id": ["a", "b", "c", "d"],
        "status": ["ok", "ok", "error", None],
        "leak": pa.array([True, None, False, True]),
        "answer": ["x", None, None, None],
    }
    equal = {
        "type": "comparison",
        "column": {"name": "status"},
        "operator": "IN",
        "parameter": ["ok"],
    }
    found = one(expect(NOT_NULL, column="answer", row_condition=equal), table, count=2)
    assert (found.element_count, found.failing_ids) == (2, ("b",))
    null = {"type": "nullity", "column": {"name": "status"}, "is_null": True}
    assert one(expect(NOT_NULL, column="answer", row_condition=null), table).failing_ids == ("d",)
    flag = {
        "type": "comparison",
        "column": {"name": "leak"},
        "operator": "==",
        "parameter": True,
    }
    found = one(expect(NOT_NULL, column="answer", row_condition=flag), table)
    assert (found.element_count, found.failing_ids) == (2, ("d",))
    both = {"type": "and", "conditions": [equal, flag]}
    assert one(expect(NOT_NULL, column="answer", row_condition=both), table).element_count == 1
    wrong = {**null, "column": {"name": "state"}}
    assert one(expect(NOT_NULL, column="answer", row_condition=wrong), table).status == "error"


def test_rows_that_repeat_in_different_shards_are_found(one: Any, expect: Any) -> None:
    table = {"item_id": ["a", "b", "c", "a"]}
    for type_, kwargs in (
        ("expect_column_values_to_be_unique", {"column": "item_id"}),
        ("toolkit_unique", {"columns": ["item_id"]}),
    ):
        found = one(expect(type_, **kwargs), table, count=4)
        assert (found.status, found.unexpected_count) == ("failed", 2)
        assert found.failing_ids == ("a", "a")


def test_mean_is_one_of_all_shards(one: Any, expect: Any) -> None:
    table = {"item_id": list("abcd"), "n": [0, 0, 10, 10]}
    kwargs = {"column": "n", "min_value": 4, "max_value": 6}
    for type_ in ("expect_column_mean_to_be_between", "toolkit_mean_between"):
        found = one(expect(type_, **kwargs), table, count=2)
        assert (found.status, found.observed) == ("passed", 5.0)


def test_several_id_columns_name_a_row(
    validator: Validator, shards: Any, suite: Any, expect: Any
) -> None:
    table = {"item_id": ["1", "1"], "model": ["m", None], "n": [1, 2]}
    result = validator.validate(
        shards(table),
        suite(expect(BETWEEN, column="n", max_value=0)),
        id_column=["item_id", "model"],
    )
    assert result.results[0].failing_ids == ("1 / m", "1 / (null)")


def test_results_keep_the_order_of_the_suite_and_are_plain(
    validator: Validator, shards: Any, suite: Any, expect: Any
) -> None:
    table = {"item_id": ["a", "b"], "n": [1, 2], "x": [0.5, float("nan")]}
    expectations = [
        expect(BETWEEN, "third", column="n", max_value=5),
        expect(NOT_NULL, "first", column="x"),
        expect("expect_column_max_to_be_between", "second", column="n", max_value=5),
        expect(REGEX, "zeroth", column="item_id", regex="."),
        expect("expect_column_sum_to_be_between", "last", column="x", max_value=5),
    ]
    result = validator.validate(shards(table, 2), suite(*expectations), id_column="item_id")
    assert [item.id for item in result.results] == [item.id for item in expectations]
    assert json.loads(json.dumps(result.to_json(), allow_nan=False)) == result.to_json()
    assert result.results[2].observed == 2


def test_result_depends_neither_on_the_order_of_paths_nor_on_folder_nor_run(
    validator: Validator, shards: Any, suite: Any, expect: Any, tmp_path: Path
) -> None:
    table = {"item_id": list("abcdef"), "n": [9, 1, 9, 1, 9, 9]}
    asked = suite(
        expect(BETWEEN, column="n", max_value=5), expect("toolkit_unique", "u", columns=["n"])
    )
    rejects = []
    results = []
    for index, backwards in enumerate((False, True)):
        paths = shards(table, 3, folder=f"folder{index}")
        target = tmp_path / f"rejects{index}.parquet"
        results.append(
            validator.validate(
                paths[::-1] if backwards else paths, asked, id_column="item_id", rejects=target
            )
        )
        rejects.append(target.read_bytes())
    assert results[0] == results[1]
    assert rejects[0] == rejects[1]


def test_unresolved_parameter_is_an_error_that_names_it(one: Any, expect: Any) -> None:
    table = {"item_id": ["a"], "s": ["train"]}
    asked = expect("toolkit_group_counts", column="s", groups={"$PARAMETER": "splits"})
    found = one(asked, table)
    assert (found.status, found.reason) == (
        "error",
        "groups: the caller gave no parameter 'splits'",
    )
    given = one(asked, table, parameters={"splits": ["train"]})
    assert (given.status, given.kwargs["groups"]) == ("passed", ["train"])


def test_parameter_of_a_wrong_kind_is_an_error(one: Any, expect: Any) -> None:
    asked = expect("toolkit_group_counts", column="item_id", groups={"$PARAMETER": "splits"})
    found = one(asked, {"item_id": ["a"]}, parameters={"splits": "train"})
    assert found.status == "error"
    assert found.reason.startswith("groups: ")


def damaged(paths: list[Path]) -> None:
    content = paths[1].read_bytes()
    paths[1].write_bytes(content[: len(content) // 2])


def other_columns(paths: list[Path]) -> None:
    pq.write_table(pa.table({"item_id": [1]}), paths[1])


def gone(paths: list[Path]) -> None:
    paths[1].unlink()


@pytest.mark.parametrize("harm", [damaged, other_columns, gone])
def test_table_that_cannot_be_read_is_an_error_that_names_the_shard(
    validator: Validator, shards: Any, suite: Any, expect: Any, tmp_path: Path, harm: Any
) -> None:
    paths = shards({"item_id": list("abcd")}, 2)
    harm(paths)
    result = validator.validate(
        paths,
        suite(expect(NOT_NULL, column="item_id"), expect("toolkit_row_count", "r", min_value=1)),
        id_column="item_id",
        rejects=tmp_path / "rejects.parquet",
    )
    assert not result.success
    assert {item.status for item in result.results} == {"error"}
    assert paths[1].name in result.results[0].reason
    assert not (tmp_path / "rejects.parquet").exists()


def test_missing_id_column_is_an_error(
    validator: Validator, shards: Any, suite: Any, expect: Any
) -> None:
    result = validator.validate(
        shards({"a": ["x"]}), suite(expect(NOT_NULL, column="a")), id_column="item_id"
    )
    assert result.results[0].reason == "the table has no id column item_id"


def test_table_without_shards_and_suite_without_expectations_never_pass(
    validator: Validator, suite: Any, expect: Any, shards: Any
) -> None:
    assert not validator.validate([], suite(expect(NOT_NULL, column="a")), id_column="a").success
    nothing = Suite("s", "A test.", ())
    assert not validator.validate(shards({"a": [1]}), nothing, id_column="a").success
