"""Ranks as ranges: which places a competitor may hold, from differences resampled together.

The places that resampled ranks take are no confidence interval: of competitors that are equal,
each resample puts some first, and the quantiles of these ranks leave out the true one (Hall and
Miller 2009, doi:10.1214/09-AOS715). So a rank is bounded from below by who is surely better and
from above by who is surely worse: simultaneous intervals of the differences from one competitor
to all others, each that leaves out zero moving a bound by one (Mogstad, Romano, Shaikh and
Wilhelm 2024, doi:10.1093/restud/rdad006).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolkit.statistics.group_errors import cluster_df
from toolkit.statistics.resampling import resampled_sums

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["RankRange", "rank_ranges", "shared_ranks"]

_DIGITS: Final = 11
"""Digits kept of the largest distance: equal columns summed in another order differ behind."""

_CERTAIN: Final = 8.0
"""Normal quantile from which on a level cannot be told from 1."""


@dataclass(frozen=True, slots=True)
class RankRange:
    """The places one competitor may hold among n.

    Attributes:
        low: 1 + competitors that are surely better; None when it cannot be compared.
        high: n - competitors that are surely worse.
        first: share of the resamples in which nobody is better; a description, no probability.
        reason: why there is no range; empty otherwise.
    """

    low: int | None
    high: int | None
    first: float | None = None
    reason: str = ""


def rank_ranges(
    sums: NDArray[np.float64],
    counts: NDArray[np.float64],
    distance: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    rng: np.random.Generator,
    *,
    resamples: int,
    confidence: float = 0.95,
) -> list[RankRange]:
    """Return the range of each competitor's rank, with joint resamples of whole clusters.

    All competitors see the same resamples, so what items have in common drops out of their
    differences. For competitor j, the largest standardised deviation of its differences over
    all resamples gives one critical value for all of them; it is widened for few clusters as
    the ``expanded`` interval of :mod:`toolkit.statistics.bootstrap` is. A difference that no
    resample changes counts only when flipping its sign in g clusters would be significant,
    ``2 ** (1 - g) <= (1 - confidence) / (n - 1)``: equal values are not certainty.

    Args:
        sums: (g, n) sum of each competitor's values in each cluster.
        counts: (g, n) how many values it has there; 0 for none.
        distance: from means of any shape to distances from the best value, smaller is better.
        rng: source of the resamples.
        resamples: how many.
        confidence: coverage of each range, between 0 and 1. It is at least that: ranks are
            whole numbers.

    Returns:
        One range for each competitor; a competitor with values in fewer than two clusters has
        none, and the others cannot be told apart from it.
    """
    import numpy as np

    competitors = sums.shape[1]
    groups = (counts > 0).sum(axis=0)
    df = np.array([_degrees(column[column > 0]) for column in counts.T])
    if competitors == 0:
        return []
    total, drawn = sums.sum(axis=0), counts.sum(axis=0)
    joined = np.hstack([sums, counts])
    means = [
        block[:, :competitors]
        / np.where(block[:, competitors:] > 0, block[:, competitors:], np.nan)
        for block in resampled_sums(joined, rng, resamples)
    ]
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = distance(total / drawn)
        resampled = distance(np.concatenate(means))
    observed, resampled = _rounded(observed, resampled)
    firsts = _first_shares(resampled)
    ranges = []
    for at in range(competitors):
        if groups[at] < 2:
            ranges.append(RankRange(None, None, reason="fewer than two clusters with a value"))
            continue
        better, worse = _apart(at, observed, resampled, groups, df, confidence)
        ranges.append(RankRange(1 + better, competitors - worse, float(firsts[at])))
    return ranges


def _rounded(
    observed: NDArray[np.float64], resampled: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Round both, and put what is infinitely far beyond all that is not."""
    import numpy as np

    finite = [part[np.isfinite(part)] for part in (observed, resampled)]
    largest = max((float(np.abs(part).max()) for part in finite if len(part)), default=0.0)
    decimals = _DIGITS - (math.ceil(math.log10(largest)) if largest > 0 else 0)
    far = 1.0 + 10.0 * largest
    return tuple(  # type: ignore[return-value]
        np.where(np.isposinf(part), far, np.round(part, decimals)) for part in (observed, resampled)
    )


def _first_shares(resampled: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    with np.errstate(invalid="ignore"):
        best = np.fmin.reduce(resampled, axis=1, keepdims=True)
        shares: NDArray[np.float64] = (resampled <= best).mean(axis=0)
    return shares


def _apart(
    at: int,
    observed: NDArray[np.float64],
    resampled: NDArray[np.float64],
    groups: NDArray[np.int64],
    df: NDArray[np.float64],
    confidence: float,
) -> tuple[int, int]:
    """Return how many competitors are surely better than one, and how many surely worse."""
    import numpy as np

    others = [k for k in range(len(observed)) if k != at and groups[k] >= 2]
    if not others:
        return 0, 0
    difference = observed[at] - observed[others]
    deviation = resampled[:, [at]] - resampled[:, others] - difference
    known = np.isfinite(deviation)
    fewest = np.minimum(groups[at], groups[others])
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt(np.where(known, deviation**2, 0.0).sum(axis=0) / known.sum(axis=0))
        varies = error > 0
        standardised = np.where(known & varies, np.abs(deviation) / error, 0.0)
    critical = float(np.quantile(standardised.max(axis=1), confidence))
    half = error * _widened(critical, fewest, np.minimum(df[at], df[others]))
    constant = 2.0 ** (1.0 - fewest) <= (1 - confidence) / (len(observed) - 1)
    sure = np.where(varies, np.abs(difference) > half, constant & (difference != 0))
    return int((sure & (difference > 0)).sum()), int((sure & (difference < 0)).sum())


def _degrees(sizes: NDArray[np.float64]) -> float:
    return cluster_df(sizes) if len(sizes) > 1 else 0.0


def _widened(
    critical: float, groups: NDArray[np.int64], df: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return Student's quantile of the level of a normal one, for resamples that vary less."""
    import numpy as np
    from scipy.special import ndtr, stdtrit

    level = ndtr(min(critical, _CERTAIN))
    wide: NDArray[np.float64] = stdtrit(df, level) * np.sqrt(groups / (groups - 1))
    return wide


def shared_ranks(better: Sequence[tuple[int, int]], competitors: int) -> list[tuple[int, int]]:
    """Return the range of ranks that tests leave to each competitor.

    Competitors that no test tells apart from the same others share a range. It holds the true
    rank of all of them at once when the tests' familywise error is controlled.

    Args:
        better: pairs (j, k) of which a test says that j is better than k.
        competitors: how many there are.

    Returns:
        (1 + how many are better, competitors - how many are worse) for each.
    """
    above, below = [0] * competitors, [0] * competitors
    for winner, loser in better:
        above[loser] += 1
        below[winner] += 1
    return [(1 + up, competitors - down) for up, down in zip(above, below, strict=True)]
