"""How many requests a server takes at once, found out by asking: AIMD, as TCP does it.

Additive increase, multiplicative decrease (Chiu and Jain, 1989): each time the server says
that it is overloaded the number is halved, with each round of accepted calls it grows by a
fixed step. Askings that share a server so come to share what it can do.
"""

from __future__ import annotations

from typing import Final

__all__ = ["Window"]

_STEPS: Final = 32
"""Rounds of accepted calls from nothing to the most that is allowed."""


class Window:
    """The requests that one server may have in flight, between 1 and what is allowed.

    Attributes:
        round: raised at each decrease; a call keeps the round that it was sent in.
    """

    def __init__(self) -> None:
        """Begin with no limit but the one that is allowed."""
        self.round = 0
        self._size: float | None = None

    def size(self, most: int) -> int:
        """Return how many may be in flight.

        Args:
            most: what is allowed, at least 1.
        """
        return most if self._size is None else max(1, min(int(self._size), most))

    def accepted(self, most: int) -> None:
        """Note a call that the server took."""
        if self._size is None:
            return
        self._size += max(1.0, most / _STEPS) / self._size
        if self._size >= most:
            self._size = None

    def overloaded(self, sent_in: int, in_flight: int) -> None:
        """Note a call that the server turned away because it had too many.

        Calls that were sent before the last decrease say nothing about the number since.

        Args:
            sent_in: the round in which the call was sent.
            in_flight: calls in flight now, this one included.
        """
        if sent_in != self.round:
            return
        size = in_flight if self._size is None else min(self._size, in_flight)
        self._size = max(1.0, size / 2)
        self.round += 1
