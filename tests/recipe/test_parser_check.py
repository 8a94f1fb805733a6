"""What no reply could keep to is a fault of the recipe, at its line."""

from __future__ import annotations

import pytest
import small_recipe

from toolkit.recipe.parser_check import parser_problems

PROMPT = {"file": "ask.j2", "slots": {"question": "field:question"}}
STRING = {"type": "string"}

FAULTS = {
    "no option": ("choice", {"options": []}, "options", "needs options"),
    "a blank option": ("choice", {"options": ["A", " "]}, "options[1]", "cannot be blank"),
    "an option twice": ("choice", {"options": ["A", "A"]}, "options[1]", "'A' stands twice"),
    "a range backwards": ("number", {"range": [10, 1]}, "range", "ends at 1, which is not above"),
    "a range of one value": ("number", {"range": [1, 1]}, "range", "not above 1"),
    "a step of 0": ("number", {"step": 0}, "step", "must be above 0"),
    "an empty separator": ("list", {"separator": ""}, "separator", "cannot be empty"),
    "a point's empty separator": ("bullets", {"separator": ""}, "separator", "cannot be empty"),
    "one name for two parts": ("bullets", {"parts": ["a", "a"]}, "parts", "two names"),
    "no part": ("sections", {"parts": {}}, "parts", "at least one part"),
    "an answer that is no part": (
        "sections",
        {"parts": {"summary": {}}, "answer": "sumary"},
        "answer",
        "no part called 'sumary'",
    ),
    "a heading twice": (
        "sections",
        {"parts": {"a": {"heading": "Same"}, "b": {"heading": "same"}}},
        "parts.b.heading",
        "the heading of the part 'a', too",
    ),
    "a blank heading": (
        "sections",
        {"parts": {"a": {"heading": " "}}},
        "parts.a.heading",
        "one line that is not blank",
    ),
    "a part's empty separator": (
        "sections",
        {"parts": {"a": {"as": "list", "separator": ""}}},
        "parts.a.separator",
        "cannot be empty",
    ),
    "a type that is none": (
        "json",
        {"schema": {"type": "object", "properties": {"a": {"type": "strng"}}}},
        "schema.properties.a.type",
        "'strng' is no JSON type",
    ),
    "a value of the wrong kind": (
        "json",
        {"schema": {"type": "object", "required": "a"}},
        "schema.required",
        "no JSON Schema (2020-12)",
    ),
    "a pattern that is none": (
        "json",
        {"schema": {"type": "string", "pattern": "("}},
        "schema.pattern",
        "is not a 'regex'",
    ),
    "a keyword that is none": (
        "json",
        {"schema": {"type": "array", "items": {"type": "string", "minLenght": 1}}},
        "schema.items.minLenght",
        "no keyword 'minLenght'",
    ),
    "a reference to nothing": (
        "json",
        {"schema": {"type": "array", "items": {"$ref": "#/$defs/claim"}}},
        "schema.items.$ref",
        "nothing at '#/$defs/claim'",
    ),
    "a reference to an address": (
        "json",
        {"schema": {"$ref": "http://127.0.0.1:9/schema.json"}},
        "schema.$ref",
        "is not followed",
    ),
    "a schema without end": ("json", {"schema": {"$ref": "#"}}, "schema", "without end"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_a_parameter_that_cannot_be_kept_to(tmp_path, case):
    name, params, path, words = FAULTS[case]
    prompts = {"A": PROMPT | {"parser": {name: params}}}
    faults = small_recipe.faults(small_recipe.write(tmp_path, prompts=prompts))
    assert [fault.path for fault in faults] == [f"prompts.A.parser.{name}.{path}"]
    assert words in faults[0].reason
    assert faults[0].line > 1


def test_a_near_miss_is_named(tmp_path):
    prompts = {"A": PROMPT | {"parser": {"json": {"schema": {"propertis": {}}}}}}
    (fault,) = small_recipe.faults(small_recipe.write(tmp_path, prompts=prompts))
    assert fault.suggestion == "did you mean 'properties'?"


def test_every_fault_of_a_schema_is_named_at_once():
    schema = {"items": {"typ": "x"}, "properties": {"a": {"$ref": "#/b"}, "c": {"maxx": 1}}}
    found = {problem.path for problem in parser_problems("json", {"schema": schema})}
    assert found == {
        ("schema", "items", "typ"),
        ("schema", "properties", "c", "maxx"),
        ("schema", "properties", "a", "$ref"),
    }


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": ["object", "null"], "x-note": "kept"},
        {"type": "object", "properties": {"$ref": STRING, "maxx": STRING}},
        {"$defs": {"a": STRING}, "items": {"$ref": "#/$defs/a"}},
        {
            "$anchor": "top",
            "type": "object",
            "properties": {"children": {"items": {"$ref": "#top"}}},
        },
        {"type": "object", "additionalProperties": False, "title": "t", "examples": [{"typ": 1}]},
        {"enum": [0, 1]},
        {"if": {"type": "string"}, "then": {"minLength": 1}, "else": {"not": {"type": "null"}}},
    ],
)
def test_good_schemas(schema):
    assert list(parser_problems("json", {"schema": schema})) == []
