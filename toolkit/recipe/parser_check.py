"""Check the parameters of a parser: their shape, and that they can be kept to at all."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from toolkit.errors import suggest
from toolkit.recipe.strict_yaml import Path

__all__ = ["Problem", "parser_problems"]


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a parser's parameters.

    Attributes:
        path: where, inside the parameters.
        reason: what is wrong.
        suggestion: what to write instead; may be empty.
    """

    path: Path
    reason: str
    suggestion: str = ""


def parser_problems(name: str, params: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what no reply could keep to, in parameters whose shape is right.

    Args:
        name: a known parser.
        params: its parameters; they have passed the schema of its dataclass.
    """
    yield from _CHECKS.get(name, _nothing)(params)


def _nothing(params: Mapping[str, Any]) -> Iterator[Problem]:
    yield from ()


def _choice(params: Mapping[str, Any]) -> Iterator[Problem]:
    options = params["options"]
    if not options:
        yield Problem(("options",), "a choice needs options")
    for index, option in enumerate(options):
        if not option.strip():
            yield Problem(("options", index), "an option cannot be blank")
        elif option in options[:index]:
            yield Problem(("options", index), f"the option '{option}' stands twice")


def _number(params: Mapping[str, Any]) -> Iterator[Problem]:
    limits, step = params.get("range"), params.get("step")
    if limits is not None:
        if not all(map(math.isfinite, limits)):
            yield Problem(("range",), "both ends of a range must be finite")
        elif limits[0] >= limits[1]:
            reason = f"the range ends at {limits[1]}, which is not above {limits[0]}"
            yield Problem(("range",), reason, "write the lowest value first")
    if step is not None and not (math.isfinite(step) and step > 0):
        yield Problem(("step",), "a step must be above 0", "leave it out to take any number")


def _separator(params: Mapping[str, Any]) -> Iterator[Problem]:
    if params.get("separator") == "":
        yield Problem(("separator",), "a separator cannot be empty")


def _bullets(params: Mapping[str, Any]) -> Iterator[Problem]:
    yield from _separator(params)
    parts = params.get("parts")
    if parts is not None and (not all(part.strip() for part in parts) or parts[0] == parts[1]):
        yield Problem(("parts",), "the two parts need two names")


def _sections(params: Mapping[str, Any]) -> Iterator[Problem]:
    parts, answer = params["parts"], params.get("answer")
    if not parts:
        yield Problem(("parts",), "a reply needs at least one part")
    if answer is not None and answer not in parts:
        yield Problem(
            ("answer",), f"the reply has no part called '{answer}'", suggest(answer, list(parts))
        )
    seen: dict[str, str] = {}
    for name, part in parts.items():
        heading = part.get("heading") or name
        key = heading.strip().casefold()
        if not key or "\n" in heading:
            yield Problem(("parts", name, "heading"), "a heading is one line that is not blank")
        elif key in seen:
            reason = f"'{heading}' is the heading of the part '{seen[key]}', too"
            yield Problem(("parts", name, "heading"), reason)
        seen.setdefault(key, name)
        for problem in _separator(part):
            yield Problem(("parts", name, *problem.path), problem.reason)


def _json(params: Mapping[str, Any]) -> Iterator[Problem]:
    schema = params.get("schema")
    if schema is None:
        return
    problems = list(_broken(schema))
    if not problems:
        problems = [
            *(problem for path, part in _subschemas(schema) for problem in _words(path, part)),
            *_references(schema),
        ]
    if not problems and _endless(schema):
        problems = [Problem((), "this schema refers to itself without end")]
    for problem in problems:
        yield Problem(("schema", *problem.path), problem.reason, problem.suggestion)


_CHECKS: Final[Mapping[str, Callable[[Mapping[str, Any]], Iterator[Problem]]]] = {
    "bullets": _bullets,
    "choice": _choice,
    "json": _json,
    "list": _separator,
    "number": _number,
    "sections": _sections,
}


def _broken(schema: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield where a schema is not one of draft 2020-12."""
    from jsonschema import Draft202012Validator

    checker = Draft202012Validator(
        Draft202012Validator.META_SCHEMA, format_checker=Draft202012Validator.FORMAT_CHECKER
    )
    seen: set[Path] = set()
    for error in checker.iter_errors(schema):
        path = tuple(error.absolute_path)
        if path in seen:
            continue
        seen.add(path)
        if path and path[-1] == "type" and error.validator == "anyOf":
            suggestion = suggest(str(error.instance), _TYPES)
            yield Problem(path, f"'{error.instance}' is no JSON type", suggestion)
        else:
            yield Problem(path, f"this is no JSON Schema (2020-12): {error.message[:200]}")


_TYPES: Final = ["array", "boolean", "integer", "null", "number", "object", "string"]

_MAPS: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_SINGLE: Final = (
    *("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"),
    *("unevaluatedItems", "unevaluatedProperties", "contentSchema"),
)


def _subschemas(schema: Any, path: Path = ()) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Yield a schema and all schemas in it, with their paths."""
    if not isinstance(schema, Mapping):
        return
    yield path, schema
    for key in _MAPS:
        for name, part in schema.get(key, {}).items():
            yield from _subschemas(part, (*path, key, name))
    for key in _LISTS:
        for index, part in enumerate(schema.get(key, ())):
            yield from _subschemas(part, (*path, key, index))
    for key in _SINGLE:
        yield from _subschemas(schema.get(key), (*path, key))


def _words(path: Path, schema: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the words of a schema that mean nothing: they would hold no reply to anything."""
    known = _keywords()
    for key in schema:
        if key not in known and not key.startswith("x-"):
            yield Problem((*path, key), f"JSON Schema has no keyword '{key}'", suggest(key, known))


@cache
def _keywords() -> tuple[str, ...]:
    from jsonschema import Draft202012Validator
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

    core = Draft202012Validator.META_SCHEMA
    found = set(core["properties"])
    for part in core["allOf"]:
        found |= set(
            REGISTRY.contents(f"https://json-schema.org/draft/2020-12/{part['$ref']}")["properties"]
        )
    return tuple(sorted(found))


def _references(schema: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield references that lead out of the schema or to nothing."""
    from referencing import Registry
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012

    resolver: Any = Registry().resolver_with_root(DRAFT202012.create_resource(schema))
    for path, part in _subschemas(schema):
        for key in ("$ref", "$dynamicRef"):
            if key not in part:
                continue
            if not part[key].startswith("#"):
                reason = "a reference to another file or address is not followed"
                yield Problem((*path, key), reason, "put that schema under $defs")
                continue
            try:
                resolver.lookup(part[key])
            except Unresolvable:
                yield Problem((*path, key), f"there is nothing at '{part[key]}' in this schema")


def _endless(schema: Mapping[str, Any]) -> bool:
    from jsonschema import Draft202012Validator

    samples: tuple[Any, ...] = (None, True, 0, "", [], {})
    try:
        for sample in samples:
            Draft202012Validator(dict(schema)).is_valid(sample)
    except RecursionError:
        return True
    return False
