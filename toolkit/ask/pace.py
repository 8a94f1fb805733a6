"""How much was sent in the last minute, and when more may be: requests and tokens.

Providers state limits a minute and keep to them in their own ways: some over any 60 seconds,
some second by second. So two rules hold here at once. In no window of a minute is more sent
than the limit, from the very start. And within it sending is spread: at most a tenth of the
limit at once, then at an even rate.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

__all__ = ["NO_RATES", "WINDOW_S", "Meter", "Pace", "Rates", "Sent"]

WINDOW_S: Final = 61.0
"""A minute and a second: what leaves here 60 s apart may arrive a little closer together."""

_BURST: Final = 0.1
"""Share of a limit that may be sent at once."""


@dataclass(frozen=True, slots=True)
class Rates:
    """What a server allows in a minute; None for no limit."""

    requests: int | None = None
    tokens: int | None = None

    def strictest(self, other: Rates) -> Rates:
        """Return the smaller limit of each sort."""
        return Rates(_least(self.requests, other.requests), _least(self.tokens, other.tokens))


NO_RATES: Final = Rates()


@dataclass(slots=True)
class _Entry:
    """An amount, and when it was sent, in seconds."""

    time: float
    amount: int


class Meter:
    """What was sent of one sort."""

    def __init__(self) -> None:
        """Begin with nothing sent."""
        self._entries: deque[_Entry] = deque()
        self._sum = 0
        self._debt = 0.0
        self._drained_at = 0.0

    def wait_s(self, now: float, amount: int, limit: int) -> float:
        """Return how long ``amount`` has to wait, in seconds; 0 when it may be sent now.

        An amount above the limit counts as the whole limit: it is sent alone, and whether it
        really is too much the server will say.

        Args:
            now: the time, in seconds from anywhere.
            amount: what is to be sent.
            limit: what may be sent in a minute, at least 1.
        """
        self._drain(now, limit)
        amount = min(amount, limit)
        burst = max(limit * _BURST, amount)
        spread_s = (self._debt + amount - burst) * WINDOW_S / limit
        wait_s = max(self._window_s(now, amount, limit), spread_s)
        # Less than a billionth of a second is the rounding of a clock and no wait; less than a
        # thousandth might not move the clock at all.
        return max(wait_s, 1e-3) if wait_s > 1e-9 else 0.0

    def add(self, now: float, amount: int, limit: int) -> _Entry:
        """Note that ``amount`` is sent."""
        self._drain(now, limit)
        entry = _Entry(now, min(amount, limit))
        self._entries.append(entry)
        self._sum += entry.amount
        self._debt += entry.amount
        return entry

    def change(self, entry: _Entry, amount: int) -> None:
        """Note that it was another amount, as far as the last minute still counts."""
        if self._entries and entry.time >= self._entries[0].time:
            self._sum += amount - entry.amount
            self._debt = max(self._debt + amount - entry.amount, 0.0)
        entry.amount = amount
        while self._entries and not self._entries[-1].amount:
            self._entries.pop()

    def _window_s(self, now: float, amount: int, limit: int) -> float:
        excess = self._sum + amount - limit
        if excess <= 0:
            return 0.0
        for entry in self._entries:
            excess -= entry.amount
            if excess <= 0:
                return entry.time + WINDOW_S - now
        return WINDOW_S

    def _drain(self, now: float, limit: int) -> None:
        while self._entries and self._entries[0].time + WINDOW_S <= now:
            self._sum -= self._entries.popleft().amount
        self._debt = max(self._debt - (now - self._drained_at) * limit / WINDOW_S, 0.0)
        self._drained_at = now


class Pace:
    """What was sent to one server."""

    def __init__(self) -> None:
        """Begin with nothing sent."""
        self._requests = Meter()
        self._tokens = Meter()

    def wait_s(self, now: float, tokens: int, rates: Rates) -> float:
        """Return how long a call of at most so many tokens has to wait, in seconds."""
        requests_s = tokens_s = 0.0
        if rates.requests is not None:
            requests_s = self._requests.wait_s(now, 1, rates.requests)
        if rates.tokens is not None:
            tokens_s = self._tokens.wait_s(now, tokens, rates.tokens)
        return max(requests_s, tokens_s)

    def add(self, now: float, tokens: int, rates: Rates) -> Sent:
        """Note that a call is sent; only what has a limit is counted."""
        requests = tokens_entry = None
        if rates.requests is not None:
            requests = self._requests.add(now, 1, rates.requests)
        if rates.tokens is not None:
            tokens_entry = self._tokens.add(now, tokens, rates.tokens)
        return Sent(self, requests, tokens_entry)


class Sent:
    """A call that counts against the rates."""

    def __init__(self, pace: Pace, requests: _Entry | None, tokens: _Entry | None) -> None:
        """Use :meth:`Pace.add`."""
        self._pace = pace
        self._request_entry = requests
        self._token_entry = tokens

    def used(self, tokens: int) -> None:
        """Note how many tokens it really took."""
        if self._token_entry is not None:
            self._pace._tokens.change(self._token_entry, tokens)

    def never_sent(self) -> None:
        """Take it out of the count."""
        if self._request_entry is not None:
            self._pace._requests.change(self._request_entry, 0)
        self.used(0)


def _least(one: int | None, two: int | None) -> int | None:
    known = [value for value in (one, two) if value is not None]
    return min(known, default=None)
