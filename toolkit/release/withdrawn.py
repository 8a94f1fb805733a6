"""``withdrawn.json``: items that were taken down, and why."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from toolkit.errors import UserError
from toolkit.gate.records import WITHDRAWN_FILE

__all__ = ["WITHDRAWN_FILE", "Withdrawn", "read_withdrawn", "withdrawn_text"]


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
    if not text or not text.strip():
        return ()
    try:
        entries = json.loads(text)["items"]
        items = [
            Withdrawn(**{name: str(entry[name]) for name in Withdrawn.__slots__})
            for entry in entries
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(
            f"{WITHDRAWN_FILE} cannot be read: {error}",
            hint="restore the file from an earlier revision of the repository",
        ) from error
    return tuple(sorted(items))


def withdrawn_text(items: Sequence[Withdrawn]) -> str:
    """Return ``withdrawn.json``, sorted by id; empty text for no items."""
    if not items:
        return ""
    data = {"schema": 1, "items": [asdict(item) for item in sorted(items)]}
    return json.dumps(data, sort_keys=True, indent=1, ensure_ascii=False) + "\n"
