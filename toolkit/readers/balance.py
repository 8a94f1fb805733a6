"""Give each slot one of its options so that options are used as often alike as can be.

Least loaded first, then moves along chains of slots while the most used of two options can be
relieved by two or more: without such a chain the sum of squared loads is the least possible
(Harvey, Ladner, Lovász and Tamir, "Semi-matchings for bipartite graphs and load balancing",
J. Algorithms 59, 2006).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

__all__ = ["balanced"]


def balanced(
    options: Sequence[Sequence[str]],
    loads: Mapping[str, int],
    tie: Callable[[int, str], Any],
) -> list[str]:
    """Return an option for each slot.

    Args:
        options: what each slot may have; at least one.
        loads: how often an option was used before; 0 where it is not named.
        tie: orders the options of a slot that are used equally often.
    """
    used = {option: loads.get(option, 0) for slot in options for option in slot}
    chosen: list[str] = []
    for slot, mine in enumerate(options):
        option = min((used[one], tie(slot, one), one) for one in mine)[-1]
        chosen.append(option)
        used[option] += 1
    while _relieve(options, chosen, used):
        pass
    return chosen


def _relieve(options: Sequence[Sequence[str]], chosen: list[str], used: dict[str, int]) -> bool:
    """Move slots along one chain; say whether there was any."""
    for start in sorted(used, key=lambda option: (-used[option], option)):
        came = _reach(options, chosen, start)
        end = min(came, key=lambda option: (used[option], option))
        if used[start] - used[end] < 2:
            continue
        used[start] -= 1
        used[end] += 1
        while end != start:
            slot, before = came[end]
            chosen[slot] = end
            end = before
        return True
    return False


def _reach(
    options: Sequence[Sequence[str]], chosen: Sequence[str], start: str
) -> dict[str, tuple[int, str]]:
    """Return every option that a slot of ``start`` can be handed on to.

    Returns:
        By option: the slot that would move there, and the option it has now.
    """
    slots: dict[str, list[int]] = {}
    for slot, option in enumerate(chosen):
        slots.setdefault(option, []).append(slot)
    came = {start: (-1, start)}
    ahead = deque([start])
    while ahead:
        here = ahead.popleft()
        for slot in slots.get(here, ()):
            for option in options[slot]:
                if option not in came:
                    came[option] = (slot, here)
                    ahead.append(option)
    return came
