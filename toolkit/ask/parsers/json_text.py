"""Strict JSON out of a text, in time that grows with its length and no faster."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from toolkit.ask.reasoning import opening_mark, reasoning_end

__all__ = ["DEPTH_LIMIT", "NotJsonError", "embedded", "loads"]

DEPTH_LIMIT: Final = 100
"""Objects and lists inside one another; fixed, so that no stack of a machine decides."""


class NotJsonError(ValueError):
    """A text is no JSON; says why."""


def loads(text: str) -> Any:
    """Return the one JSON value that a text is.

    Stricter than the standard library: no NaN or Infinity, no number beyond double precision's
    range, no key twice in one object, no half of a surrogate pair.

    Raises:
        NotJsonError: it is none.
    """
    if _too_deep(text):
        raise NotJsonError(f"it is nested more than {DEPTH_LIMIT} deep")
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise NotJsonError(_words(error)) from error
    if "\\u" in text and _SURROGATE.search(json.dumps(value, ensure_ascii=False)):
        raise NotJsonError("a string holds half of a surrogate pair")
    return value


def embedded(text: str) -> Iterator[Any]:
    """Yield the outermost objects and lists that stand in a text, in order.

    What looks like one and cannot be read is yielded as a :class:`NotJsonError`, and nothing
    inside it is looked at: a part of a broken object is no answer. Reasoning between marks is
    passed over.

    Raises:
        NotJsonError: one is never closed, so which is the last cannot be known.
    """
    start = _next(text, 0)
    mark = opening_mark(text, 0)
    while start >= 0:
        if mark is not None and mark.start() < start:
            _, end = reasoning_end(text, mark)
            mark = opening_mark(text, end)
        else:
            end = _extent(text, start)
            if end < 0:
                raise NotJsonError("an object or list is never closed")
            try:
                yield loads(text[start:end])
            except NotJsonError as error:
                yield error
            if mark is not None and mark.start() < end:
                mark = opening_mark(text, end)
        start = _next(text, end)


_BEGIN: Final = re.compile(
    r'\{(?=\s*+["}])|\[(?!/?THINK\])(?=\s*+(?:["\[{\]0-9-]|true\b|false\b|null\b))', re.IGNORECASE
)
"""Where an object or list may begin; braces and brackets of prose rarely look like it."""

_TOKEN: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["{}\[\]]', re.DOTALL)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def _next(text: str, position: int) -> int:
    match = _BEGIN.search(text, position)
    return match.start() if match else -1


def _extent(text: str, start: int) -> int:
    """Return where the brackets that open at ``start`` are closed; -1 where they are not."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        first = token[0]
        if first in ("{", "["):
            depth += 1
        elif first in ("}", "]"):
            depth -= 1
            if depth == 0:
                return token.end()
        elif first == '"':
            # A string that does not end.
            return -1
    return -1


def _too_deep(text: str) -> bool:
    depth = 0
    for token in _TOKEN.finditer(text):
        first = token[0]
        depth += (first in ("{", "[")) - (first in ("}", "]"))
        if depth > DEPTH_LIMIT:
            return True
    return False


def _words(error: json.JSONDecodeError) -> str:
    if error.msg == "Extra data":
        return "there is more than one JSON value"
    near = error.doc[error.pos : error.pos + 20].strip()
    message = f"{error.msg[0].lower()}{error.msg[1:]}".removesuffix(" at")
    return f"it is no JSON: {message}" + (f" at {near!r}" if near else ", where it ends")


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise NotJsonError(f"the key '{name[:80]}' stands twice in one object")
        found[name] = value
    return found


def _no_constant(name: str) -> Any:
    raise NotJsonError(f"{name} is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise NotJsonError(f"the number {text[:40]} is too large")
    return value


def _whole(text: str) -> int:
    # Longer ones are beyond double precision, which readers of JSON compute in.
    if len(text) > _DIGITS:
        raise NotJsonError(f"the number {text[:40]}... is too large")
    return int(text)


_DIGITS: Final = 300

_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_no_duplicates,
    parse_constant=_no_constant,
    parse_float=_finite,
    parse_int=_whole,
)
