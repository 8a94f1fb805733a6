from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from toolkit.data import data_dir
from toolkit.validate import suite_schema

FILES = sorted(data_dir("validation").glob("*.json"))


def test_schema_is_valid_2020_12() -> None:
    rules = Draft202012Validator(Draft202012Validator.META_SCHEMA)
    assert list(rules.iter_errors(suite_schema())) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_shipped_suites_meet_the_published_schema(path: Any) -> None:
    assert not list(Draft202012Validator(suite_schema()).iter_errors(json.loads(path.read_text())))


def test_published_schema_knows_the_arguments_of_each_type() -> None:
    content = json.loads(next(path for path in FILES if path.stem == "table").read_text())
    content["expectations"][0]["kwargs"]["mini_value"] = 1
    errors = list(Draft202012Validator(suite_schema()).iter_errors(content))
    assert ["mini_value" in error.message for error in errors] == [True]
