"""Ranks in which competitors that no test tells apart share a place."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Final

from toolkit.analyses.ranks import distance_from_best
from toolkit.metrics.base import ScoreDefinition
from toolkit.results.record import ScoreResult
from toolkit.statistics.holm import holm
from toolkit.statistics.pairwise import Pairwise, pairwise_tests
from toolkit.statistics.rank_intervals import shared_ranks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["LEVEL", "shared_places"]

LEVEL: Final = 0.05
"""Chance that any two equal competitors of one table are told apart."""


def shared_places(
    numbers: Sequence[ScoreResult],
    values: NDArray[np.float64],
    clusters: NDArray[np.int64] | None,
) -> list[tuple[int, int]]:
    """Return the first and the last rank that the data leave to each competitor.

    Every pair is tested on the items that both have, whole clusters together, with Holm's
    correction over all pairs. A pair of which one has no item scores is tested by the two
    intervals alone, as if they were independent: that finds fewer differences, never more,
    where the same items are hard for both.

    Args:
        numbers: the number of each competitor on one score; each has a value.
        values: (items, competitors) scores of the items, NaN where there is none.
        clusters: (items,) cluster of each item; None where each counts for itself.

    Returns:
        (1 + how many are better, competitors - how many are worse) for each.
    """
    definition = numbers[0].definition()
    tests = pairwise_tests(values, clusters)
    pairs = list(combinations(range(len(numbers)), 2))
    found = [_compared(numbers, tests, pair) for pair in pairs]
    better = []
    for (one, other), p, (_, *means) in zip(
        pairs, holm([p for p, *_ in found]), found, strict=True
    ):
        if p is None or p >= LEVEL or _across(means[0], means[1], definition):
            continue
        near, far = (distance_from_best(mean, definition) for mean in means)
        if near is None or far is None or near == far:
            continue
        better.append((one, other) if near < far else (other, one))
    return shared_ranks(better, len(numbers))


def _compared(
    numbers: Sequence[ScoreResult], tests: Pairwise, pair: tuple[int, int]
) -> tuple[float | None, float, float]:
    """Return the p value of a pair, None for no test, and the two means it is about."""
    one, other = pair
    if tests.rows[one, other]:
        p = float(tests.p[one, other])
        means = float(tests.means[one, other]), float(tests.means[other, one])
        return (p if p == p else None), *means
    first, second = numbers[one], numbers[other]
    assert first.value is not None
    assert second.value is not None
    return _by_intervals(first, second), first.value, second.value


def _by_intervals(first: ScoreResult, second: ScoreResult) -> float | None:
    from scipy.special import ndtr, ndtri

    variance = 0.0
    for number in (first, second):
        if number.low is None or number.high is None or not number.level:
            return None
        quantile = float(ndtri(0.5 + number.level / 2))
        variance += ((number.high - number.low) / (2 * quantile)) ** 2
    assert first.value is not None
    assert second.value is not None
    difference = abs(first.value - second.value)
    if not variance:
        return None
    return float(2 * ndtr(-difference / variance**0.5))


def _across(first: float, second: float, definition: ScoreDefinition) -> bool:
    # A test of the difference cannot say which of the two is nearer then.
    target = definition.target
    if definition.direction != "target" or target is None:
        return False
    return (first - target) * (second - target) < 0
