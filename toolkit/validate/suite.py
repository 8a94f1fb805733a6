"""Expectation suites: files a user may edit, loaded strictly.

A suite is JSON (or YAML) with a name, a sentence about it, and expectations; each has a type,
its arguments, a severity, an id and the reason why it is there. Every fault of a file is
reported at once, with its line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from toolkit.errors import Fault, RecipeError, UserError, suggest
from toolkit.recipe.strict_yaml import Document, load_yaml
from toolkit.validate.catalogue import REFUSED, TYPES
from toolkit.validate.schema import kwargs_schema, structure_schema

__all__ = ["Expectation", "Severity", "Suite", "SuiteError", "kwargs_faults", "load_suite"]

Severity = Literal["critical", "warning"]

_Path = tuple[str | int, ...]


class SuiteError(UserError):
    """A suite file cannot be used; all its faults are listed.

    Attributes:
        faults: the faults, in the order of the file.
    """

    def __init__(self, faults: Sequence[Fault], *, hint: str = "") -> None:
        self.faults = sorted(faults)
        head = f"{len(self.faults)} fault{'s' if len(self.faults) != 1 else ''} in the suite"
        super().__init__("\n".join([head, *(f"  {fault}" for fault in self.faults)]), hint=hint)


@dataclass(frozen=True, slots=True)
class Expectation:
    """One statement about a table.

    Attributes:
        id: unique in its suite; the reason in the rejects and the name in reports.
        type: a key of :data:`toolkit.validate.catalogue.TYPES`.
        kwargs: the arguments of the type.
        severity: ``critical`` decides whether the suite passes, ``warning`` is only reported.
        why: one sentence.
    """

    id: str
    type: str
    kwargs: Mapping[str, Any]
    severity: Severity
    why: str


@dataclass(frozen=True, slots=True)
class Suite:
    """A named list of expectations, about one kind of table."""

    name: str
    about: str
    expectations: tuple[Expectation, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the suite as its file holds it, the row count it was given included."""
        return {
            "name": self.name,
            "meta": {"about": self.about},
            "expectations": [
                {
                    "type": item.type,
                    "kwargs": dict(item.kwargs),
                    "severity": item.severity,
                    "meta": {"id": item.id, "why": item.why},
                }
                for item in self.expectations
            ],
        }


_ROW_COUNT: Final = Expectation(
    "row_count",
    "toolkit_row_count",
    {"min_value": 1},
    "critical",
    "An empty table satisfies every other expectation, so it must be refused by name.",
)


def load_suite(path: Path) -> Suite:
    """Load a suite file.

    A suite that says nothing about the number of rows gets an expectation of at least one,
    because an empty table passes everything else.

    Raises:
        SuiteError: the file is missing, is no suite, or has faults; all are listed.
    """
    document = _read(path)
    faults = [*_structure_faults(document, str(path)), *_argument_faults(document, str(path))]
    if faults:
        raise SuiteError(faults, hint="docs/validation.md lists the types and their arguments")
    expectations = tuple(_expectation(item) for item in document.data["expectations"])
    if not any(TYPES[item.type].scope == "row_count" for item in expectations):
        expectations = (_ROW_COUNT, *expectations)
    return Suite(document.data["name"], document.data["meta"]["about"], expectations)


def kwargs_faults(name: str, kwargs: Mapping[str, Any]) -> list[str]:
    """Check the final arguments of one expectation, parameters filled in.

    Args:
        name: a known type.
        kwargs: its arguments.

    Returns:
        What is wrong with them, in the order found.
    """
    return [
        f"{'.'.join(str(part) for part in path)}: {reason}" if path else reason
        for path, reason, _ in _kwargs_faults(name, kwargs, parameters=False)
    ]


def _read(path: Path) -> Document:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        reason = f"the suite cannot be read: {error.strerror or error}"
        raise SuiteError([Fault(str(path), 0, 0, "", reason)]) from None
    except UnicodeDecodeError as error:
        reason = f"not UTF-8: byte {error.start} is {error.object[error.start]:#04x}"
        raise SuiteError([Fault(str(path), 0, 0, "", reason)]) from None
    try:
        return load_yaml(text, str(path))
    except RecipeError as error:
        raise SuiteError(error.faults) from None


def _expectation(item: Mapping[str, Any]) -> Expectation:
    meta = item["meta"]
    return Expectation(meta["id"], item["type"], item["kwargs"], item["severity"], meta["why"])


def _structure_faults(document: Document, file: str) -> list[Fault]:
    from jsonschema import Draft202012Validator

    faults = []
    for error in Draft202012Validator(structure_schema()).iter_errors(document.data):
        path = tuple(error.absolute_path)
        if error.validator == "enum" and path and path[-1] == "type":
            reason, advice = _unknown_type(str(error.instance))
        else:
            reason, advice = _worded(error)
        faults.append(_fault(document, file, path, reason, advice))
    return faults + _repeated_ids(document, file)


