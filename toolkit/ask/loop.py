"""One event loop for all who ask through one ledger, so that limits hold for a whole run."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Final
from weakref import WeakKeyDictionary

from toolkit.ask.limiter import Limiter
from toolkit.store.ledger import Ledger

__all__ = ["AskLoop", "loop_of"]


class AskLoop:
    """An event loop in a thread of its own that lives while somebody uses it.

    Attributes:
        limiter: who may send now; outlives the thread, so that a server which answered one
            step is known to the next.
    """

    def __init__(self) -> None:
        """Start nothing yet."""
        self.limiter = Limiter()
        self._lock = threading.Lock()
        self._users = 0
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._over: asyncio.Event | None = None

    @contextmanager
    def running(self) -> Iterator[asyncio.AbstractEventLoop]:
        """Have the loop run for the length of the block; any number of threads may."""
        loop = self._enter()
        try:
            yield loop
        finally:
            self._leave()

    def _enter(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                started: Future[asyncio.AbstractEventLoop] = Future()
                # A daemon: should the interpreter be ended by force, calls in flight must not
                # hold it; the ledger's own thread still writes down what it was given.
                self._thread = threading.Thread(
                    target=lambda: asyncio.run(self._live(started)), name="ask", daemon=True
                )
                self._thread.start()
                self._loop = started.result()
            self._users += 1
            return self._loop

    def _leave(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                assert self._loop is not None
                assert self._over is not None
                assert self._thread is not None
                self._loop.call_soon_threadsafe(self._over.set)
                self._thread.join()
                self._loop = None

    async def _live(self, started: Future[asyncio.AbstractEventLoop]) -> None:
        self._over = asyncio.Event()
        started.set_result(asyncio.get_running_loop())
        await self._over.wait()


_LOOPS: Final[WeakKeyDictionary[Ledger, AskLoop]] = WeakKeyDictionary()
_LOOPS_LOCK: Final = threading.Lock()


def loop_of(ledger: Ledger) -> AskLoop:
    """Return the loop of all who ask through this open ledger: a run opens one."""
    with _LOOPS_LOCK:
        return _LOOPS.setdefault(ledger, AskLoop())
