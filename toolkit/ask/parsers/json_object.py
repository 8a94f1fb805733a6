"""A JSON reply, valid by its schema or no answer at all."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Final

from toolkit.ask.parsed import Parsed, invalid, unfenced
from toolkit.recipe.parsers import Json
from toolkit.store.canonical import canonical_json

__all__ = ["JsonParser"]

_FAULTS_SHOWN: Final = 3
_WORK: Final = 500_000_000
"""Characters looked at while searching prose for objects; beyond it, the reply is no answer."""


class _NotJsonError(ValueError):
    """A text is no JSON; says why."""


class JsonParser:
    """Raw text first, then a fence around it, then the last valid object in it.

    Nothing is mended inside a value, nothing cut off is completed, and nothing out of range is
    clamped: the reply holds a valid object or it is no answer.
    """

    def __init__(self, params: Json | None = None, schema: Mapping[str, Any] | None = None) -> None:
        """Take the declared schema, else ``schema``, else any object."""
        self._schema = (params.schema if params else None) or schema

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The schema that a reply must keep to."""
        return self._schema or {"type": "object"}

    def read(self, text: str) -> Parsed:
        """Read a reply."""
        whole = text.strip()
        if not whole:
            return invalid("the answer is empty")
        value, fault = self._read(whole)
        if not fault:
            return _taken(value, "ok", "")
        inner, taken_off = unfenced(whole)
        if taken_off:
            value, inner_fault = self._read(inner)
            if not inner_fault:
                return _taken(value, "repaired", taken_off)
            fault = inner_fault
        return self._from_prose(whole, fault)

    def _from_prose(self, text: str, fault: str) -> Parsed:
        found: list[Any] = []
        nearest = ""
        try:
            for candidate in _objects(text):
                problem = self._fault(candidate)
                if problem:
                    nearest = problem
                else:
                    found.append(candidate)
        except _NotJsonError as error:
            # What comes after is not known, so the last one is not known either.
            return invalid(str(error))
        if not found:
            return invalid(nearest or fault)
        if len(found) == 1:
            return _taken(found[0], "repaired", "the object stood among other text")
        reason = f"multiple_json: {len(found)} objects, the last valid one was taken"
        return _taken(found[-1], "repaired", reason)

    def _read(self, text: str) -> tuple[Any, str]:
        try:
            value = _loads(text)
        except _NotJsonError as error:
            return None, str(error)
        return value, self._fault(value)

    def _fault(self, value: Any) -> str:
        """Return where a value leaves its schema, in words a model can act on."""
        errors = sorted(self._validator.iter_errors(value), key=lambda e: list(map(str, e.path)))
        shown = [_words(error) for error in errors[:_FAULTS_SHOWN]]
        if len(errors) > _FAULTS_SHOWN:
            shown.append(f"and {len(errors) - _FAULTS_SHOWN} more faults")
        return "; ".join(shown)

    @cached_property
    def _validator(self) -> Any:
        from jsonschema import Draft202012Validator

        return Draft202012Validator(dict(self.schema or {}))

    def __getstate__(self) -> Any:
        # The compiled schema is made again where it is needed.
        return {"_schema": self._schema}


def _taken(value: Any, status: Any, reason: str) -> Parsed:
    return Parsed(status, canonical_json(value), reason, value)


def _words(error: Any) -> str:
    where = ".".join(map(str, error.absolute_path))
    message = str(error.message)
    if len(message) > 200:
        message = f"{message[:200]}..."
    return f"'{where}': {message}" if where else message


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _NotJsonError(f"the key '{twice}' stands twice in one object")
    return found


def _no_constant(name: str) -> Any:
    raise _NotJsonError(f"{name} is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise _NotJsonError(f"the number {text[:40]} is too large")
    return value


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_no_duplicates, parse_constant=_no_constant, parse_float=_finite
)


def _loads(text: str) -> Any:
    try:
        value, end = _DECODER.raw_decode(text)
    except RecursionError as error:
        raise _NotJsonError("it is nested too deeply") from error
    except _NotJsonError:
        raise
    except ValueError as error:
        raise _NotJsonError("it is no JSON") from error
    if end != len(text):
        raise _NotJsonError("there is more than one JSON value")
    return value


def _objects(text: str) -> Iterator[Any]:
    """Yield the outermost objects and lists of a text, in order.

    Raises:
        _NotJsonError: it would take too long, or is nested too deeply.
    """
    work = 0
    start = _next_start(text, 0)
    while start >= 0:
        try:
            value, end = _DECODER.raw_decode(text, start)
        except RecursionError as error:
            raise _NotJsonError("it is nested too deeply") from error
        except json.JSONDecodeError as error:
            # The decoder counts the lines before each error, too.
            work += error.pos + 20 * (error.pos - start) + 1
            end = start + 1
        except ValueError:
            # An object with a key twice, or NaN: it is no answer, what stands in it neither.
            work += len(text) - start
            end = start + 1
        else:
            work += 20 * (end - start)
            yield value
        if work > _WORK:
            raise _NotJsonError("there are too many places where an object might begin")
        start = _next_start(text, end)


def _next_start(text: str, position: int) -> int:
    match = _START.search(text, position)
    return match.start() if match else -1


_START: Final = re.compile(r"\{(?=\s*[\"}])|\[")
