"""Copyright, record by record: whose texts may go out with a full-text release."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from toolkit.gate.base import Finding, Policy
from toolkit.gate.column_types import holds_text
from toolkit.gate.levels import DIGESTS, IDS, WITHHELD
from toolkit.gate.outgoing import Chunk, Outgoing

__all__ = ["LICENCES", "Statements", "kept_withheld", "reserved"]

LICENCES: Final = ("license", "oa_license", "pmc_license")
"""Columns that a record's licence may be joined as, e.g. from PMC's list of open articles."""

_RESERVED: Final = re.compile(
    r"©|\(c\)|copyright|all rights reserved|protected by"
    r"|\b(?:Elsevier|Springer|Wiley|Wolters|Lippincott|Taylor|Informa|SAGE|Karger|Thieme)\b"
    r"|Oxford University Press|American (?:Medical|Chemical|Psychological) (?:Association|Society)",
    re.IGNORECASE,
)
_OPEN: Final = re.compile(
    r"\bcreative commons\b|\bcc[- ]?(?:by|0|zero)\b|creativecommons\.org|\bpublic domain\b"
    r"|\b(?:works?|employees?) of the (?:U\.?\s?S\.?|United States) Government\b"
    r"|\bU\.?\s?S\.? Government works?\b|not subject to copyright"
    r"|\bPMC open[- ]access\b|\bopen[- ]access subset\b|\bcopyright-free\b",
    re.IGNORECASE,
)


def reserved(statement: str | None, licence: str | None = None) -> bool:
    """Return whether a record's text stays here unless somebody answers for it.

    It does where its statement reserves rights or names a publisher and neither the statement
    nor a licence joined to the record says Creative Commons, a work of the US government, the
    public domain or PMC's open-access subset. A record without a statement passes.

    Args:
        statement: the record's copyright statement.
        licence: its licence, where a column holds one.
    """
    if licence and _OPEN.search(licence):
        return False
    return bool(statement and _RESERVED.search(statement) and not _OPEN.search(statement))


def kept_withheld(column: str) -> bool:
    """Return whether a column keeps its value in a row whose texts are withheld."""
    return column in (*IDS, *DIGESTS, *LICENCES, "copyright", "group", WITHHELD)


class Statements:
    """Refuses texts of records whose statement reserves the rights to them."""

    def __init__(self, outgoing: Outgoing, policy: Policy) -> None:
        self._asked = policy.redistribution == "full_text" and policy.rights is None
        self._policy = policy
        self._counts = outgoing.counts
        self._first: dict[str, tuple[str, str]] = {}
        self._rows: dict[str, int] = {}

    def look(self, chunk: Chunk) -> None:
        """Look at the rows that have a statement."""
        names = chunk.table.column_names
        if WITHHELD in names:
            withheld = len(chunk.table) - chunk.table[WITHHELD].null_count
            self._counts["withheld"] += withheld
        if not self._asked or "copyright" not in names or chunk.config not in self._policy.data:
            return
        if chunk.table.schema.field("copyright").type != _text_type():
            return
        bare = [
            field.name
            for field in chunk.table.schema
            if holds_text(field.type) and not kept_withheld(field.name)
        ]
        columns = [name for name in ("copyright", *LICENCES) if name in names]
        for at, row in enumerate(chunk.table.select(columns).to_pylist()):
            if reserved(row["copyright"], _licence(row)):
                self._note(chunk, at, bare)

    def findings(self) -> Iterator[Finding]:
        """Yield one finding a file, with its first such row."""
        for name, (item, column) in sorted(self._first.items()):
            message = (
                f"the item {item} has the column '{column}' and a copyright statement without a "
                f"licence; {self._rows[name]} such rows"
            )
            hint = (
                "run the recipe again, which leaves such texts out row by row; or state "
                "publish.rights: {acknowledged_by, reason}"
            )
            yield Finding("copyright", name, message, hint)

    def _note(self, chunk: Chunk, at: int, bare: list[str]) -> None:
        shown = next((c for c in bare if chunk.table[c][at].as_py() is not None), None)
        if shown is not None:
            self._rows[chunk.name] = self._rows.get(chunk.name, 0) + 1
            item = _item(chunk, at)
            self._first.setdefault(chunk.name, (item, shown))


def _licence(row: Mapping[str, object]) -> str:
    return " ".join(str(row[name]) for name in LICENCES if row.get(name))


def _text_type() -> object:
    import pyarrow as pa

    return pa.string()


def _item(chunk: Chunk, at: int) -> str:
    if "item_id" in chunk.table.column_names:
        return str(chunk.table["item_id"][at].as_py())
    return f"in row {chunk.start + at}"
