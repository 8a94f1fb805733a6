"""The statements of the ledger, each run inside a transaction that its caller holds."""

from __future__ import annotations

import hashlib
import sqlite3
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from toolkit.errors import StoreError
from toolkit.store.ledger_types import LedgerCounts, LedgerRequest, Settlement, StoredReply

__all__ = [
    "RequestRow",
    "claim_request",
    "count_rows",
    "find_request",
    "new_call",
    "now",
    "recover",
    "reopen",
    "settle_call",
    "take_back",
    "within_budget",
]


@dataclass(frozen=True, slots=True)
class RequestRow:
    """What the ledger holds of a request.

    Attributes:
        state: ``claimed``, ``done``, ``failed``, ``unknown`` or ``open``.
        owner: the token of the process that has claimed it, or None.
        stored: its finished call, or None.
    """

    state: str
    owner: str | None
    stored: StoredReply | None


def find_request(
    db: sqlite3.Connection, key: str, path: Path, *, count: bool = False
) -> RequestRow | None:
    """Return what is known of a request, or None when nothing is.

    Args:
        db: the ledger.
        key: the request's key.
        path: the ledger's file, for the message.
        count: count its finished calls too; else a stored reply says 1.

    Raises:
        StoreError: the stored reply does not match its checksum.
    """
    row = db.execute(
        "SELECT state, owner, status, reason, content_type, response, response_sha256"
        " FROM requests WHERE key = ?",
        (key,),
    ).fetchone()
    if row is None:
        return None
    state, owner, status, reason, content_type, response, checksum = row
    if state not in ("done", "failed"):
        return RequestRow(state, owner, None)
    if hashlib.sha256(response).hexdigest() != checksum:
        raise StoreError(
            f"the ledger {path} is damaged: the reply stored under {key[:12]} does not match "
            "its checksum",
            hint="put back a backup, or import an export into a new ledger",
        )
    calls = _finished_calls(db, key) if count else 1
    return RequestRow(
        state, owner, StoredReply(state, status, reason, content_type, response, calls)
    )


def _finished_calls(db: sqlite3.Connection, key: str) -> int:
    row = db.execute(
        "SELECT COUNT(*) FROM calls WHERE key = ? AND outcome IN ('done', 'failed')", (key,)
    ).fetchone()
    return int(row[0])


def claim_request(db: sqlite3.Connection, request: LedgerRequest, key: str, token: str) -> None:
    """Make ``token`` the owner of a request that nobody has claimed.

    A reply that is there gives way: whoever claims a finished request asks it again.
    """
    db.execute(
        "INSERT INTO requests (key, provider, base_url, api_version, body, repeat, state, owner)"
        " VALUES (?, ?, ?, ?, ?, ?, 'claimed', ?)"
        " ON CONFLICT (key) DO UPDATE SET state = 'claimed', owner = excluded.owner,"
        " status = NULL, reason = '', content_type = '', response = NULL, response_sha256 = NULL",
        (
            key,
            request.provider,
            request.base_url,
            request.api_version,
            request.content,
            request.repeat,
            token,
        ),
    )


def take_back(
    db: sqlite3.Connection, key: str, call: int, token: str
) -> Literal["taken", "finished", "busy"]:
    """Make ``token`` the owner of a call that went on without its process, e.g. in a batch.

    Returns:
        ``finished`` when its request has a reply meanwhile, ``busy`` when somebody holds it.
    """
    row = db.execute("SELECT state FROM requests WHERE key = ?", (key,)).fetchone()
    if row is None or row[0] in ("done", "failed"):
        return "finished"
    if row[0] == "claimed":
        return "busy"
    run, reserved, cost = db.execute(
        "SELECT run, reserved_pico_usd, cost_pico_usd FROM calls WHERE id = ? AND key = ?",
        (call, key),
    ).fetchone()
    if cost is not None:
        # Settled by somebody who was killed before all of its batch was.
        _spend(db, run, reserved - cost)
    db.execute("UPDATE requests SET state = 'claimed', owner = ? WHERE key = ?", (token, key))
    db.execute(
        "UPDATE calls SET outcome = 'sent', reason = '', ended_at = NULL, cost_pico_usd = NULL"
        " WHERE id = ?",
        (call,),
    )
    return "taken"


def settle_call(db: sqlite3.Connection, call: int, settlement: Settlement) -> None:
    """Write down how a call ended, what it cost, and what that means for its request."""
    key, run, reserved = db.execute(
        "SELECT key, run, reserved_pico_usd FROM calls WHERE id = ?", (call,)
    ).fetchone()
    free = settlement.outcome == "not_processed"
    settled = replace(settlement, cost_pico_usd=0) if free else settlement
    _end_call(db, call, settled)
    if settled.cost_pico_usd is not None:
        _spend(db, run, settled.cost_pico_usd - reserved)
    _end_request(db, key, settled)


