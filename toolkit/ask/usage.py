"""What answers took, summed: calls and tokens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from toolkit.models.base import Answer

__all__ = ["USAGE", "add_usage", "usage_of"]

USAGE: Final = (
    "asked",
    "prompt_tokens",
    "completion_tokens",
    "reasoning_tokens",
    "cached_tokens",
)
"""Calls, then tokens read, written, of those written reasoning, of those read from a cache."""


def usage_of(answers: Iterable[Answer]) -> dict[str, int]:
    """Return the sums over answers by the names of :data:`USAGE`; what is not reported counts 0."""
    totals = dict.fromkeys(USAGE, 0)
    for answer in answers:
        for name in USAGE:
            totals[name] += getattr(answer, name) or 0
    return totals


def add_usage(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Return the sums of several usages."""
    totals = dict.fromkeys(USAGE, 0)
    for part in parts:
        for name in USAGE:
            totals[name] += part[name]
    return totals
