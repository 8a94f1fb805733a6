"""The order of competitors by a matrix of their scores: means, ranks, ranges, likeness."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from toolkit.analyses.model_ranks import kendall_rows
from toolkit.analyses.ranks import distances_from_best, ranks
from toolkit.metrics.base import ScoreDefinition
from toolkit.statistics.group_errors import cluster_df
from toolkit.statistics.rank_intervals import rank_ranges
from toolkit.statistics.resampling import resampled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Likeness", "Order", "likeness", "order_of", "swapped"]

_DIGITS: Final = 10
"""Decimals of a mean; equal values summed in another order differ in the digits behind."""


@dataclass(frozen=True, slots=True)
class Order:
    """Competitors in order under one way of scoring them.

    Attributes:
        means: (k,) NaN for one without a value.
        n: (k,) items with a value.
        sums: (g, k) sum of the values in each cluster.
        counts: (g, k) how many there are.
        ranks: from 1; None without a mean, and where the score has no direction.
    """

    means: NDArray[np.float64]
    n: NDArray[np.int64]
    sums: NDArray[np.float64]
    counts: NDArray[np.float64]
    ranks: tuple[int | None, ...]

    def gap(self, first: int, second: int) -> tuple[float, float | None, float | None]:
        """Return the difference of two means and the ends of its 95 % interval.

        Student's t over clusters with the variance of the difference's influences (Liang and
        Zeger 1986, doi:10.1093/biomet/73.1.13); no ends where it does not vary.
        """
        import numpy as np
        from scipy.special import stdtrit

        influence = np.zeros(len(self.sums))
        for at, sign in ((first, 1.0), (second, -1.0)):
            deviation = self.sums[:, at] - self.means[at] * self.counts[:, at]
            influence += sign * deviation / self.n[at]
        sizes = self.counts[:, [first, second]].sum(axis=1)
        sizes = sizes[sizes > 0]
        groups = len(sizes)
        value = float(self.means[first] - self.means[second])
        variance = float((influence**2).sum())
        if groups < 2 or not variance > 1e-24 * (1 + value * value):
            return value, None, None
        half = float(stdtrit(cluster_df(sizes), 0.975)) * (variance * groups / (groups - 1)) ** 0.5
        return value, value - half, value + half

    def ranges(
        self, definition: ScoreDefinition, rng: np.random.Generator, resamples: int
    ) -> list[tuple[int | None, int | None]]:
        """Return the range of each rank at 95 %; see :mod:`toolkit.statistics.rank_intervals`.

        One without a value has no place, and takes none in the ranges of the others.
        """
        import numpy as np

        held = np.flatnonzero(self.n > 0)
        ranges: list[tuple[int | None, int | None]] = [(None, None)] * len(self.means)
        if definition.direction == "none" or not len(held):
            return ranges
        found = rank_ranges(
            self.sums[:, held],
            self.counts[:, held],
            partial(distances_from_best, definition=definition),
            rng,
            resamples=resamples,
        )
        for at, each in zip(held, found, strict=True):
            ranges[at] = each.low, each.high
        return ranges


def order_of(
    values: NDArray[np.float64], clusters: NDArray[np.int64], definition: ScoreDefinition
) -> Order:
    """Return the order of competitors by the means of their values.

    Args:
        values: (items, k) NaN where there is none.
        clusters: (items,) the cluster of each item.
        definition: of the score.
    """
    import numpy as np

    known = np.isfinite(values)
    size = int(clusters.max()) + 1 if len(clusters) else 0
    k = values.shape[1]
    sums, counts = np.zeros((size, k)), np.zeros((size, k))
    for at in range(k):
        held = clusters[known[:, at]]
        sums[:, at] = np.bincount(held, values[known[:, at], at], size)
        counts[:, at] = np.bincount(held, minlength=size)
    n = known.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(n > 0, sums.sum(axis=0) / n, np.nan)
    rounded = [None if np.isnan(mean) else round(float(mean), _DIGITS) for mean in means]
    return Order(means, n.astype(np.int64), sums, counts, tuple(ranks(rounded, definition)))


@dataclass(frozen=True, slots=True)
class Likeness:
    """Kendall's tau b of two orders with its 95 % percentile interval."""

    tau: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""


def likeness(
    one: Order,
    other: Order,
    definition: ScoreDefinition,
    rng: np.random.Generator,
    resamples: int,
) -> Likeness:
    """Return how alike two orders of the same competitors are, over resamples of clusters.

    Args:
        one: an order.
        other: one of the same competitors and clusters.
        definition: of the score, which has a direction.
        rng: source of the resamples.
        resamples: how many.
    """
    import numpy as np

    both = np.flatnonzero((one.n > 0) & (other.n > 0))
    k = len(both)
    if k < 3:
        return Likeness(reason="fewer than three competitors: their order says nothing")

    def tau(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        blocks = np.split(sums, 4, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = [np.round(blocks[at] / blocks[at + 1], _DIGITS) for at in (0, 2)]
        return kendall_rows(*(distances_from_best(mean, definition) for mean in means))

    sums = np.hstack([part[:, both] for each in (one, other) for part in (each.sums, each.counts)])
    value = float(tau(sums.sum(axis=0, keepdims=True))[0])
    if np.isnan(value):
        return Likeness(reason="all competitors have the same mean")
    held = sums[(sums[:, k : 2 * k].sum(axis=1) > 0) | (sums[:, 3 * k :].sum(axis=1) > 0)]
    spread = resampled(held, tau, rng, resamples=resamples)
    return Likeness(value, spread.low, spread.high, spread.reason)


def swapped(one: Order, other: Order, definition: ScoreDefinition) -> list[tuple[int, int]]:
    """Return the pairs of competitors that stand the other way round in the second order.

    The most serious come first: those whose smaller gap, in distance from the best value, is the
    largest.
    """
    import numpy as np

    near, far = (
        distances_from_best(np.round(order.means, _DIGITS), definition) for order in (one, other)
    )
    found = []
    for a in range(len(near)):
        for b in range(a + 1, len(near)):
            before, after = float(near[a] - near[b]), float(far[a] - far[b])
            if before < 0 < after or after < 0 < before:
                found.append((-min(abs(before), abs(after)), a, b))
    return [(a, b) for _, a, b in sorted(found)]
