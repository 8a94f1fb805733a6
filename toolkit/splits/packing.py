"""Fill a split to an exact size with whole groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["Packing", "pack"]

_MEMORY: Final = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Packing:
    """Which groups fill the split.

    Attributes:
        taken: positions of the groups taken, ascending.
        below: largest reachable size up to the target; equals it on success.
        above: smallest reachable size above the target, None when there is none or when it
            was not worked out.
    """

    taken: tuple[int, ...]
    below: int
    above: int | None


def pack(sizes: Sequence[int], target: int) -> Packing:
    """Choose groups that add up to ``target``, the earlier ones first.

    Groups are taken in order and one that would overflow is skipped. Where that ends short
    although another choice fits, the choice that comes first in lexicographic order is made,
    so an earlier group is only passed over when it has to be.

    Args:
        sizes: size of each group, at least 1, in rank order.
        target: items wanted, at least 0.
    """
    taken: list[int] = []
    left = target
    for at, size in enumerate(sizes):
        if size <= left:
            taken.append(at)
            left -= size
    if left == 0:
        return Packing(tuple(taken), target, None)
    total = sum(sizes)
    if total <= target:
        return Packing(tuple(taken), total, None)
    # The exact search keeps one bit per reachable size for each group.
    if len(sizes) * (target // 8 + 1) > _MEMORY:
        return Packing(tuple(taken), target - left, None)
    return _exact(sizes, target)


def _exact(sizes: Sequence[int], target: int) -> Packing:
    # reachable[k] has bit s set when some of sizes[k:] add up to s.
    mask = (1 << (target + 1)) - 1
    reachable = [1]
    for size in reversed(sizes):
        reachable.append(reachable[-1] | (reachable[-1] << size) & mask)
    reachable.reverse()
    below = reachable[0].bit_length() - 1
    taken: list[int] = []
    left = below
    for at, size in enumerate(sizes):
        if size <= left and reachable[at + 1] >> (left - size) & 1:
            taken.append(at)
            left -= size
    return Packing(tuple(taken), below, _next_above(sizes, target) if below < target else None)


def _next_above(sizes: Sequence[int], target: int) -> int | None:
    # Every sum above the target passes it with its last group: at most the largest further.
    limit = target + max(sizes)
    mask = (1 << (limit + 1)) - 1
    sums = 1
    for size in sizes:
        sums |= (sums << size) & mask
    over = sums >> (target + 1)
    return target + 1 + ((over & -over).bit_length() - 1) if over else None
