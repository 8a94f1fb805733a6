"""Faults of a file by kind: how many there are of each, and the first few."""

from __future__ import annotations

from typing import Final

from toolkit.report.text import printable, shorten

__all__ = ["FaultList", "shown"]

EXAMPLES: Final = 5
"""Faults of one kind that are written out."""

_LONGEST: Final = 80


def shown(text: str) -> str:
    """Return a text of somebody else's, short and fit to print, in quotes."""
    return f"'{shorten(printable(text), _LONGEST)}'"


class FaultList:
    """Counts faults and keeps the first of each kind: a file of a million may have a million."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._examples: dict[str, list[str]] = {}

    def __bool__(self) -> bool:
        return bool(self._counts)

    def add(self, kind: str, example: str = "") -> None:
        """Add a fault.

        Args:
            kind: what is wrong, e.g. ``missing ids``; faults of one kind are counted together.
            example: where, or with what.
        """
        self._counts[kind] = self._counts.get(kind, 0) + 1
        examples = self._examples.setdefault(kind, [])
        if example and len(examples) < EXAMPLES:
            examples.append(example)

    def lines(self) -> list[str]:
        """Return a line for each kind, in the order in which they were met."""
        return [self._line(kind, count) for kind, count in self._counts.items()]

    def _line(self, kind: str, count: int) -> str:
        examples = self._examples[kind]
        if not examples:
            return kind if count == 1 else f"{kind} ({count:,} times)"
        more = f" and {count - len(examples):,} more" if count > len(examples) else ""
        return f"{kind} ({count:,}): {'; '.join(examples)}{more}"
