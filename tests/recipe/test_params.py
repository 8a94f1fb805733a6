"""Dataclasses become a closed JSON Schema, and data that pass it become instances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from jsonschema import Draft202012Validator

from toolkit.recipe.params import build, canonical_params, json_schema, key_of, path_values


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    file: str = field(metadata={"about": "a file", "path": True})
    weight: float = field(default=1.0, metadata={"minimum": 0, "maximum": 2})


@dataclass(frozen=True, slots=True, kw_only=True)
class Outer:
    name: str = field(metadata={"about": "a name", "pattern": "^[a-z]+$"})
    from_: str = "train"
    count: int | None = None
    kind: Literal["a", "b"] = "a"
    level: Literal["x", "y"] | None = None
    files: tuple[str, ...] = field(default=(), metadata={"path": True, "scalar": True})
    range: tuple[float, float] = (0.0, 1.0)
    pairs: tuple[tuple[str, str], ...] = ()
    inner: Inner | None = None
    many: Mapping[str, Inner] = field(default_factory=dict)
    free: Mapping[str, Any] = field(default_factory=dict)
    either: str | Mapping[str, Any] = "text"
    truth: bool = False


def broken(data: dict[str, Any]) -> list[str]:
    errors = Draft202012Validator(json_schema(Outer)).iter_errors(data)
    return sorted(str(error.validator) for error in errors)


GOOD: dict[str, Any] = {
    "name": "abc",
    "from": "dev",
    "count": 3,
    "kind": "b",
    "level": None,
    "files": "one.txt",
    "range": [0, 2],
    "pairs": [["A", "B"]],
    "inner": {"file": "in.txt", "weight": 2},
    "many": {"p": {"file": "p.txt"}},
    "free": {"anything": [1]},
    "either": {"json": {}},
    "truth": True,
}


def test_good_data_pass_and_become_an_instance():
    assert broken(GOOD) == []
    made = build(Outer, GOOD)
    assert made == Outer(
        name="abc",
        from_="dev",
        count=3,
        kind="b",
        files=("one.txt",),
        range=(0.0, 2.0),
        pairs=(("A", "B"),),
        inner=Inner(file="in.txt", weight=2.0),
        many={"p": Inner(file="p.txt")},
        free={"anything": [1]},
        either={"json": {}},
        truth=True,
    )
    assert [type(value) for value in made.range] == [float, float]


def test_defaults_stand_where_data_are_silent():
    assert build(Outer, {"name": "abc"}) == Outer(name="abc")
    assert json_schema(Outer)["required"] == ["name"]
    assert json_schema(Outer)["properties"]["from"]["default"] == "train"


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"nam": 1}, "additionalProperties"),
        ({"name": 5}, "type"),
        ({"name": "ABC"}, "pattern"),
        ({"count": 1.5}, "type"),
        ({"count": True}, "type"),
        ({"kind": "c"}, "enum"),
        ({"level": "z"}, "enum"),
        ({"files": 5}, "type"),
        ({"files": [5]}, "type"),
        ({"range": [1]}, "minItems"),
        ({"range": [1, "x"]}, "type"),
        ({"pairs": [["A", "B", "C"]]}, "maxItems"),
        ({"inner": {"file": "x", "weight": 3}}, "maximum"),
        ({"inner": {}}, "required"),
        ({"many": {"p": {"file": "x", "more": 1}}}, "additionalProperties"),
        ({"truth": "yes"}, "type"),
    ],
)
def test_bad_data_break_the_rule_that_says_so(change, rule):
    assert rule in broken(GOOD | change)


def test_an_integer_may_stand_for_a_number_and_truth_may_not():
    assert broken(GOOD | {"range": [0, 1]}) == []
    assert broken(GOOD | {"range": [True, 1]}) == ["type"]


def test_paths_are_found_wherever_they_stand():
    found = dict(path_values(Outer, GOOD | {"files": ["a.txt", "b/*.txt"]}))
    assert found == {
        ("files", 0): "a.txt",
        ("files", 1): "b/*.txt",
        ("inner", "file"): "in.txt",
        ("many", "p", "file"): "p.txt",
    }


def test_paths_of_faulty_data_are_no_error():
    assert list(path_values(Outer, {"files": 5, "inner": [], "many": None, "pairs": {}})) == []


def test_what_can_change_a_result_leaves_paths_out():
    params = canonical_params(build(Outer, GOOD))
    assert "files" not in params
    assert params["inner"] == {"weight": 2.0}
    assert params["pairs"] == [["A", "B"]]
    assert params["many"] == {"p": {"weight": 1.0}}


def test_keywords_of_python_are_written_without_their_underscore():
    assert (key_of("from_"), key_of("with_"), key_of("name")) == ("from", "with", "name")


def test_a_type_that_recipes_do_not_know_is_a_bug():
    @dataclass(frozen=True)
    class Strange:
        when: complex = 0j

    with pytest.raises(TypeError, match="cannot hold"):
        json_schema(Strange)
