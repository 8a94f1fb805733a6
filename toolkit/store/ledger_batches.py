"""What the ledger does for calls that are claimed long before they are sent: those of batches."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from typing import Final

from toolkit.store.ledger_rows import settle_call
from toolkit.store.ledger_types import Settlement

__all__ = ["FOR_BATCH", "claimed_and_left", "give_back_unsent"]

FOR_BATCH: Final = "claimed for a batch"
"""Reason of a call from its claim until its batch has ended."""


def claimed_and_left(db: sqlite3.Connection) -> list[int]:
    """Return the calls claimed for a batch whose process is gone."""
    rows = db.execute(
        "SELECT id FROM calls WHERE outcome = 'unknown' AND reason = ? ORDER BY id", (FOR_BATCH,)
    )
    return [row[0] for row in rows]


def give_back_unsent(db: sqlite3.Connection, calls: Collection[int]) -> int:
    """Settle calls that were claimed for a batch and never stood in a file of one.

    Their process died between claim and file, so they certainly were not sent: they cost nothing.

    Args:
        db: the ledger.
        calls: from :func:`claimed_and_left`; those that changed since are left alone.

    Returns:
        How many were settled.
    """
    unsent = Settlement(outcome="not_processed", reason="its process ended before it was sent")
    left = sorted(set(claimed_and_left(db)).intersection(calls))
    for call in left:
        settle_call(db, call, unsent)
        db.execute(
            "UPDATE requests SET state = 'open' WHERE state = 'unknown'"
            " AND key = (SELECT key FROM calls WHERE id = ?) AND NOT EXISTS (SELECT 1 FROM calls"
            " WHERE calls.key = requests.key AND outcome = 'unknown')",
            (call,),
        )
    return len(left)
