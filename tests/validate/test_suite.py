from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolkit.validate import SuiteError, load_suite

ONE: dict[str, Any] = {
    "type": "expect_column_values_to_not_be_null",
    "kwargs": {"column": "item_id"},
    "severity": "critical",
    "meta": {"id": "present", "why": "Rows are joined by it."},
}


def write(folder: Path, *expectations: dict[str, Any], **top: Any) -> Path:
    content = {"name": "mine", "meta": {"about": "A test."}, "expectations": [*expectations], **top}
    path = folder / "mine.json"
    path.write_text(json.dumps(content, indent=2))
    return path


def faults(path: Path) -> list[str]:
    with pytest.raises(SuiteError) as caught:
        load_suite(path)
    return [str(fault) for fault in caught.value.faults]


def test_suite_without_a_row_count_gets_one(tmp_path: Path) -> None:
    loaded = load_suite(write(tmp_path, ONE))
    assert [item.id for item in loaded.expectations] == ["row_count", "present"]
    assert loaded.expectations[0].kwargs == {"min_value": 1}


@pytest.mark.parametrize(
    ("type_", "kwargs"),
    [
        ("toolkit_row_count", {"min_value": 0}),
        ("expect_table_row_count_to_be_between", {"max_value": 9}),
        ("expect_table_row_count_to_equal", {"value": 3}),
    ],
)
def test_stated_row_count_is_left_alone(tmp_path: Path, type_: str, kwargs: dict[str, int]) -> None:
    counted = {**ONE, "type": type_, "kwargs": kwargs}
    assert [item.type for item in load_suite(write(tmp_path, counted)).expectations] == [type_]


def test_misspelled_type_is_named_with_its_line_and_the_right_one(tmp_path: Path) -> None:
    path = write(tmp_path, {**ONE, "type": "expect_column_values_to_not_be_nul"})
    (fault,) = faults(path)
    line = (
        path.read_text().splitlines().index('      "type": "expect_column_values_to_not_be_nul",')
    )
    assert fault.startswith(f"{path}:{line + 1}:")
    assert "did you mean 'expect_column_values_to_not_be_null'?" in fault


def test_misspelled_argument_is_named_with_the_right_one(tmp_path: Path) -> None:
    (fault,) = faults(write(tmp_path, {**ONE, "kwargs": {"column": "a", "mostl": 0.5}}))
    assert "unknown key 'mostl'; did you mean 'mostly'?" in fault
    assert "[expectations.0.kwargs]" in fault


def test_all_faults_are_reported_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    found = faults(
        write(
            tmp_path,
            {**ONE, "type": "no_such_type"},
            {**ONE, "severity": "fatal"},
            {**ONE, "kwargs": {}},
            {key: value for key, value in ONE.items() if key != "meta"},
        )
    )
    assert len(found) == 6
    text = "\n".join(found)
    assert "unknown expectation type 'no_such_type'" in text
    assert "'fatal' is not allowed; known: critical, warning" in text
    assert "missing 'column'" in text
    assert "missing 'meta'" in text
    assert text.count("the id 'present' stands twice") == 2


@pytest.mark.parametrize(
    ("kwargs", "type_", "said"),
    [
        ({"column": "a", "regex": "("}, "expect_column_values_to_match_regex", "regular expres"),
        (
            {"column": "a", "regex_list": ["a", "["]},
            "expect_column_values_to_match_regex_list",
            "kwargs.regex_list.1] not a regular expression",
        ),
        ({"column": "a"}, "expect_column_values_to_be_between", "nothing can fail"),
        ({}, "toolkit_row_count", "nothing can fail"),
        ({"column": "a", "mostly": 0}, "expect_column_values_to_not_be_null", "mostly"),
        ({"column": "a", "value_set": []}, "expect_column_values_to_be_in_set", "list is empty"),
        (
            {"column": "a", "row_condition": "__import__('os')"},
            "expect_column_values_to_not_be_null",
            "not of type 'object'",
        ),
        (
            {"column": "a", "row_condition": {"type": "pass_through", "pass_through_filter": "a"}},
            "expect_column_values_to_not_be_null",
            "'pass_through' is not allowed",
        ),
        (
            {"column": "a", "json_schema": {"items": [{"$ref": "http://x.example/s"}]}},
            "expect_column_values_to_match_json_schema",
            "would be downloaded",
        ),
        ({"column": "a", "groups": {"$PARAM": "x"}}, "toolkit_group_counts", "groups"),
    ],
)
def test_argument_that_cannot_work_is_refused(
    tmp_path: Path, kwargs: dict[str, Any], type_: str, said: str
) -> None:
    found = faults(write(tmp_path, {**ONE, "type": type_, "kwargs": kwargs}))
    assert any(said in fault for fault in found), found


def test_type_that_needs_a_database_is_refused_with_a_way_out(tmp_path: Path) -> None:
    (fault,) = faults(write(tmp_path, {**ONE, "type": "unexpected_rows_expectation"}))
    assert "cannot be used here" in fault
    assert "Parquet" in fault


def test_suite_without_expectations_is_refused(tmp_path: Path) -> None:
    (fault,) = faults(write(tmp_path))
    assert "nothing would be checked" in fault


def test_missing_suite_is_named(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path / "absent.json")
    assert "absent.json" in fault
    assert "No such file" in fault


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "type 'object'"),
        ("[]", "type 'object'"),
        ('{"name": "a", "name": "b"}', "duplicate key 'name'"),
        ('{"name": }}', ""),
        ('{"expectations": NaN}', ""),
    ],
)
def test_file_that_is_no_suite_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "odd.json"
    path.write_text(text)
    assert any(said in fault for fault in faults(path))


def test_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "latin.json"
    path.write_bytes(b'{"name": "caf\xe9"}')
    assert "not UTF-8" in faults(path)[0]


def test_yaml_suite_loads_like_json(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(
        "name: mine\n"
        "meta: {about: A test.}\n"
        "expectations:\n"
        "  - type: expect_column_values_to_not_be_null\n"
        "    kwargs: {column: item_id}\n"
        "    severity: critical\n"
        "    meta: {id: present, why: Rows are joined by it.}\n"
    )
    assert load_suite(path) == load_suite(write(tmp_path, ONE))


def test_suite_goes_through_json_unchanged(tmp_path: Path) -> None:
    loaded = load_suite(write(tmp_path, ONE))
    path = tmp_path / "again.json"
    path.write_text(json.dumps(loaded.to_json()))
    assert load_suite(path) == loaded
