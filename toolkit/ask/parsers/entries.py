"""Entries of a list in a text: lines with or without marks, or a separator between them."""

from __future__ import annotations

import json
import re
from typing import Final

__all__ = ["BULLET", "NOTHING", "split_entries"]

BULLET: Final = re.compile(r"[ \t]*+(?:[-*+•◦▪●·–—]|\(?[0-9]{1,3}[.)])[ \t]+")
"""What stands before an entry that has a line of its own."""

NOTHING: Final = frozenset({"none", "n/a", "-", "[]"})
"""How a list without entries is written."""

_ON_LINES: Final = "its entries stood on lines of their own"


def split_entries(text: str, separator: str) -> tuple[list[str], str]:
    """Divide a text into entries.

    Args:
        text: whole text of the list.
        separator: what was asked for between entries.

    Returns:
        The entries in their order, repeated ones kept, blank ones left out; and what was
        unusual about the text, empty for nothing.
    """
    whole = text.strip()
    if not whole or whole.removesuffix(".").casefold() in NOTHING:
        return [], ""
    written = _json_list(whole)
    if written is not None:
        return _filled(written, "it was a JSON list")
    lines = [line for line in whole.splitlines() if line.strip()]
    marked = [line for line in lines if BULLET.match(line)]
    if marked and lines[-len(marked) :] == marked and (len(lines) > 1 or separator not in whole):
        before = len(lines) > len(marked)
        unusual = f"{_ON_LINES}, after text that was left out" if before else _ON_LINES
        return _filled([_unmarked(line) for line in marked], unusual)
    if len(lines) > 1 and not any(separator in _ended(line, separator) for line in lines):
        return _filled([_ended(line, separator) for line in lines], _ON_LINES)
    entries = (whole if "\n" in separator else " ".join(lines)).split(separator)
    if all(BULLET.match(entry) for entry in entries):
        return _filled([_unmarked(entry) for entry in entries], "its entries had marks")
    return _filled(entries, "")


def _json_list(text: str) -> list[str] | None:
    if not (text.startswith("[") and text.endswith("]")):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        return None
    try:
        "".join(value).encode("utf-8")
    except UnicodeEncodeError:
        return None
    return value


def _ended(line: str, separator: str) -> str:
    """Return a line without the separator at its end."""
    line = line.strip()
    return line.removesuffix(separator.strip() or separator)


def _unmarked(entry: str) -> str:
    return BULLET.sub("", entry, count=1)


def _filled(entries: list[str], unusual: str) -> tuple[list[str], str]:
    kept = [entry.strip() for entry in entries if entry.strip()]
    if len(kept) < len(entries):
        unusual = unusual or "blank entries were left out"
    return kept, unusual
