"""Entries of a list in a text: lines with or without marks, or a separator between them."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["BULLET", "split_entries", "split_numbers"]

BULLET: Final = re.compile(r"\s*(?:[-*•–+]|\(?\d{1,3}[.)])\s+")
"""What stands before an entry that has a line of its own."""

_NONE: Final = frozenset({"none", "n/a", "-", "[]"})
_RANGE: Final = re.compile(r"(\d{1,6})(?:\s*[-–]\s*(\d{1,6}))?")
_LONGEST: Final = 10_000


def split_entries(text: str, separator: str) -> tuple[list[str], str]:
    """Divide a text into entries.

    Returns:
        The entries without blank ones, and what was unusual about it, empty for nothing.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if text.strip().casefold() in _NONE:
        return [], ""
    marked = [BULLET.match(line) for line in lines]
    if lines and all(marked):
        entries = [line[mark.end() :] for line, mark in zip(lines, marked, strict=True) if mark]
        return _filled(entries), "its entries stood on lines of their own"
    if len(lines) > 1 and not any(separator in line.rstrip(separator) for line in lines):
        return _filled([line.strip().rstrip(separator) for line in lines]), (
            "its entries stood on lines of their own"
        )
    return _filled(" ".join(lines).split(separator)), ""


def split_numbers(text: str) -> list[int] | None:
    """Return whole numbers divided by commas, ranges spelt out; None where it is anything else."""
    bare = text.strip().strip("[]()").strip().removesuffix(".")
    if not bare or bare.casefold() in _NONE:
        return []
    numbers: list[int] = []
    for part in re.split(r"[,;\s]*[,;\s]\s*", bare):
        match = _RANGE.fullmatch(part.strip().strip("[]"))
        if match is None:
            return None
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first or last - first > _LONGEST:
            return None
        numbers += range(first, last + 1)
    return numbers


def _filled(entries: list[str]) -> list[str]:
    return [entry.strip() for entry in entries if entry.strip()]
