"""A reply divided by headings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolkit.ask.parsed import Parsed, invalid, unfenced
from toolkit.ask.parsers.entries import split_entries
from toolkit.ask.parsers.numerals import read_number, split_numbers
from toolkit.ask.parsers.wrapping import unwrapped
from toolkit.recipe.parsers import Section, Sections
from toolkit.store.canonical import canonical_json

__all__ = ["SectionsParser"]

_BEFORE: Final = (
    r"^[ \t]*+(?P<marks>(?:[-*+•][ \t]++)?(?:\#{1,6}[ \t]*+)?(?:[0-9]{1,2}[.)][ \t]*+)?"
    r"(?P<bold>\*\*|__)?)[ \t]*+"
)
_AFTER: Final = (
    r"(?P<after>[ \t]*+(?(bold)(?:(?P=bold)[ \t]*+:?|:[ \t]*+(?P=bold)?)|(?::|(?=[ \t\r]*+$))))"
)
"""Emphasis after a heading is its end only where emphasis stood before it."""


@dataclass(frozen=True, slots=True)
class _Divided:
    """Texts of the parts, or what is wrong; and what was unusual."""

    texts: Mapping[str, str]
    fault: str = ""
    notes: tuple[str, ...] = ()


class SectionsParser:
    """Parts by their headings, each on a line of its own or before its text.

    The form asked for is ``Heading: text`` in the order of the parts. Markdown's headings and
    emphasis, another case and another order are read, too, and noted.
    """

    schema: Mapping[str, Any] | None = None

    def __init__(self, params: Sections) -> None:
        """Take the parts and their headings."""
        self._params = params
        self._headings = {name: part.heading or name for name, part in params.parts.items()}
        # Long ones first: one heading may begin with another.
        names = sorted(self._headings, key=lambda name: -len(self._headings[name].strip()))
        self._groups = {f"part{index}": name for index, name in enumerate(names)}
        choices = "|".join(
            f"(?P<{group}>{re.escape(self._headings[name].strip())})"
            for group, name in self._groups.items()
        )
        self._pattern = re.compile(f"{_BEFORE}(?:{choices}){_AFTER}", re.IGNORECASE | re.MULTILINE)

    def read(self, text: str) -> Parsed:
        """Read a reply."""
        whole, fence = unfenced(text)
        if not whole:
            return invalid("the answer is empty")
        divided = self._divided(whole)
        if divided.fault:
            return invalid(divided.fault)
        values: dict[str, Any] = {}
        notes = [fence, *divided.notes]
        for name, part in self._params.parts.items():
            value, fault, unusual = _value(part, divided.texts[name], self._headings[name])
            if fault:
                return invalid(fault)
            notes.append(f"'{self._headings[name]}': {unusual}" if unusual else "")
            values[name] = value
        reason = "; ".join(filter(None, notes))
        return Parsed("repaired" if reason else "ok", self._answer(values), reason, values)

    def _divided(self, text: str) -> _Divided:
        marks = list(self._pattern.finditer(text))
        names = [self._name(mark) for mark in marks]
        seen: set[str] = set()
        for name in names:
            if name in seen:
                return _Divided({}, f"the heading '{self._headings[name]}' stands twice")
            seen.add(name)
        missing = [heading for name, heading in self._headings.items() if name not in seen]
        if missing:
            headings = ", ".join(f"'{heading}:'" for heading in missing)
            return _Divided({}, f"it has no section {headings}")
        ends = [*(mark.start() for mark in marks[1:]), len(text)]
        texts = {
            name: text[mark.end() : end].strip()
            for name, mark, end in zip(names, marks, ends, strict=True)
        }
        notes = []
        if text[: marks[0].start()].strip():
            notes.append("text before the first heading was left out")
        if not all(self._plain(mark, name) for mark, name in zip(marks, names, strict=True)):
            notes.append("its headings were marked up or spelt otherwise")
        if names != list(self._headings):
            notes.append("its sections stood in another order")
        return _Divided(texts, notes=tuple(notes))

    def _name(self, mark: re.Match[str]) -> str:
        return next(name for group, name in self._groups.items() if mark[group] is not None)

    def _plain(self, mark: re.Match[str], name: str) -> bool:
        return mark[0].lstrip() == f"{self._headings[name].strip()}:"

    def _answer(self, values: Mapping[str, Any]) -> str:
        name = self._params.answer
        value = values if name is None else values[name]
        if isinstance(value, list):
            return ", ".join(map(str, value))
        return value if isinstance(value, str) else canonical_json(value)


def _value(part: Section, text: str, heading: str) -> tuple[Any, str, str]:
    """Return a part's value, a fault, and what was unusual about it."""
    value: Any = text
    unusual = ""
    count = 1 if text else 0
    if part.as_ == "number":
        value = read_number(unwrapped(text))
        if value is None:
            return None, f"'{heading}' must hold one number and nothing else", ""
    elif part.as_ == "numbers":
        value = split_numbers(text)
        if value is None:
            return None, f"'{heading}' must hold whole numbers divided by commas", ""
        count = len(value)
    elif part.as_ == "list":
        value, unusual = split_entries(text, part.separator)
        count = len(value)
    if count < part.at_least:
        found = f"holds {count} entries" if count else "is empty"
        return None, f"'{heading}' {found}; it needs at least {part.at_least}", ""
    return value, "", unusual
