"""``withdrawn.json``: items that were taken down, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["WITHDRAWN_FILE", "Withdrawn", "read_withdrawn", "withdrawn_text"]

WITHDRAWN_FILE = "withdrawn.json"


@dataclass(frozen=True, slots=True, order=True)
class Withdrawn:
    """An item that was taken down.

    Attributes:
        item_id: its id; nothing else of it is kept.
        reason: why, in words of whoever took it down.
        date: ISO day.
        version: newest version at that time.
    """

    item_id: str
    reason: str
    date: str
    version: str


def read_withdrawn(text: str | None) -> tuple[Withdrawn, ...]:
    """Return the items of ``withdrawn.json`` by id; none for None or empty text.

    Raises:
        UserError: the text is no such list.
    """
    raise NotImplementedError


def withdrawn_text(items: Sequence[Withdrawn]) -> str:
    """Return ``withdrawn.json``, sorted by id; empty text for no items."""
    raise NotImplementedError
