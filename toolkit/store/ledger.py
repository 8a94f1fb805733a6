"""The ledger: one row a request to a server, one row a call that was paid or may have been.

The rule it exists for: **a finished call is never made again**, not after a kill, not by
another recipe, not because a comment changed. What it needs for that:

* a request's key is the sha256 of who is asked (provider, address, API version) and of the
  whole body, with the repeat; nothing else;
* a claim is committed before anything is sent, so a kill leaves a trace of every call whose
  outcome nobody knows, and two processes never send the same request;
* an answer is committed before anybody sees it.
"""

from __future__ import annotations

import atexit
import os
import socket
import sqlite3
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Literal, Self, TypeVar

from toolkit.store.ledger_rows import (
    claim_request,
    count_rows,
    find_request,
    new_call,
    now,
    recover,
    reopen,
    settle_call,
    take_back,
    within_budget,
)
from toolkit.store.ledger_schema import (
    check_file,
    check_sequence,
    connect,
    create_file,
    migrate,
)
from toolkit.store.ledger_types import (
    PICO,
    Claim,
    LedgerCounts,
    LedgerRequest,
    Outcome,
    Settlement,
    StoredReply,
)
from toolkit.store.ledger_writer import LedgerWriter, as_store_error
from toolkit.store.lock import locked

if TYPE_CHECKING:
    from filelock import FileLock

__all__ = [
    "PICO",
    "Claim",
    "Ledger",
    "LedgerCounts",
    "LedgerRequest",
    "Outcome",
    "Settlement",
    "StoredReply",
]

T = TypeVar("T")
_SMALL: Final = 64 << 20
"""Bytes up to which a ledger is checked whole at every opening; a larger one after a kill."""

_DIED: Final = "the process that sent it died"


