"""Records that were withdrawn never go out; retracted ones go out flagged."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from toolkit.gate.base import Finding, Policy
from toolkit.gate.levels import IDS, WITHHELD
from toolkit.gate.outgoing import Chunk, Outgoing
from toolkit.report.chunks import read_chunk
from toolkit.report.text import printable

__all__ = ["WITHDRAWN_FILE", "Hidden", "Withdrawn", "retracted", "shown_hidden", "withdrawn_texts"]

WITHDRAWN_FILE: Final = "withdrawn.json"
_RETRACTED: Final = "Retracted Publication"
_SHOWN: Final = 5


class Withdrawn:
    """Refuses items that were taken down, and retracted ones that are not flagged."""

    def __init__(self, outgoing: Outgoing, policy: Policy) -> None:
        self._ids = _withdrawn_ids(outgoing)
        self._policy = policy
        self._counts = outgoing.counts
        self._gone: dict[str, list[str]] = {}
        self._unflagged: dict[str, list[str]] = {}

    def look(self, chunk: Chunk) -> None:
        """Look at ids and at publication types."""
        table = chunk.table
        if chunk.config not in self._policy.data or "item_id" not in table.column_names:
            return
        if self._ids:
            ids = [str(value) for value in table["item_id"].to_pylist()]
            self._gone.setdefault(chunk.name, []).extend(sorted(self._ids.intersection(ids)))
        if "retracted" in table.column_names and self._policy.pubmed:
            flags = table["retracted"].to_pylist()
            self._counts["retracted"] += sum(bool(flag) for flag in flags)
            if "publication_types" in table.column_names:
                self._compare(chunk, flags)

    def findings(self) -> Iterator[Finding]:
        """Yield one finding a file and kind."""
        for name, ids in sorted(self._gone.items()):
            if ids:
                message = f"withdrawn items are in it: {_shown(ids)}"
                hint = f"take them out of the corpus; {WITHDRAWN_FILE} says why they went"
                yield Finding("withdrawn", name, message, hint)
        for name, ids in sorted(self._unflagged.items()):
            if ids:
                message = f"retracted articles are not flagged: {_shown(ids)}"
                yield Finding("withdrawn", name, message, "build the corpus again")

    def _compare(self, chunk: Chunk, flags: list[bool | None]) -> None:
        types = chunk.table["publication_types"].to_pylist()
        ids = chunk.table["item_id"].to_pylist()
        self._unflagged.setdefault(chunk.name, []).extend(
            item
            for item, flag, kinds in zip(ids, flags, types, strict=True)
            if not flag and _RETRACTED in (kinds or ())
        )


def withdrawn_texts(outgoing: Outgoing, policy: Policy) -> Iterator[Finding]:
    """Refuse a part of a page that shows texts of items that were taken down."""
    if not policy.withdrawn:
        return
    gone = {printable(item) for item in policy.withdrawn}
    for name, text in outgoing.texts():
        if not (name.startswith("data/record-") and name.endswith(".js")):
            continue
        try:
            items = read_chunk(text)[1]["items"] or {}
            pairs = list(zip(items.get("ids", ()), items.get("texts", ()), strict=False))
        except (ValueError, KeyError, TypeError, AttributeError):
            yield Finding("withdrawn texts", name, "no part of a page", "publish again")
            continue
        shown = [item for item, row in pairs if row is not None and item in gone]
        if shown:
            message = f"it shows texts of withdrawn items: {_shown(shown)}"
            yield Finding("withdrawn texts", name, message, "publish again")


class Hidden:
    """Refuses whatever of a hidden split is not an id or what models are shown."""

    def __init__(self, outgoing: Outgoing, policy: Policy) -> None:
        self._policy = policy
        self._found: dict[str, set[str]] = {}

    def look(self, chunk: Chunk) -> None:
        """Note columns of the hidden split that have values."""
        if self._policy.hidden is None or chunk.split != self._policy.hidden:
            return
        if chunk.config in self._policy.data:
            shown = {
                name
                for name in chunk.table.column_names
                if not shown_hidden(name, self._policy.input)
                and chunk.table[name].null_count < len(chunk.table)
            }
            self._found.setdefault(chunk.name, set()).update(shown)

    def findings(self) -> Iterator[Finding]:
        """Yield one finding a file."""
        for name, columns in sorted(self._found.items()):
            if columns:
                message = f"the hidden split has values in {', '.join(sorted(columns))}"
                yield Finding("hidden split", name, message, "run the recipe again")


def shown_hidden(column: str, input_column: str) -> bool:
    """Return whether a column of a hidden split goes out."""
    return column in (*IDS, WITHHELD, input_column, "input_sha256")


def retracted(outgoing: Outgoing, policy: Policy) -> Iterator[Finding]:
    """Refuse PubMed data without the column that flags retracted articles."""
    if not policy.pubmed:
        return
    for name, schema in sorted(outgoing.schemas.items()):
        if name.split("/")[0] in policy.data and "retracted" not in schema.names:
            message = "the column 'retracted' is missing: nobody could tell a retracted article"
            yield Finding("retracted", name, message, "run the recipe again")


def _withdrawn_ids(outgoing: Outgoing) -> frozenset[str]:
    if WITHDRAWN_FILE not in outgoing.regular:
        return frozenset()
    try:
        data = json.loads(outgoing.path(WITHDRAWN_FILE).read_text(encoding="utf-8"))
        return frozenset(str(item["item_id"]) for item in data["items"])
    except (ValueError, KeyError, TypeError):
        # Another check refuses the file.
        return frozenset()


def _shown(ids: list[str]) -> str:
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    return ", ".join(ids[:_SHOWN]) + more
