"""Who may send now: so many requests in flight to a server, so many in all.

Everybody who asks in one run takes slots from the same limiter, whatever step or model they
ask for. All of it lives in one event loop, so nothing here needs a lock.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Coroutine
from dataclasses import dataclass
from itertools import count
from types import TracebackType
from typing import Any, Self

from toolkit.errors import ToolkitError

__all__ = ["Ended", "Limiter", "Seat", "Slot"]


@dataclass(frozen=True, slots=True)
class Ended:
    """Why nobody shall ask a server any more.

    Attributes:
        reason: in words.
        error: what to raise; None when the run is merely incomplete.
    """

    reason: str
    error: ToolkitError | None = None


class Limiter:
    """The slots of one run."""

    def __init__(self) -> None:
        """Begin with no server."""
        self.in_flight = 0
        self.reserved = 0
        self._servers: dict[tuple[str, str | None], _Server] = {}
        self._seats: list[Seat] = []
        self._turns = count(1)
        self._holds: set[asyncio.Task[None]] = set()

    def join(
        self, endpoint: str, secret_name: str | None, *, at_once: int, total: int | None
    ) -> Seat:
        """Begin to ask a server; it is the same server when address and key are the same.

        Args:
            endpoint: its base URL.
            secret_name: the variable that holds the key, or None.
            at_once: requests in flight that this asking allows the server to have, those of
                others included; the smallest of all who ask it now holds.
            total: the same for all servers together; None for no limit.
        """
        server = self._servers.setdefault((endpoint, secret_name), _Server())
        seat = Seat(self, server, at_once, total)
        server.seats.append(seat)
        self._seats.append(seat)
        return seat

    def _leave(self, server: _Server, seat: Seat) -> None:
        server.seats.remove(seat)
        self._seats.remove(seat)
        self._grant()

    def _grant(self) -> None:
        """Give free slots to those whose last turn was longest ago."""
        total = min((seat.total for seat in self._seats if seat.total is not None), default=None)
        while total is None or self.in_flight < total:
            ready = [seat for seat in self._seats if seat._may_send()]
            if not ready:
                return
            self.in_flight += 1
            min(ready, key=lambda seat: seat.turn)._grant(next(self._turns))

    def _hold(self, server: _Server, wait: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        async def hold() -> None:
            try:
                await wait
            finally:
                server.holds -= 1
                self._grant()

        server.holds += 1
        task = asyncio.create_task(hold())
        self._holds.add(task)
        task.add_done_callback(self._holds.discard)
        return task


class _Server:
    """What is known of one server."""

    def __init__(self) -> None:
        self.in_flight = 0
        self.holds = 0
        self.opened = False
        self.ended: Ended | None = None
        self.seats: list[Seat] = []

    def has_room(self) -> bool:
        most = min(seat.at_once for seat in self.seats) if self.opened else 1
        return not self.holds and self.in_flight < most


class Seat:
    """The place of one asking at its server.

    Attributes:
        at_once: requests in flight that it allows the server to have.
        total: the same for all servers; None for no limit.
        turn: when it had a slot last, as a count; 0 before the first.
    """

    def __init__(self, limiter: Limiter, server: _Server, at_once: int, total: int | None) -> None:
        """Use :meth:`Limiter.join`."""
        self.at_once = at_once
        self.total = total
        self.turn = 0
        self._limiter = limiter
        self._server = server
        self._in_flight = 0
        self._answered = False
        self._closed = False
        self._waiting: deque[asyncio.Future[bool]] = deque()

    @property
    def opened(self) -> bool:
        """Whether the server has answered anybody in this run."""
        return self._server.opened

    @property
    def ended(self) -> Ended | None:
        """Why nobody shall ask this server any more; None while it may be asked."""
        return self._server.ended

    @property
    def nothing_reserved(self) -> bool:
        """Whether no slot in this run, of whatever server, holds money back."""
        return self._limiter.reserved == 0

    def slot(self) -> Slot:
        """Return a slot that is not taken yet."""
        return Slot(self)

    def open(self) -> None:
        """Note that the server answers.

        Until then one request goes alone: the first to the server (its key may be wrong), and
        the first of each asking (its model or a parameter may be).
        """
        if not self._answered:
            self._answered = self._server.opened = True
            self._limiter._grant()

    def hold(self, wait: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Let nobody send to this server before ``wait`` is over, even if this asking ends."""
        return self._limiter._hold(self._server, wait)

    def end(self, why: Ended) -> None:
        """Let nobody ask this server any more in this run."""
        self._server.ended = self._server.ended or why
        for seat in self._server.seats:
            seat._turn_away()

    def close(self) -> None:
        """Take no more slots; those that wait for one are turned away."""
        self._closed = True
        self._turn_away()

    def leave(self) -> None:
        """Lift this asking's limits; call it once, after all of its slots are given back."""
        self.close()
        self._limiter._leave(self._server, self)

    def _turn_away(self) -> None:
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(False)

    def _may_send(self) -> bool:
        # Those that were cancelled while they waited.
        while self._waiting and self._waiting[0].done():
            self._waiting.popleft()
        first = self._answered or self._in_flight == 0
        return bool(self._waiting) and first and self._server.has_room()

    def _grant(self, turn: int) -> None:
        self.turn = turn
        self._in_flight += 1
        self._server.in_flight += 1
        self._waiting.popleft().set_result(True)

    async def _take(self) -> bool:
        if self._closed or self._server.ended is not None:
            return False
        waiter: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        self._limiter._grant()
        try:
            return await waiter
        except asyncio.CancelledError:
            # Granted and cancelled at the same moment: the slot must not be lost.
            if waiter.done() and not waiter.cancelled() and waiter.result():
                self._give_back()
            raise

    def _give_back(self) -> None:
        self._in_flight -= 1
        self._server.in_flight -= 1
        self._limiter.in_flight -= 1
        self._limiter._grant()


class Slot:
    """The right to have one request in flight; a context manager that gives it back."""

    def __init__(self, seat: Seat) -> None:
        """Use :meth:`Seat.slot`."""
        self._seat = seat
        self._held = False
        self._reserved = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.give_back()

    async def take(self) -> bool:
        """Wait for the slot; askings take turns.

        Returns:
            True with the slot held (at once when it was held before); False when this asking
            or its server has ended.
        """
        if self._held:
            return not self._seat._closed
        self._held = await self._seat._take()
        return self._held

    def reserve(self) -> None:
        """Note that money is held back for what is sent in this slot, until it is given back."""
        if not self._reserved:
            self._reserved = True
            self._seat._limiter.reserved += 1

    def give_back(self) -> None:
        """Let somebody else have it; without effect when it is not held."""
        if self._reserved:
            self._reserved = False
            self._seat._limiter.reserved -= 1
        if self._held:
            self._held = False
            self._seat._give_back()
