"""What one run knows of one server: what is in flight, how fast, whether it answers at all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Protocol

from toolkit.ask.pace import NO_RATES, Pace, Rates, Sent
from toolkit.ask.retry import Clock, SystemClock
from toolkit.ask.window import Window
from toolkit.errors import ToolkitError

__all__ = ["Ended", "Guest", "Server"]


@dataclass(frozen=True, slots=True)
class Ended:
    """Why nobody shall ask a server any more.

    Attributes:
        reason: in words.
        error: what to raise; None when the run is merely incomplete.
    """

    reason: str
    error: ToolkitError | None = None


class Guest(Protocol):
    """Somebody who asks a server, with the limits that it brings along."""

    at_once: int
    rates: Rates


class Server:
    """One server, for all who ask it.

    Attributes:
        in_flight: requests that it has now.
        holds: waits that it has asked for and that are not over.
        accepted: calls that it has taken.
        opened: it has answered somebody.
        ended: why nobody shall ask it any more.
        paced: what may be sent to it in a minute is limited.
        clock: time.
        window: how many requests it takes at once.
    """

    def __init__(
        self,
        keep: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
        look_again: Callable[[], None],
    ) -> None:
        """Know nothing yet.

        Args:
            keep: runs something in the background.
            look_again: is called when somebody may send who could not before.
        """
        self.in_flight = 0
        self.holds = 0
        self.accepted = 0
        self.opened = False
        self.ended: Ended | None = None
        self.paced = False
        self.clock: Clock = SystemClock()
        self.window = Window()
        self._guests: list[Guest] = []
        self._rates = NO_RATES
        self._most = 1
        self._keep = keep
        self._look_again = look_again
        self._pace = Pace()
        self._wakes_at: float | None = None

    @property
    def counts_tokens(self) -> bool:
        """Whether tokens are."""
        return self._rates.tokens is not None

    def join(self, guest: Guest) -> None:
        """Keep to the limits of one more."""
        self._guests.append(guest)
        self._take_limits()

    def leave(self, guest: Guest) -> None:
        """Forget the limits of one who has ended."""
        self._guests.remove(guest)
        self._take_limits()

    def has_room(self) -> bool:
        """Say whether one more request may be in flight."""
        most = self.window.size(self._most) if self.opened else 1
        return not self.holds and self.in_flight < most

    def wait_s(self, tokens: int) -> float:
        """Return how long a call of at most so many tokens must wait, in seconds."""
        if not self.paced:
            return 0.0
        return self._pace.wait_s(self.clock.monotonic(), tokens, self._rates)

    def send(self, tokens: int) -> Sent | None:
        """Count a call that may now be sent; None where nothing is limited."""
        if not self.paced:
            return None
        return self._pace.add(self.clock.monotonic(), tokens, self._rates)

    def accept(self) -> None:
        """Note a call that it took."""
        self.accepted += 1
        self.window.accepted(self._most)

    def overload(self, sent_in: int) -> None:
        """Note a call that was too many; see :meth:`Window.overloaded`."""
        self.window.overloaded(sent_in, self.in_flight)

    def hold(self, wait: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Have nobody send before ``wait`` is over."""
        self.holds += 1
        return self._keep(self._hold(wait))

    def wake_in(self, seconds: float) -> None:
        """Look again after a while whether somebody may send."""
        at = self.clock.monotonic() + seconds
        if self._wakes_at is None or at < self._wakes_at:
            self._wakes_at = at
            self._keep(self._wake(seconds, at))

    async def _hold(self, wait: Coroutine[Any, Any, None]) -> None:
        try:
            await wait
        finally:
            self.holds -= 1
            self._look_again()

    async def _wake(self, seconds: float, at: float) -> None:
        await self.clock.sleep(seconds)
        if self._wakes_at == at:
            self._wakes_at = None
        self._look_again()

    def _take_limits(self) -> None:
        self._most = min((guest.at_once for guest in self._guests), default=1)
        self._rates = NO_RATES
        for guest in self._guests:
            self._rates = self._rates.strictest(guest.rates)
        self.paced = self._rates != NO_RATES
