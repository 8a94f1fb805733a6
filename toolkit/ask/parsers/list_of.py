"""A reply that is a list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolkit.ask.parsed import Parsed, invalid, unfenced
from toolkit.ask.parsers.entries import split_entries
from toolkit.recipe.parsers import ListOf

__all__ = ["ListParser"]


class ListParser:
    """Entries divided by a separator; numbered or bulleted lines are read too, and noted."""

    schema: Mapping[str, Any] | None = None

    def __init__(self, params: ListOf | None = None) -> None:
        """Take the separator."""
        self._params = params or ListOf()

    def read(self, text: str) -> Parsed:
        """Read a reply."""
        whole, fence = unfenced(text)
        if not whole:
            return invalid("the answer is empty")
        entries, unusual = split_entries(whole, self._params.separator)
        if not entries and unusual:
            return invalid("the list has no entries; write none where there are none")
        reason = fence or unusual
        return Parsed("repaired" if reason else "ok", ", ".join(entries), reason, entries)
