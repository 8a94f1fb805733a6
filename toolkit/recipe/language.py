"""The public JSON Schema of recipes, put together from the dataclasses of all members."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any, Final

from toolkit.recipe import sections
from toolkit.recipe.human_section import Human
from toolkit.recipe.params import json_schema
from toolkit.recipe.publish_section import Publish
from toolkit.recipe.splits_section import Splits
from toolkit.records import SCHEMA_VERSION
from toolkit.registry import Kind, names, params_class

__all__ = ["NAME", "VALIDATED", "member_schema", "recipe_schema"]

NAME: Final = r"^\w+$"
"""Names of splits, prompts, models, judges: what file names and the Hub accept."""

_PROMPTS: Final = {
    "type": "array",
    "items": {"type": "string"},
    "minItems": 1,
    "description": "prompts or strategies whose answers it scores; all by default",
}

_SUFFIX: Final = {
    "type": "string",
    "pattern": r"^\w+$",
    "description": "ends the names of its scores (rouge1.SUFFIX), for a metric that is used twice",
}

VALIDATED: Final = (
    *("corpus", "splits", "variants", "generations", "judgements", "scores", "leaderboard"),
)
"""Kinds of artifact that have an expectation suite."""

_TOP: Final = (
    (
        "schema_version",
        {"type": "integer", "minimum": 1, "description": "version of the recipe language"},
    ),
    (
        "name",
        {
            "type": "string",
            "pattern": r"^[a-z0-9][a-z0-9_-]{0,62}$",
            "description": "short name: small letters, digits, - and _",
        },
    ),
    ("title", {"type": "string", "description": "title of the leaderboard"}),
    ("description", {"type": "string", "description": "what the benchmark measures"}),
    (
        "version",
        {"type": "string", "description": 'version of the benchmark, in quotes: "1.0"'},
    ),
    ("seed", {"type": "integer", "minimum": 0, "description": "seed of every random choice"}),
    ("extends", {"type": "string", "description": "recipe that this one changes"}),
    (
        "allow_paths",
        {
            "type": "array",
            "items": {"type": "string"},
            "description": "folders outside the recipe's own that its paths may reach",
        },
    ),
)


def recipe_schema(recipe: Any = None) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a whole recipe.

    Members are told apart by ``source``, ``provider``, ``type`` or their name through
    if/then, so that an error speaks of the member that was meant.

    Args:
        recipe: the data that it will be used on. Parameters of a member that it does not name
            are left out, and the member's module is not loaded for them; None for all members.
    """
    used = None if recipe is None else frozenset(_words(recipe))
    properties: dict[str, Any] = dict(_TOP)
    properties |= {
        "corpus": _told_apart("sources", sections.Corpus, "source", used),
        "splits": json_schema(Splits),
        "perturb": json_schema(sections.Perturb),
        "prompts": _named(json_schema(sections.Prompt)),
        "models": _named(_told_apart("models", sections.Model, "provider", used)),
        "generate": _one_or_more(json_schema(sections.Generate)),
        "judges": _named(_judge_schema(used)),
        "metrics": _member_list("metrics", used),
        "analyses": _member_list("analyses", used),
        "human": json_schema(Human),
        "validation": {
            "type": "object",
            "properties": {name: json_schema(sections.Validation) for name in VALIDATED},
            "additionalProperties": False,
        },
        "execution": json_schema(sections.Execution),
        "publish": json_schema(Publish),
    }
    for name in ("splits", "prompts", "models"):
        properties[name]["description"] = f"the {name} of the benchmark"
    _name_keys(properties["splits"], ("fractions", "sizes", "date", "views"))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"toolkit recipe, language version {SCHEMA_VERSION}",
        "type": "object",
        "properties": properties,
        "required": ["name", "corpus"],
        "additionalProperties": False,
    }


def member_schema(kind: Kind, name: str) -> dict[str, Any]:
    """Return the JSON Schema of one member's own parameters."""
    return json_schema(params_class(kind, name))


def _told_apart(
    kind: Kind,
    section: type,
    key: str,
    used: Container[str] | None,
    *,
    extra: dict[str, Any] | None = None,
) -> dict[str, Any]:
    common = json_schema(section)
    common["properties"].pop("params")
    common["required"] = [name for name in common.get("required", []) if name != "params"]
    shared = {**common["properties"], **(extra or {})}
    branches = []
    for name in names(kind):
        if used is not None and name not in used:
            continue
        own = member_schema(kind, name)
        then = {
            "properties": {**shared, key: {"const": name}, **own["properties"]},
            "required": [*common["required"], *own.get("required", [])],
            "additionalProperties": False,
        }
        branches.append(
            {"if": {"properties": {key: {"const": name}}, "required": [key]}, "then": then}
        )
    return {
        "type": "object",
        # Common keys are checked even where the member is unknown.
        "properties": {**shared, key: {"type": "string", "enum": names(kind)}},
        "required": [key, *(name for name in common["required"] if name != key)],
        "allOf": branches,
    }


def _judge_schema(used: Container[str] | None) -> dict[str, Any]:
    # A judge may extend another and then need not repeat its type.
    inherited = {"extends": {"type": "string", "description": "judge that this one changes"}}
    schema = _told_apart("judges", sections.Judge, "type", used, extra=inherited)
    schema["properties"] |= inherited
    del schema["required"]
    schema["anyOf"] = [{"required": ["type"]}, {"required": ["extends"]}]
    return schema


def _member_list(kind: Kind, used: Container[str] | None) -> dict[str, Any]:
    known = names(kind)
    parameters: dict[str, Any] = dict.fromkeys(known, True)
    for name in known:
        if used is None or name in used:
            parameters[name] = member_schema(kind, name)
            if kind == "metrics":
                parameters[name]["properties"] |= {"prompts": _PROMPTS, "suffix": _SUFFIX}
    if kind == "metrics":
        parameters["local"] = {"type": "string", "pattern": r"^[^:]+\.py:\w+$"}
    return {
        "type": "array",
        "items": {
            "type": ["string", "object"],
            "if": {"type": "string"},
            "then": {"enum": known},
            "else": {
                "properties": parameters,
                "additionalProperties": False,
                "minProperties": 1,
                "maxProperties": 1,
            },
        },
    }


def _words(data: Any) -> Iterator[str]:
    """Yield every key and every text."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping):
        for key, value in data.items():
            yield str(key)
            yield from _words(value)
    elif isinstance(data, list):
        for value in data:
            yield from _words(value)


def _named(item: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "propertyNames": {"pattern": NAME},
        "additionalProperties": item,
    }


def _one_or_more(item: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": ["object", "array"],
        "if": {"type": "object"},
        "then": {key: value for key, value in item.items() if key != "type"},
        "else": {"items": item, "minItems": 1},
    }


def _name_keys(schema: dict[str, Any], keys: tuple[str, ...]) -> None:
    for key in keys:
        schema["properties"][key]["propertyNames"] = {"pattern": NAME}
