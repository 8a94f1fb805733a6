"""The one thread of a process that touches the ledger: operations in, batched commits out.

Many calls end at about the same time; one fsync then serves all of them. An operation's
future is resolved only after the commit that holds it, so whoever waits for it knows that
it survives a kill.
"""

from __future__ import annotations

import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from errno import EACCES, EPERM, EROFS
from pathlib import Path
from typing import Any, Final, TypeVar

from toolkit.errors import RunError, StoreError, ToolkitError
from toolkit.store.ledger_schema import note_sequence

__all__ = ["LedgerWriter", "as_store_error"]

T = TypeVar("T")
Operation = Callable[[sqlite3.Connection], T]

_BATCH: Final = 256
"""Operations in one commit at most."""


class LedgerWriter:
    """Runs operations on one connection, in the order they came, many to a commit."""

    def __init__(self, path: Path, connect: Callable[[], sqlite3.Connection]) -> None:
        """Start the thread; the connection is made inside it.

        Args:
            path: the ledger file.
            connect: makes the connection; what it raises is raised here.
        """
        self._path = path
        self._queue: queue.SimpleQueue[tuple[Operation[Any], Future[Any]] | None] = (
            queue.SimpleQueue()
        )
        self._gate = threading.Lock()
        self._closed = False
        ready: Future[None] = Future()
        # A daemon, so that a ledger nobody closed does not keep the interpreter from ending;
        # the ledger closes itself at exit, and close() waits for what is queued.
        self._thread = threading.Thread(
            target=self._main, args=(connect, ready), name="ledger", daemon=True
        )
        self._thread.start()
        ready.result()

    def submit(self, operation: Operation[T]) -> Future[T]:
        """Queue an operation; the future resolves after its commit.

        Raises:
            RuntimeError: the ledger is closed.
        """
        future: Future[T] = Future()
        # Under the lock: nothing may be queued behind the mark that ends the thread.
        with self._gate:
            if self._closed:
                raise RuntimeError("the ledger is closed")
            self._queue.put((operation, future))
        return future

    def close(self) -> None:
        """Finish what is queued, fold the write-ahead log into the file, end the thread."""
        with self._gate:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()

    def _main(self, connect: Callable[[], sqlite3.Connection], ready: Future[None]) -> None:
        try:
            connection = connect()
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
            ready.set_exception(error)
            return
        ready.set_result(None)
        try:
            while batch := self._next_batch():
                self._commit(connection, batch)
        finally:
            connection.close()

    def _next_batch(self) -> list[tuple[Operation[Any], Future[Any]]]:
        """Wait for work; an empty batch ends the thread."""
        first = self._queue.get()
        if first is None:
            return []
        batch = [first]
        while len(batch) < _BATCH:
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                break
            if item is None:
                self._queue.put(None)
                break
            batch.append(item)
        return batch

    def _commit(
        self, connection: sqlite3.Connection, batch: list[tuple[Operation[Any], Future[Any]]]
    ) -> None:
        # From here on a future can no longer be cancelled, so its result always has a place.
        batch = [item for item in batch if item[1].set_running_or_notify_cancel()]
        settled: list[tuple[Future[Any], Any]] = []
        try:
            connection.execute("BEGIN IMMEDIATE")
            before = connection.total_changes
            for operation, future in batch:
                settled.append((future, _run(connection, operation)))
            changed = connection.total_changes > before
            if changed:
                connection.execute(
                    "UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE name = 'sequence'"
                )
            connection.execute("COMMIT")
            if changed:
                note_sequence(self._path, connection)
        except Exception as error:  # noqa: BLE001 - handed to every caller of the batch
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            problem = as_store_error(error, self._path)
            for _, future in batch:
                future.set_exception(problem)
            return
        for future, result in settled:
            if isinstance(result, _Failed):
                future.set_exception(result.error)
            else:
                future.set_result(result)


class _Failed:
    """An operation's own error, kept until the rest of its batch is committed."""

    def __init__(self, error: Exception) -> None:
        self.error = error


def _run(connection: sqlite3.Connection, operation: Operation[Any]) -> Any:
    """Run one operation so that its failure undoes only itself."""
    connection.execute("SAVEPOINT operation")
    try:
        result = operation(connection)
    except sqlite3.OperationalError:
        raise
    except Exception as error:  # noqa: BLE001 - handed to the caller of this operation
        connection.execute("ROLLBACK TO operation")
        result = _Failed(error)
    connection.execute("RELEASE operation")
    return result


def as_store_error(error: Exception, path: Path) -> Exception:
    """Turn an SQLite failure into words a user can act on; leave other errors as they are."""
    if isinstance(error, ToolkitError) or not isinstance(error, (sqlite3.Error, OSError)):
        return error
    text = str(error)
    denied = isinstance(error, OSError) and error.errno in (EACCES, EPERM, EROFS)
    if denied or "readonly" in text or "unable to open" in text:
        return StoreError(
            f"the ledger {path} cannot be written: {text}",
            hint="make the workspace writable for you, or give another one with --workspace",
        )
    if "full" in text or "disk I/O" in text or isinstance(error, OSError):
        return RunError(
            f"the ledger {path} could not be written: {text}",
            hint="free space on that disk, then run again; nothing that was paid is lost",
        )
    if "locked" in text:
        return RunError(
            f"the ledger {path} was locked by another process for a minute",
            hint="look for a program that holds the file open, then run again",
        )
    return StoreError(
        f"the ledger {path} is damaged: {text}",
        hint="put back a backup, or import an export into a new ledger (docs/design/ledger.md)",
    )
