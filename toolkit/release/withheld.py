"""Leave the texts of single rows out of a release: what may go out of them are ids and digests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolkit.gate.column_types import holds_text
from toolkit.gate.copyright import LICENCES, kept_withheld, reserved
from toolkit.gate.records import shown_hidden

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["HIDDEN", "UNDER_COPYRIGHT", "Withhold", "reasons_of", "without_texts"]

HIDDEN = "hidden"
UNDER_COPYRIGHT = "copyright"


@dataclass(frozen=True, slots=True, kw_only=True)
class Withhold:
    """Which rows of a split lose texts.

    Attributes:
        hidden: all of them: only ids and the input go out.
        copyright: those whose ``copyright`` reserves the text: every text stays here.
        input: column with what models are shown.
    """

    hidden: bool = False
    copyright: bool = False
    input: str = "input"


def reasons_of(batch: pa.RecordBatch, withhold: Withhold) -> list[str | None]:
    """Return for each row why texts of it are left out; None where none are."""
    held = [withhold.copyright and _reserved(row) for row in _statements(batch)]
    if withhold.hidden:
        return [f"{HIDDEN}, {UNDER_COPYRIGHT}" if own else HIDDEN for own in held]
    return [UNDER_COPYRIGHT if own else None for own in held]


def _reserved(row: dict[str, object]) -> bool:
    """Return whether a row's copyright statement and licence keep its text here."""
    licence = " ".join(str(row[name]) for name in LICENCES if row.get(name) is not None)
    statement = row.get("copyright")
    return reserved(None if statement is None else str(statement), licence)


def without_texts(table: pa.Table, reasons: Sequence[str | None], withhold: Withhold) -> pa.Table:
    """Return a table with null for what may not go out of the rows that have a reason."""
    import pyarrow as pa

    if not any(reasons):
        return table
    held = [UNDER_COPYRIGHT in (reason or "") for reason in reasons]
    for index, field in enumerate(table.schema):
        shown = not withhold.hidden or shown_hidden(field.name, withhold.input)
        under = holds_text(field.type) and not kept_withheld(field.name)
        gone = [
            (not shown and reason is not None) or (under and own)
            for reason, own in zip(reasons, held, strict=True)
        ]
        if any(gone):
            kept = pa.array([None if left else at for at, left in enumerate(gone)], pa.int64())
            table = table.set_column(index, field, table.column(index).take(kept))
    return table


def _statements(batch: pa.RecordBatch) -> list[dict[str, object]]:
    names = [name for name in ("copyright", *LICENCES) if name in batch.schema.names]
    if not names:
        return [{}] * batch.num_rows
    rows: list[dict[str, object]] = batch.select(names).to_pylist()
    return rows
