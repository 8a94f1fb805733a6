"""A reply divided by headings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from toolkit.ask.parsed import Parsed, invalid, unfenced
from toolkit.ask.parsers.entries import split_entries, split_numbers
from toolkit.recipe.parsers import Section, Sections
from toolkit.store.canonical import canonical_json

__all__ = ["SectionsParser"]

_BEFORE: Final = r"^[ \t]*(?:#{1,6}[ \t]*)?(?:\d{1,2}[.)][ \t]*)?(?:\*\*|__)?[ \t]*"
_AFTER: Final = r"[ \t]*(?:(?:\*\*|__)[ \t]*:?|:[ \t]*(?:\*\*|__)?|(?=[ \t]*$))"


class SectionsParser:
    """Parts by their headings, each on a line of its own or before its text."""

    schema: Mapping[str, Any] | None = None

    def __init__(self, params: Sections) -> None:
        """Take the parts and their headings."""
        self._params = params
        self._headings = {part.heading or name: name for name, part in params.parts.items()}
        names = "|".join(
            re.escape(heading) for heading in sorted(self._headings, key=len, reverse=True)
        )
        self._pattern = re.compile(f"{_BEFORE}({names}){_AFTER}", re.IGNORECASE | re.MULTILINE)

    def read(self, text: str) -> Parsed:
        """Read a reply."""
        whole, reason = unfenced(text)
        texts, fault, before = self._texts(whole)
        if fault:
            return invalid(fault)
        values: dict[str, Any] = {}
        for name, part in self._params.parts.items():
            value, fault, unusual = _value(part, texts[name], part.heading or name)
            if fault:
                return invalid(fault)
            reason = reason or unusual
            values[name] = value
        if before:
            reason = reason or "text before the first heading was left out"
        return Parsed("repaired" if reason else "ok", self._answer(values), reason, values)

    def _texts(self, text: str) -> tuple[dict[str, str], str, bool]:
        """Return the text of each part, a fault, and whether text stood before them all."""
        marks = list(self._pattern.finditer(text))
        names = {heading.casefold(): name for heading, name in self._headings.items()}
        found = [names[mark[1].casefold()] for mark in marks]
        twice = [name for name in found if found.count(name) > 1]
        if twice:
            return {}, f"the heading '{self._heading(twice[0])}' stands twice", False
        missing = [self._heading(name) for name in self._params.parts if name not in found]
        if missing:
            return {}, f"no heading '{missing[0]}'", False
        ends = [*(mark.start() for mark in marks[1:]), len(text)]
        texts = {
            name: text[mark.end() : end].strip()
            for name, mark, end in zip(found, marks, ends, strict=True)
        }
        return texts, "", bool(text[: marks[0].start()].strip())

    def _heading(self, name: str) -> str:
        return self._params.parts[name].heading or name

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
        try:
            value = float(text)
        except ValueError:
            return None, f"'{heading}' must hold one number", ""
    elif part.as_ == "numbers":
        value = split_numbers(text)
        if value is None:
            return None, f"'{heading}' must hold whole numbers divided by commas", ""
        count = len(value)
    elif part.as_ == "list":
        # One entry a line is the usual form of a list under a heading.
        separator = "," if "\n" in text or ";" not in text else ";"
        value, unusual = split_entries(text, separator)
        unusual = ""
        count = len(value)
    if count < part.at_least:
        return None, f"'{heading}' holds {count} entries, at least {part.at_least} are needed", ""
    return value, "", unusual
