"""The tables of the ledger, and what opening a ledger file checks before anything else.

A ledger that cannot be trusted is refused by name. It is never taken for an empty one: an
empty ledger means that every call is paid again.
"""

from __future__ import annotations

import os
import sqlite3
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from toolkit.errors import StoreError
from toolkit.records import SCHEMA_VERSION
from toolkit.store.atomic import replacing

__all__ = [
    "MIGRATIONS",
    "check_file",
    "check_sequence",
    "connect",
    "create_file",
    "migrate",
    "note_sequence",
]

_APPLICATION_ID: Final = 0x4C544B4C
"""Marks an SQLite file as a ledger of this package (the letters LTKL)."""

_MAGIC: Final = b"SQLite format 3\x00"

_DDL: Final = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE requests (
    key TEXT PRIMARY KEY,
    provider TEXT NOT NULL,
    base_url TEXT NOT NULL,
    api_version TEXT NOT NULL,
    body TEXT NOT NULL,
    repeat INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('claimed', 'done', 'failed', 'unknown', 'open')),
    owner TEXT,
    status TEXT,
    reason TEXT NOT NULL DEFAULT '',
    content_type TEXT NOT NULL DEFAULT '',
    response BLOB,
    response_sha256 TEXT,
    CHECK ((state = 'claimed') = (owner IS NOT NULL)),
    CHECK ((state IN ('done', 'failed')) = (response_sha256 IS NOT NULL))
);
CREATE INDEX requests_by_owner ON requests (owner) WHERE owner IS NOT NULL;
CREATE TABLE calls (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL REFERENCES requests (key),
    attempt INTEGER NOT NULL,
    run TEXT NOT NULL,
    outcome TEXT NOT NULL
        CHECK (outcome IN ('sent', 'done', 'failed', 'not_processed', 'unknown')),
    http_status INTEGER,
    reason TEXT NOT NULL DEFAULT '',
    sent_at TEXT NOT NULL,
    ended_at TEXT,
    prompt_tokens INTEGER,
    completion_tokens INTEGER,
    reasoning_tokens INTEGER,
    reserved_pico_usd INTEGER NOT NULL,
    cost_pico_usd INTEGER,
    UNIQUE (key, attempt)
);
CREATE INDEX calls_by_outcome ON calls (outcome, run);
CREATE TABLE owners (
    token TEXT PRIMARY KEY, pid INTEGER NOT NULL, host TEXT NOT NULL, started TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE spending (run TEXT PRIMARY KEY, pico_usd INTEGER NOT NULL) WITHOUT ROWID;
"""

MIGRATIONS: Final[Mapping[int, Callable[[sqlite3.Connection], None]]] = {}
"""For each older version, the step to the next one. Version 1 is the first."""


def connect(path: Path) -> sqlite3.Connection:
    """Open an existing ledger file for durable writing.

    Raises:
        sqlite3.Error: the file cannot be opened or is not SQLite.
    """
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=60.0, isolation_level=None
    )
    connection.execute("PRAGMA journal_mode=WAL")
    # FULL, not NORMAL: NORMAL may lose the last commits when the power goes, and each
    # commit here is a call that was paid for.
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")
    return connection


def create_file(path: Path) -> None:
    """Make an empty ledger at ``path``, whole or not at all.

    It is written under another name and moved into place, so that a kill at any moment
    leaves no half-made file behind for the next run to refuse.
    """
    with replacing(path) as draft:
        draft.unlink(missing_ok=True)
        connection = sqlite3.connect(draft, isolation_level=None)
        try:
            connection.executescript(_DDL)
            connection.executemany(
                "INSERT INTO meta VALUES (?, ?)", [("id", uuid.uuid4().hex), ("sequence", "0")]
            )
            connection.execute(f"PRAGMA application_id={_APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
        finally:
            connection.close()


def check_file(path: Path) -> None:
    """Refuse a file that is plainly no ledger, before SQLite touches it.

    Raises:
        StoreError: it is missing although it existed, empty, or of another format.
    """
    sequence = _sequence_file(path)
    if not path.exists():
        if sequence.exists():
            raise StoreError(
                f"the ledger {path} is gone, but {sequence.name} beside it says that it held "
                "paid calls",
                hint=f"put the ledger back; to begin anew and pay again, remove {sequence} too",
            )
        return
    try:
        with path.open("rb") as handle:
            head = handle.read(len(_MAGIC))
    except OSError as error:
        raise StoreError(
            f"the ledger {path} cannot be read: {error.strerror}",
            hint="make the workspace readable and writable for you",
        ) from error
    if head != _MAGIC:
        what = "empty" if not head else "not an SQLite file"
        raise StoreError(
            f"the ledger {path} is {what}; it is damaged",
            hint="put a copy back (a backup, or an export to import into a new ledger)",
        )


def check_sequence(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a ledger that lacks commits it once had.

    Every commit raises a counter inside the ledger and, after it, the copy in a small file
    beside it. When the copy is ahead, commits are lost: SQLite itself opens a ledger whose
    ``-wal`` file was deleted, or an old copy of one, without a word.

    Raises:
        StoreError: commits are missing, or the small file belongs to another ledger.
    """
    sequence = _sequence_file(path)
    if not sequence.exists():
        return
    words = sequence.read_text(encoding="ascii", errors="replace").split()
    # A torn write of the small file (power loss) is no evidence against the ledger.
    if len(words) != 2 or not words[1].isdigit():
        return
    meta = dict(connection.execute("SELECT name, value FROM meta"))
    if words[0] != meta["id"]:
        raise StoreError(
            f"{path} is another ledger than the one that was here",
            hint=f"put the former one back, or remove {sequence} to go on with this one",
        )
    if int(words[1]) > int(meta["sequence"]):
        raise StoreError(
            f"the ledger {path} lacks {int(words[1]) - int(meta['sequence'])} of its last "
            "commits: its -wal file was deleted, or an old copy was put back",
            hint=f"put back {path.name}-wal or a newer copy; to accept the loss and pay those "
            f"calls again, remove {sequence}",
        )


def note_sequence(path: Path, connection: sqlite3.Connection) -> None:
    """Write the commit counter beside the ledger; called after each commit.

    Not synced: the page cache survives the death of a process, and after a power loss a
    smaller number only makes the check weaker, never wrong.
    """
    meta = dict(connection.execute("SELECT name, value FROM meta"))
    text = f"{meta['id']} {int(meta['sequence']):020d}\n"
    descriptor = os.open(_sequence_file(path), os.O_WRONLY | os.O_CREAT, 0o644)
    try:
        os.pwrite(descriptor, text.encode("ascii"), 0)
    finally:
        os.close(descriptor)


def migrate(
    connection: sqlite3.Connection,
    path: Path,
    *,
    steps: Mapping[int, Callable[[sqlite3.Connection], None]] = MIGRATIONS,
    version: int = SCHEMA_VERSION,
) -> Path | None:
    """Bring an older ledger to ``version`` after a backup copy; do nothing to a current one.

    Args:
        connection: an open ledger.
        path: its file; the backup stands beside it as ``NAME.v<old version>.bak``.
        steps: for each older version, the step to the next.
        version: the version to reach.

    Returns:
        The backup, or None when nothing had to be done.

    Raises:
        StoreError: it is no ledger, or is newer than this program, or too old for it.
    """
    if connection.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION_ID:
        raise StoreError(
            f"{path} is an SQLite file, but not a ledger of this program",
            hint="give another workspace, or move that file away",
        )
    found = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if found > version:
        raise StoreError(
            f"the ledger {path} has schema version {found}; this program knows up to {version}",
            hint="upgrade: pip install --upgrade leaderboard-toolkit",
        )
    if found == version:
        return None
    if missing := [step for step in range(found, version) if step not in steps]:
        raise StoreError(
            f"the ledger {path} has schema version {found}, and there is no way from "
            f"{missing[0]} to {missing[0] + 1}",
            hint="export it with the version that wrote it, then import it here",
        )
    backup = path.with_name(f"{path.name}.v{found}.bak")
    _backup(connection, backup)
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in range(found, version):
            steps[step](connection)
        connection.execute(f"PRAGMA user_version={version}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    return backup


def _backup(connection: sqlite3.Connection, backup: Path) -> None:
    with replacing(backup) as draft:
        draft.unlink(missing_ok=True)
        copy = sqlite3.connect(draft)
        try:
            connection.backup(copy)
        finally:
            copy.close()


def _sequence_file(path: Path) -> Path:
    return path.with_name(f"{path.name}-seq")