def within_budget(db: sqlite3.Connection, run: str, reserve: int, budget: int | None) -> bool:
    """Say whether a call that may cost ``reserve`` fits what the run may still spend."""
    if budget is None:
        return True
    row = db.execute("SELECT pico_usd FROM spending WHERE run = ?", (run,)).fetchone()
    return (row[0] if row else 0) + reserve <= budget


def new_call(db: sqlite3.Connection, key: str, run: str, reserve: int, reason: str = "") -> int:
    """Note that a call is about to be sent and reserve its cost; return its id."""
    cursor = db.execute(
        "INSERT INTO calls (key, attempt, run, outcome, reason, sent_at, reserved_pico_usd)"
        " SELECT ?, COALESCE(MAX(attempt), 0) + 1, ?, 'sent', ?, ?, ? FROM calls WHERE key = ?",
        (key, run, reason, now(), reserve, key),
    )
    _spend(db, run, reserve)
    return int(cursor.lastrowid or 0)


def _spend(db: sqlite3.Connection, run: str, amount: int) -> None:
    db.execute(
        "INSERT INTO spending VALUES (?, ?)"
        " ON CONFLICT (run) DO UPDATE SET pico_usd = pico_usd + excluded.pico_usd",
        (run, amount),
    )


def _end_call(db: sqlite3.Connection, call: int, settled: Settlement) -> None:
    db.execute(
        "UPDATE calls SET outcome = ?, http_status = ?, reason = ?, ended_at = ?,"
        " prompt_tokens = ?, completion_tokens = ?, reasoning_tokens = ?, cost_pico_usd = ?"
        " WHERE id = ?",
        (
            settled.outcome,
            settled.http_status,
            settled.reason,
            now(),
            settled.prompt_tokens,
            settled.completion_tokens,
            settled.reasoning_tokens,
            settled.cost_pico_usd,
            call,
        ),
    )


def _end_request(db: sqlite3.Connection, key: str, settled: Settlement) -> None:
    if settled.outcome in ("done", "failed"):
        db.execute(
            "UPDATE requests SET state = ?, owner = NULL, status = ?, reason = ?,"
            " content_type = ?, response = ?, response_sha256 = ? WHERE key = ?",
            (
                settled.outcome,
                "ok" if settled.outcome == "done" else settled.status,
                settled.reason,
                settled.content_type,
                settled.response,
                hashlib.sha256(settled.response).hexdigest(),
                key,
            ),
        )
    elif not settled.keep:
        reopen(db, "key = ?", (key,))


def reopen(db: sqlite3.Connection, where: str, values: tuple[str, ...]) -> None:
    """Open claimed requests again: ``unknown`` where a call may have been paid, else ``open``."""
    db.execute(
        "UPDATE requests SET owner = NULL, state = CASE WHEN EXISTS (SELECT 1 FROM calls"  # noqa: S608
        " WHERE calls.key = requests.key AND outcome = 'unknown') THEN 'unknown' ELSE 'open' END"
        f" WHERE state = 'claimed' AND {where}",
        values,
    )


def recover(db: sqlite3.Connection, token: str, reason: str) -> None:
    """Close the books of an owner that is gone; what it had sent is unknown from now on."""
    db.execute(
        "UPDATE calls SET outcome = 'unknown', ended_at = ?,"
        " reason = CASE reason WHEN '' THEN ? ELSE reason END WHERE outcome = 'sent'"
        " AND key IN (SELECT key FROM requests WHERE owner = ?)",
        (now(), reason, token),
    )
    reopen(db, "owner = ?", (token,))
    db.execute("DELETE FROM owners WHERE token = ?", (token,))


def count_rows(db: sqlite3.Connection, run: str | None) -> LedgerCounts:
    """Count requests, calls, tokens and money of one run, or of all."""
    mine = "" if run is None else " WHERE run = :run"
    keys = "" if run is None else " WHERE key IN (SELECT key FROM calls WHERE run = :run)"
    values = {"run": run}
    tokens = db.execute(
        "SELECT COALESCE(SUM(prompt_tokens), 0), COALESCE(SUM(completion_tokens), 0),"  # noqa: S608
        f" COALESCE(SUM(COALESCE(cost_pico_usd, reserved_pico_usd)), 0) FROM calls{mine}",
        values,
    ).fetchone()
    return LedgerCounts(
        requests=dict(
            db.execute(
                f"SELECT state, COUNT(*) FROM requests{keys} GROUP BY state",  # noqa: S608
                values,
            )
        ),
        calls=dict(
            db.execute(
                f"SELECT outcome, COUNT(*) FROM calls{mine} GROUP BY outcome",  # noqa: S608
                values,
            )
        ),
        prompt_tokens=tokens[0],
        completion_tokens=tokens[1],
        spent_pico_usd=tokens[2],
    )


def now() -> str:
    """Return the time in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
