"""What one step of a plan takes."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Cost"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one step takes; None where it cannot be known yet, 0 where there is nothing.

    Attributes:
        rows: rows of the step's main table.
        calls: model calls, on this machine or to a server.
        tokens: tokens read and, at most, written.
        usd_low: price with no new token.
        usd_high: price with every call at its token limit.
        disk_bytes: size of the artifact.
        memory_bytes: memory of one worker.
        hours: time with the recipe's workers.
    """

    rows: int | None = None
    calls: int | None = 0
    tokens: int | None = 0
    usd_low: float | None = 0.0
    usd_high: float | None = 0.0
    disk_bytes: int | None = None
    memory_bytes: int | None = 0
    hours: float | None = None
