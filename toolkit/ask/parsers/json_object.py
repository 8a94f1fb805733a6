"""A JSON reply, valid by its schema or no answer at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from itertools import islice
from typing import Any, Final

from toolkit.ask.parsed import Parsed, ParserStatus, invalid, unfenced
from toolkit.ask.parsers.json_text import NotJsonError, embedded, loads
from toolkit.recipe.parsers import Json
from toolkit.store.canonical import canonical_json

__all__ = ["JsonParser"]

_CANDIDATES: Final = 1000
_FAULTS_SHOWN: Final = 3
_FAULTS_READ: Final = 50
_WORDS: Final = 200


class JsonParser:
    """Raw text first, then a fence around it, then the last valid object in it.

    Nothing is mended inside a value, nothing cut off is completed, and nothing out of range is
    clamped: the reply holds a valid object or it is no answer.
    """

    def __init__(self, params: Json | None = None, schema: Mapping[str, Any] | None = None) -> None:
        """Take the declared schema, else ``schema``, else any object."""
        declared = params.schema if params is not None else None
        self._schema = declared if declared is not None else schema

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The schema that a reply must keep to."""
        return {"type": "object"} if self._schema is None else self._schema

    def read(self, text: str) -> Parsed:
        """Read a reply."""
        whole, fence = unfenced(text)
        if not whole:
            return invalid("the answer is empty")
        # What stands in a fence may itself be a fence inside a string: the raw text goes first.
        value, fault = self._read(text.strip())
        if not fault:
            return _taken(value, "ok", "")
        if fence:
            value, fault = self._read(whole)
            if not fault:
                return _taken(value, "repaired", fence)
        return self._from_prose(text, fault)

    def _from_prose(self, text: str, fault: str) -> Parsed:
        found: list[Any] = []
        nearest = ""
        try:
            for number, candidate in enumerate(embedded(text)):
                if number == _CANDIDATES:
                    return invalid(f"more than {_CANDIDATES} objects stand in it")
                broken = isinstance(candidate, NotJsonError)
                problem = str(candidate) if broken else self._fault(candidate)
                nearest = problem or nearest
                if not problem:
                    found.append(candidate)
        except NotJsonError as error:
            return invalid(str(error))
        if not found:
            return invalid(nearest or fault)
        if len(found) == 1:
            return _taken(found[0], "repaired", "the object stood among other text")
        reason = f"multiple_json: {len(found)} objects, the last valid one was taken"
        return _taken(found[-1], "repaired", reason)

    def _read(self, text: str) -> tuple[Any, str]:
        try:
            value = loads(text)
        except NotJsonError as error:
            return None, str(error)
        return value, self._fault(value)

    def _fault(self, value: Any) -> str:
        """Return where a value leaves its schema, in words a model can act on."""
        try:
            errors = list(islice(self._validator.iter_errors(value), _FAULTS_READ))
        except RecursionError:
            return "it refers to itself without end"
        errors.sort(key=lambda error: [str(part) for part in error.absolute_path])
        shown = [_words(error) for error in errors[:_FAULTS_SHOWN]]
        if len(errors) > _FAULTS_SHOWN:
            more = len(errors) - _FAULTS_SHOWN
            shown.append(f"and {'at least ' * (len(errors) == _FAULTS_READ)}{more} more")
        return "; ".join(shown)

    @cached_property
    def _validator(self) -> Any:
        from jsonschema import Draft202012Validator
        from referencing import Registry

        # Sorted: the order of a recipe's keys decides no message. The registry is empty:
        # nothing is ever fetched.
        schema = json.loads(canonical_json(self.schema))
        return Draft202012Validator(schema, registry=Registry())

    def __getstate__(self) -> dict[str, Any]:
        # The compiled schema is made again where it is needed.
        return {"_schema": self._schema}


def _taken(value: Any, status: ParserStatus, reason: str) -> Parsed:
    return Parsed(status, canonical_json(value), reason, value)


def _words(error: Any) -> str:
    where = ".".join(map(str, error.absolute_path))
    message = str(error.message)
    if len(message) > _WORDS:
        # The value comes first in these messages, what was expected last.
        message = f"{message[:60]}... {message[60 - _WORDS :]}"
    return f"'{where}': {message}" if where else message
