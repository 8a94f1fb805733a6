"""Who may send now: so many requests in flight to a server, so many a minute, so many in all.

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
from typing import Any, Final, Self

from toolkit.ask.descriptors import make_room
from toolkit.ask.pace import NO_RATES, Rates, Sent
from toolkit.ask.retry import Clock, SystemClock
from toolkit.ask.server import Ended, Server

__all__ = ["Limiter", "Seat", "Slot"]


_REAL_TIME: Final = SystemClock()


class Limiter:
    """The slots of one run."""

    def __init__(self) -> None:
        """Begin with no server."""
        self.in_flight = 0
        self.reserved = 0
        self._servers: dict[tuple[str, str | None], Server] = {}
        self._seats: list[Seat] = []
        self._turns = count(1)
        self._holds: set[asyncio.Task[None]] = set()

    def join(
        self,
        endpoint: str,
        secret_name: str | None,
        *,
        at_once: int,
        total: int | None,
        rates: Rates = NO_RATES,
        clock: Clock = _REAL_TIME,
    ) -> Seat:
        """Begin to ask a server; it is the same server when address and key are the same.

        Args:
            endpoint: its base URL.
            secret_name: the variable that holds the key, or None.
            at_once: requests in flight that this asking allows the server to have, those of
                others included; the smallest of all who ask it now holds.
            total: the same for all servers together; None for no limit.
            rates: what may be sent to it in a minute, by all; the smallest holds, and counts
                what was sent since anybody named a rate.
            clock: time.

        Raises:
            UserError: this process may not have that many connections.
        """
        make_room(sum(seat.at_once for seat in self._seats) + at_once)
        server = self._servers.setdefault((endpoint, secret_name), Server(self._keep, self._grant))
        seat = Seat(self, server, at_once, total, rates)
        server.clock = clock
        server.join(seat)
        self._seats.append(seat)
        return seat

    def _leave(self, server: Server, seat: Seat) -> None:
        server.leave(seat)
        self._seats.remove(seat)
        self._grant()

    def _grant(self) -> None:
        """Give free slots to those whose last turn was longest ago."""
        while self._has_room():
            ready = [seat for seat in self._seats if seat._may_send()]
            if not ready:
                return
            min(ready, key=lambda seat: seat.turn)._grant()

    def _has_room(self) -> bool:
        """Say whether one more may be in flight, with all servers together."""
        totals = [seat.total for seat in self._seats if seat.total is not None]
        return not totals or self.in_flight < min(totals)

    def _keep(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run something in the background; the loop alone would let go of it."""
        task = asyncio.create_task(work)
        self._holds.add(task)
        task.add_done_callback(self._holds.discard)
        return task


@dataclass(frozen=True, slots=True)
class _Waiter:
    """Somebody who waits for a slot."""

    slot: Slot
    granted: asyncio.Future[bool]


