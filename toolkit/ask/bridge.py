"""From the ledger's thread to the event loop: many results with one wake-up."""

from __future__ import annotations

import asyncio
from collections import deque
from concurrent.futures import Future
from typing import Any, TypeVar

__all__ = ["LoopBridge"]

T = TypeVar("T")


class LoopBridge:
    """Lets coroutines of one loop wait for futures of another thread.

    A commit resolves many futures at the same moment. Handed over one by one, each would wake
    the loop, which costs more than the statement behind it.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Wait in ``loop``."""
        self._loop = loop
        self._arrived: deque[tuple[asyncio.Future[Any], Future[Any]]] = deque()
        self._woken = False

    def wait(self, future: Future[T]) -> asyncio.Future[T]:
        """Return what can be awaited; to cancel it does not cancel the operation."""
        waiter: asyncio.Future[T] = self._loop.create_future()
        future.add_done_callback(lambda done: self._arrive(waiter, done))
        return waiter

    def _arrive(self, waiter: asyncio.Future[T], done: Future[T]) -> None:
        """Called in the other thread (or in the loop's own when it was done already)."""
        self._arrived.append((waiter, done))
        # Appended first, looked at second: the loop takes the mark away before it looks.
        if not self._woken:
            self._woken = True
            try:
                self._loop.call_soon_threadsafe(self._hand_over)
            except RuntimeError:
                # The loop is closed: nobody waits any more.
                self._arrived.clear()

    def _hand_over(self) -> None:
        self._woken = False
        while self._arrived:
            waiter, done = self._arrived.popleft()
            if waiter.done():
                continue
            error = done.exception()
            if error is None:
                waiter.set_result(done.result())
            else:
                waiter.set_exception(error)
