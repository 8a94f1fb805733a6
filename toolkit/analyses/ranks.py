"""Ranks of means: which way is better, who shares a place, who has none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolkit.metrics.base import ScoreDefinition

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["distance_from_best", "distances_from_best", "ranks"]


def ranks(means: Sequence[float | None], definition: ScoreDefinition) -> list[int | None]:
    """Rank means by the direction of their score.

    Equal means share the better place and the next place is skipped (1, 2, 2, 4). Only exact
    equality is a tie: means that merely print alike differ, and whether a difference means
    anything is told by the intervals, not by the rank.

    Args:
        means: one mean for each competitor; None is never ranked.
        definition: the score's direction and target.

    Returns:
        Ranks from 1 (best) in the order of ``means``; None where there is no mean, and
        everywhere when the score has no direction.

    Raises:
        ValueError: the direction is ``target`` and the definition names none.
    """
    distances = [None if mean is None else distance_from_best(mean, definition) for mean in means]
    known = [distance for distance in distances if distance is not None]
    return [
        None if distance is None else 1 + sum(other < distance for other in known)
        for distance in distances
    ]


def distance_from_best(mean: float, definition: ScoreDefinition) -> float | None:
    """Return a number that is smaller for a better mean; None when the score has no direction.

    A positive target is approached as a ratio: twice the target and half of it are equally far,
    so the distance is ``|ln(mean / target)|``, and a mean of zero or less is infinitely far. A
    target of zero or less has no ratio; its distance is the absolute difference.

    Raises:
        ValueError: the direction is ``target`` and the definition names none.
    """
    if definition.direction == "higher":
        return -mean
    if definition.direction == "lower":
        return mean
    if definition.direction == "none":
        return None
    target = definition.target
    if target is None:
        raise ValueError(f"score '{definition.name}' has direction target but no target value")
    if target <= 0:
        return abs(mean - target)
    return math.inf if mean <= 0 else abs(math.log(mean / target))


def distances_from_best(
    means: NDArray[np.float64], definition: ScoreDefinition
) -> NDArray[np.float64]:
    """Return :func:`distance_from_best` of many means at once; NaN where a mean is NaN.

    Args:
        means: of any shape.
        definition: of a score that has a direction.

    Raises:
        ValueError: the score has no direction, or no target where it needs one.
    """
    import numpy as np

    if definition.direction == "none":
        raise ValueError(f"score '{definition.name}' has no direction")
    if definition.direction != "target":
        return -means if definition.direction == "higher" else means
    target = definition.target
    if target is None:
        raise ValueError(f"score '{definition.name}' has direction target but no target value")
    if target <= 0:
        return np.abs(means - target)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: NDArray[np.float64] = np.where(
            means > 0, np.abs(np.log(means / target)), np.where(np.isnan(means), np.nan, np.inf)
        )
    return found