class Seat:
    """The place of one asking at its server.

    Attributes:
        at_once: requests in flight that it allows the server to have.
        total: the same for all servers; None for no limit.
        rates: what it allows the server to be sent in a minute.
        turn: when it had a slot last, as a count; 0 before the first.
    """

    def __init__(
        self, limiter: Limiter, server: Server, at_once: int, total: int | None, rates: Rates
    ) -> None:
        """Use :meth:`Limiter.join`."""
        self.at_once = at_once
        self.total = total
        self.rates = rates
        self.turn = 0
        self._limiter = limiter
        self._server = server
        self._in_flight = 0
        self._answered = False
        self._closed = False
        self._waiting: deque[_Waiter] = deque()

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

    @property
    def accepted(self) -> int:
        """How many calls the server has taken from anybody in this run."""
        return self._server.accepted

    @property
    def counts_tokens(self) -> bool:
        """Whether tokens are limited: only then need a slot know them."""
        return self._server.counts_tokens

    @property
    def held(self) -> bool:
        """Whether nobody may send to the server for a while."""
        return self._server.holds > 0

    def slot(self, tokens: int = 0) -> Slot:
        """Return a slot that is not taken yet.

        Args:
            tokens: the most that a call in it can read and write.
        """
        return Slot(self, tokens)

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
        return self._server.hold(wait)

    def end(self, why: Ended) -> None:
        """Let nobody ask this server any more in this run."""
        self._server.ended = self._server.ended or why
        for seat in self._limiter._seats:
            if seat._server is self._server:
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
            granted = self._waiting.popleft().granted
            if not granted.done():
                granted.set_result(False)

    def _may_send(self) -> bool:
        # Those that were cancelled while they waited.
        while self._waiting and self._waiting[0].granted.done():
            self._waiting.popleft()
        if not self._waiting or not self._has_room():
            return False
        wait_s = self._server.wait_s(self._waiting[0].slot.tokens)
        if wait_s:
            self._server.wake_in(wait_s)
        return not wait_s

    def _has_room(self) -> bool:
        return (self._answered or self._in_flight == 0) and self._server.has_room()

    def _grant(self) -> None:
        waiter = self._waiting.popleft()
        self._count(waiter.slot)
        waiter.granted.set_result(True)

    def _count(self, slot: Slot) -> None:
        self.turn = next(self._limiter._turns)
        self._limiter.in_flight += 1
        self._server.in_flight += 1
        self._in_flight += 1
        slot._count()

    def _take_now(self, slot: Slot) -> bool:
        """Grant a slot without a wait, where nobody else waits for one and nothing is paced."""
        limiter = self._limiter
        if self._closed or self._server.ended is not None or self._server.paced:
            return False
        if any(seat._waiting for seat in limiter._seats):
            return False
        if not (self._has_room() and limiter._has_room()):
            return False
        self._count(slot)
        return True

    async def _take(self, slot: Slot) -> bool:
        if self._closed or self._server.ended is not None:
            return False
        granted: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiter(slot, granted))
        self._limiter._grant()
        try:
            return await granted
        except asyncio.CancelledError:
            # Granted and cancelled at the same moment: the slot must not be lost.
            if granted.done() and not granted.cancelled() and granted.result():
                self._give_back()
            raise

    def _give_back(self) -> None:
        self._in_flight -= 1
        self._server.in_flight -= 1
        self._limiter.in_flight -= 1
        self._limiter._grant()


class Slot:
    """The right to have one request in flight; a context manager that gives it back.

    Attributes:
        tokens: the most that a call in it can read and write.
    """

    def __init__(self, seat: Seat, tokens: int) -> None:
        """Use :meth:`Seat.slot`."""
        self.tokens = tokens
        self._seat = seat
        self._held = False
        self._reserved = False
        self._round = 0
        self._counted: Sent | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.give_back()

    def take_now(self) -> bool:
        """Take the slot if it is free this very moment, and say whether it is held."""
        self._held = self._held or self._seat._take_now(self)
        return self._held

    async def take(self) -> bool:
        """Wait for the slot; askings take turns.

        Returns:
            True with the slot held; False when this asking or its server has ended.
        """
        if self._held:
            return await self._again()
        self._held = await self._seat._take(self)
        return self._held

    def reserve(self) -> None:
        """Note that a call is about to be sent, and that money is held back for it."""
        self._round = self._seat._server.window.round
        if not self._reserved:
            self._reserved = True
            self._seat._limiter.reserved += 1

    def accepted(self, tokens: int | None) -> None:
        """Note that the server took the call.

        Args:
            tokens: what it read and wrote; None when it did not say.
        """
        self._seat._server.accept()
        if self._counted is not None:
            if tokens is not None:
                self._counted.used(tokens)
            self._counted = None

    def turned_away(self) -> None:
        """Note that the server had too many calls for this one."""
        self._seat._server.overload(self._round)
        if self._counted is not None:
            # As a request it counts with most providers; as tokens it does not.
            self._counted.used(0)
            self._counted = None

    def give_back(self) -> None:
        """Let somebody else have it; without effect when it is not held."""
        if not self._held:
            return
        if self._counted is not None and not self._reserved:
            self._counted.never_sent()
        self._counted = None
        if self._reserved:
            self._reserved = False
            self._seat._limiter.reserved -= 1
        self._held = False
        self._seat._give_back()

    def _count(self) -> None:
        self._counted = self._seat._server.send(self.tokens)

    async def _again(self) -> bool:
        """Wait for the next call in a slot that was not given back."""
        server = self._seat._server
        while self._reserved and not self._seat._closed and (wait_s := server.wait_s(self.tokens)):
            await server.clock.sleep(wait_s)
        if self._reserved and not self._seat._closed:
            self._count()
        return not self._seat._closed