def _unknown_type(name: str) -> tuple[str, str]:
    if name in REFUSED:
        return f"'{name}' cannot be used here", REFUSED[name]
    return f"unknown expectation type '{name}'", suggest(name, sorted(TYPES))


def _repeated_ids(document: Document, file: str) -> list[Fault]:
    faults, seen = [], set()
    for index, item in enumerate(_items(document)):
        meta = item.get("meta")
        name = meta.get("id") if isinstance(meta, dict) else None
        if isinstance(name, str) and name in seen:
            place: _Path = ("expectations", index, "meta", "id")
            faults.append(_fault(document, file, place, f"the id '{name}' stands twice", ""))
        seen.add(name if isinstance(name, str) else "")
    return faults


def _argument_faults(document: Document, file: str) -> list[Fault]:
    faults = []
    for index, item in enumerate(_items(document)):
        name, kwargs = item.get("type"), item.get("kwargs")
        if isinstance(name, str) and name in TYPES and isinstance(kwargs, dict):
            base: _Path = ("expectations", index, "kwargs")
            faults += [
                _fault(document, file, (*base, *path), reason, advice)
                for path, reason, advice in _kwargs_faults(name, kwargs, parameters=True)
            ]
    return faults


def _items(document: Document) -> list[dict[str, Any]]:
    data = document.data
    items = data.get("expectations") if isinstance(data, dict) else None
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _kwargs_faults(
    name: str, kwargs: Mapping[str, Any], *, parameters: bool
) -> list[tuple[_Path, str, str]]:
    from jsonschema import Draft202012Validator

    schema = kwargs_schema(name, parameters=parameters)
    faults = [
        (tuple(error.absolute_path), *_worded(error))
        for error in Draft202012Validator(schema).iter_errors(dict(kwargs))
    ]
    bounds = [bound for bound in ("min_value", "max_value") if bound in TYPES[name].arguments]
    if bounds and "groups" not in kwargs and all(kwargs.get(bound) is None for bound in bounds):
        faults.append(((), "neither min_value nor max_value is given, so nothing can fail", ""))
    faults += _bad_patterns(kwargs)
    if _remote_reference(kwargs.get("json_schema")):
        faults.append((("json_schema",), "a $ref to another document would be downloaded", ""))
    return faults


def _bad_patterns(kwargs: Mapping[str, Any]) -> list[tuple[_Path, str, str]]:
    listed = kwargs.get("regex_list")
    patterns: list[tuple[_Path, Any]] = [(("regex",), kwargs.get("regex"))]
    patterns += [
        (("regex_list", index), item)
        for index, item in enumerate(listed if isinstance(listed, list) else [])
    ]
    faults: list[tuple[_Path, str, str]] = []
    for path, pattern in patterns:
        if isinstance(pattern, str):
            try:
                re.compile(pattern)
            except (re.error, OverflowError, RecursionError) as error:
                faults.append((path, f"not a regular expression: {error}", ""))
    return faults


def _remote_reference(value: Any) -> bool:
    if isinstance(value, dict):
        reference = value.get("$ref", "#")
        return not str(reference).startswith("#") or any(map(_remote_reference, value.values()))
    return isinstance(value, list) and any(map(_remote_reference, value))


def _worded(error: Any) -> tuple[str, str]:
    """Put one schema error into words: what is wrong, and what to write instead."""
    if error.validator == "additionalProperties":
        known = sorted(error.schema.get("properties", {}))
        unknown = [key for key in error.instance if key not in known]
        advice = suggest(str(unknown[0]), known)
        return f"unknown key{'s' * (len(unknown) > 1)} {', '.join(map(repr, unknown))}", advice
    if error.validator == "required":
        missing = [key for key in error.validator_value if key not in error.instance]
        return f"missing {', '.join(map(repr, missing))}", ""
    if error.validator == "enum":
        known = [str(value) for value in error.validator_value]
        return f"{error.instance!r} is not allowed", suggest(str(error.instance), known)
    if error.validator == "minItems" and not error.instance:
        return "the list is empty, so nothing would be checked", ""
    return str(error.message)[:300], ""


def _fault(document: Document, file: str, path: _Path, reason: str, advice: str) -> Fault:
    known = path
    while known not in document.values and known:
        known = known[:-1]
    mark = document.values.get(known)
    line, column = (mark.line, mark.column) if mark else (1, 1)
    return Fault(file, line, column, ".".join(str(part) for part in path), reason, advice)
