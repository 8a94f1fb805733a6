"""The JSON Schema of suite files, built from the catalogue of expectation types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from toolkit.validate.catalogue import TYPES, ExpectationType, argument_schema

__all__ = ["kwargs_schema", "structure_schema", "suite_schema"]

_COLUMN: Final = {
    "type": "object",
    "properties": {"name": {"type": "string", "minLength": 1}},
    "required": ["name"],
    "additionalProperties": False,
}
_SCALAR: Final = {"type": ["string", "number", "boolean"]}

# Great Expectations also takes a condition as text, which pandas evaluates as an expression;
# a suite written by a stranger must not bring code, so only the structured forms exist here.
_CONDITION: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["type"],
    "properties": {"type": {"enum": ["comparison", "nullity", "and", "or"]}},
    "allOf": [
        {
            "if": {"properties": {"type": {"const": "comparison"}}},
            "then": {
                "properties": {
                    "type": True,
                    "column": _COLUMN,
                    "operator": {"enum": ["==", "!=", "<", "<=", ">", ">=", "IN", "NOT_IN"]},
                    "parameter": {
                        "type": ["string", "number", "boolean", "array"],
                        "items": _SCALAR,
                        "minItems": 1,
                    },
                },
                "required": ["column", "operator", "parameter"],
                "additionalProperties": False,
            },
        },
        {
            "if": {"properties": {"type": {"const": "nullity"}}},
            "then": {
                "properties": {"type": True, "column": _COLUMN, "is_null": {"type": "boolean"}},
                "required": ["column", "is_null"],
                "additionalProperties": False,
            },
        },
        {
            "if": {"properties": {"type": {"enum": ["and", "or"]}}},
            "then": {
                "properties": {
                    "type": True,
                    "conditions": {
                        "type": "array",
                        "items": {"$ref": "#/$defs/condition"},
                        "minItems": 1,
                    },
                },
                "required": ["conditions"],
                "additionalProperties": False,
            },
        },
    ],
}

_PARAMETER: Final = {
    "type": "object",
    "properties": {"$PARAMETER": {"type": "string", "pattern": "^[a-z][a-z0-9_]*$"}},
    "required": ["$PARAMETER"],
    "additionalProperties": False,
}

_EXPECTATION: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "type": {"enum": sorted(TYPES)},
        "kwargs": {"type": "object"},
        "severity": {"enum": ["critical", "warning"]},
        "meta": {
            "type": "object",
            "properties": {
                "id": {"type": "string", "pattern": "^[a-z][a-z0-9_]*$"},
                "why": {"type": "string", "minLength": 1},
            },
            "required": ["id", "why"],
            "additionalProperties": False,
        },
    },
    "required": ["type", "kwargs", "severity", "meta"],
    "additionalProperties": False,
}


def suite_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a suite file, arguments of every type included."""
    branches = [
        {
            "if": {"properties": {"type": {"const": name}}, "required": ["type"]},
            "then": {"properties": {"kwargs": _kwargs(TYPES[name], _or_parameter)}},
        }
        for name in sorted(TYPES)
    ]
    schema = structure_schema()
    schema["properties"]["expectations"]["items"] = {**_EXPECTATION, "allOf": branches}
    return schema


def structure_schema() -> dict[str, Any]:
    """Return the schema of a suite file without the arguments of its expectations."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "An expectation suite of leaderboard-toolkit",
        "type": "object",
        "properties": {
            "$schema": {"type": "string"},
            "name": {"type": "string", "pattern": "^[a-z][a-z0-9_-]*$"},
            "meta": {
                "type": "object",
                "properties": {"about": {"type": "string", "minLength": 1}},
                "required": ["about"],
                "additionalProperties": False,
            },
            "expectations": {"type": "array", "minItems": 1, "items": _EXPECTATION},
        },
        "required": ["name", "meta", "expectations"],
        "additionalProperties": False,
        "$defs": _DEFINITIONS,
    }


def kwargs_schema(name: str, *, parameters: bool) -> dict[str, Any]:
    """Return the schema of the arguments of one type.

    Args:
        name: a key of :data:`toolkit.validate.catalogue.TYPES`.
        parameters: whether ``{"$PARAMETER": name}`` may stand for a value, as in a file.

    Raises:
        KeyError: no such type.
    """
    schema = _kwargs(TYPES[name], _or_parameter if parameters else argument_schema)
    return {**schema, "$defs": _DEFINITIONS}


_DEFINITIONS: Final = {"condition": _CONDITION, "parameter": _PARAMETER}


def _kwargs(kind: ExpectationType, argument: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: argument(name) for name in kind.arguments},
        "required": list(kind.required),
        "additionalProperties": False,
    }


def _or_parameter(argument: str) -> dict[str, Any]:
    # if/then, not anyOf: a wrong value is then reported as itself, not as "no alternative fits".
    return {
        "if": {"type": "object", "required": ["$PARAMETER"]},
        "then": {"$ref": "#/$defs/parameter"},
        "else": argument_schema(argument),
    }
