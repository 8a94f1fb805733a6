"""Sets in which a member may stand more than once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

__all__ = ["overlap"]


def overlap(left: Iterable[Hashable], right: Iterable[Hashable]) -> int:
    """Return the size of the multiset intersection."""
    # Plain dictionary steps: Counter's own & and + take twice as long on texts this short.
    left_over: dict[Hashable, int] = {}
    count = left_over.get
    for key in left:
        left_over[key] = count(key, 0) + 1
    hits = 0
    for key in right:
        available = count(key)
        if available:
            left_over[key] = available - 1
            hits += 1
    return hits