class Ledger:
    """An open ledger. Every method is durable when it returns; use it as a context manager.

    One thread of the process touches the file; methods may be called from any thread. The
    ``submit`` form of :meth:`claim` and :meth:`settle` returns a future for event loops.
    """

    def __init__(self, path: Path) -> None:
        """Open the ledger at ``path``; make it when nothing was ever there.

        Claims of processes that died are opened again here: what they had sent becomes
        ``unknown``.

        Raises:
            StoreError: it is damaged, lacks commits, is newer than this program, or cannot
                be written.
        """
        self.path = path
        self._token = uuid.uuid4().hex
        self._lock_file: FileLock | None = None
        try:
            with locked(path.with_name(f"{path.name}.opening"), f"{path}", wait_seconds=60.0):
                check_file(path)
                if not path.exists():
                    create_file(path)
                self._lock_file = self._hold(self._token)
                self._writer = LedgerWriter(path, self._connect)
        except (sqlite3.Error, OSError) as error:
            self._let_go()
            raise as_store_error(error, path) from error
        except BaseException:
            self._let_go()
            raise
        atexit.register(self.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give back this process's claims and end the thread. Closing twice is harmless."""
        atexit.unregister(self.close)
        with suppress(RuntimeError):
            self._writer.submit(lambda db: recover(db, self._token, "the run was stopped"))
        self._writer.close()
        self._let_go()

    def submit(self, operation: Callable[[sqlite3.Connection], T]) -> Future[T]:
        """Run an operation inside a transaction; the future resolves after the commit."""
        return self._writer.submit(operation)

    def claim(
        self,
        request: LedgerRequest,
        *,
        run: str,
        reserve_pico_usd: int = 0,
        budget_pico_usd: int | None = None,
        beyond: int | None = None,
        reason: str = "",
    ) -> Future[Claim]:
        """Ask to send a request; a claim to send is committed before the future resolves.

        Args:
            request: what will be sent, exactly.
            run: the run that pays.
            reserve_pico_usd: the most this call can cost.
            budget_pico_usd: what the run may spend in all; None for no limit.
            beyond: a finished call is handed out only when there are more of them than this;
                else the request is asked again. None: any finished call is.
            reason: what the call's row says until it ends, and after its process has died.
        """
        key = request.key

        def operation(db: sqlite3.Connection) -> Claim:
            found = find_request(db, key, self.path, count=beyond is not None)
            stored = None if found is None else found.stored
            if stored is not None and (beyond is None or stored.calls > beyond):
                return Claim("stored", stored=stored)
            if found is not None and found.owner is not None:
                if self._is_alive(found.owner):
                    return Claim("busy")
                recover(db, found.owner, _DIED)
            if not within_budget(db, run, reserve_pico_usd, budget_pico_usd):
                return Claim("budget")
            claim_request(db, request, key, self._token)
            return Claim("send", call=new_call(db, key, run, reserve_pico_usd, reason))

        return self.submit(operation)

    def send_again(
        self,
        request: LedgerRequest,
        *,
        run: str,
        reserve_pico_usd: int = 0,
        budget_pico_usd: int | None = None,
    ) -> Future[Claim]:
        """Note another call for a request this ledger object has claimed already."""
        key = request.key

        def operation(db: sqlite3.Connection) -> Claim:
            if not within_budget(db, run, reserve_pico_usd, budget_pico_usd):
                return Claim("budget")
            return Claim("send", call=new_call(db, key, run, reserve_pico_usd))

        return self.submit(operation)

    def settle(self, call: int, settlement: Settlement) -> Future[None]:
        """Write down how a call ended; the future resolves after the commit."""
        return self.submit(lambda db: settle_call(db, call, settlement))

    def take_back(self, key: str, call: int) -> Future[Literal["taken", "finished", "busy"]]:
        """Claim a call again that went on at a server while its process was gone.

        The future resolves to ``finished`` when its request has a reply meanwhile, and to
        ``busy`` while somebody holds it.
        """
        return self.submit(lambda db: take_back(db, key, call, self._token))

    def release(self, request: LedgerRequest) -> Future[None]:
        """Give a claim back without having sent anything more."""
        key = request.key
        return self.submit(
            lambda db: reopen(db, "key = ? AND owner = ?", (key, self._token)),
        )

    def find(self, request: LedgerRequest, *, count: bool = False) -> Future[StoredReply | None]:
        """Look for the finished call of a request without claiming it.

        Args:
            request: what was or would be sent.
            count: count its finished calls too.
        """
        key = request.key

        def operation(db: sqlite3.Connection) -> StoredReply | None:
            found = find_request(db, key, self.path, count=count)
            return None if found is None else found.stored

        return self.submit(operation)

    def lookup(self, request: LedgerRequest) -> StoredReply | None:
        """Return the finished call of a request, or None when there is none.

        Raises:
            StoreError: the stored reply is damaged.
        """
        return self.find(request).result()

    def counts(self, run: str | None = None) -> LedgerCounts:
        """Count requests, calls, tokens and money.

        Args:
            run: count only the calls that this run paid; None counts all.
        """
        return self.submit(lambda db: count_rows(db, run)).result()

    def _connect(self) -> sqlite3.Connection:
        connection = connect(self.path)
        try:
            migrate(connection, self.path)
            check_sequence(connection, self.path)
            dead = self._dead_owners(connection)
            if dead or self.path.stat().st_size <= _SMALL:
                verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
                if verdict != "ok":
                    raise sqlite3.DatabaseError(verdict)
            connection.execute("BEGIN IMMEDIATE")
            for token in dead:
                recover(connection, token, _DIED)
            connection.execute(
                "INSERT INTO owners VALUES (?, ?, ?, ?)",
                (self._token, os.getpid(), socket.gethostname(), now()),
            )
            connection.execute("COMMIT")
        except BaseException:
            connection.close()
            raise
        return connection

    def _dead_owners(self, db: sqlite3.Connection) -> list[str]:
        tokens = [row[0] for row in db.execute("SELECT token FROM owners ORDER BY token")]
        return [token for token in tokens if not self._is_alive(token)]

    def _owner_file(self, token: str) -> Path:
        return self.path.with_name(f"{self.path.name}.owners") / f"{token}.lock"

    def _hold(self, token: str) -> FileLock:
        """Take the lock that says this process lives; the kernel frees it when it dies."""
        from filelock import FileLock

        file = self._owner_file(token)
        file.parent.mkdir(parents=True, exist_ok=True)
        # Not thread-local: the thread that closes the ledger need not be the one that opened it.
        lock = FileLock(file, thread_local=False)
        lock.acquire(timeout=0)
        return lock

    def _is_alive(self, token: str) -> bool:
        """Say whether an owner still runs. A process id would lie once it is used again."""
        from filelock import FileLock, Timeout

        if token == self._token:
            return True
        file = self._owner_file(token)
        if not file.exists():
            return False
        lock = FileLock(file, thread_local=False)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            return True
        file.unlink(missing_ok=True)
        lock.release()
        return False

    def _let_go(self) -> None:
        if self._lock_file is not None:
            self._owner_file(self._token).unlink(missing_ok=True)
            self._lock_file.release()
            self._lock_file = None
