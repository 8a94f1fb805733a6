"""Replies to the last requests of a process, for models whose reply follows from the request."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Final

__all__ = ["RecentReplies"]

_MOST: Final = 512


class RecentReplies:
    """Keeps replies, the one used longest ago leaving first.

    Judges in stages ask the same first question of every answer about one item: it is computed
    once in each process instead of once an answer.
    """

    def __init__(
        self, most: int = _MOST, *, keep: Callable[[Any], bool] = lambda reply: True
    ) -> None:
        """Start empty.

        Args:
            most: replies kept.
            keep: says of a reply whether it is kept; one that is not is made again when asked for.
        """
        self._most = most
        self._keep = keep
        self._replies: OrderedDict[Hashable, Any] = OrderedDict()

    def of(self, request: Hashable, make: Callable[[], Any]) -> Any:
        """Return the reply to a request, made only where it is not kept.

        Args:
            request: all that the reply follows from, the model included.
            make: gives the reply; what it raises is not kept.
        """
        if request in self._replies:
            self._replies.move_to_end(request)
            return self._replies[request]
        reply = make()
        if self._keep(reply):
            self._replies[request] = reply
            if len(self._replies) > self._most:
                self._replies.popitem(last=False)
        return reply
