"""95 % intervals that have a closed form: of a share and of a mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

__all__ = ["share_row", "students_t", "wilson"]

_Z: Final = 1.959963984540054
"""The 97.5 % point of the standard normal distribution."""


def wilson(count: int, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927), each end from 0 to 1.

    Args:
        count: successes, from 0 to n.
        n: trials, at least 1.
    """
    share = count / n
    centre = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n * n))
    low = 0.0 if count == 0 else centre - half
    return low, 1.0 if count == n else centre + half


def share_row(name: str, count: int, n: int) -> dict[str, float | None]:
    """Return a share and its interval as cells ``name``, ``name_low`` and ``name_high``.

    Args:
        name: of the share.
        count: successes, from 0 to n.
        n: trials; of none all three are None.
    """
    low, high = wilson(count, n) if n else (None, None)
    return {name: count / n if n else None, f"{name}_low": low, f"{name}_high": high}


def students_t(values: Sequence[float]) -> tuple[float, float] | tuple[None, None]:
    """Return the 95 % interval of a mean by Student's t.

    Args:
        values: independent values in any unit.

    Returns:
        Both ends in that unit; None twice for fewer than two values or none that differ.
    """
    if len(values) < 2 or len(set(values)) == 1:
        return None, None
    from scipy import stats

    n = len(values)
    mean = math.fsum(values) / n
    variance = math.fsum((value - mean) ** 2 for value in values) / (n - 1)
    half = float(stats.t.ppf(0.975, n - 1)) * math.sqrt(variance / n)
    return mean - half, mean + half
