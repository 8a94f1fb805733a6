"""Bootstrap of any statistic that is a function of sums over items."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Spread", "item_cells", "item_sums", "resampled", "resampled_sums"]

_DRAWS_AT_ONCE: Final = 1 << 22
"""Draws held at a time: about 100 MB whatever the number of items and resamples."""

_SAME: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Spread:
    """How a statistic varies over resamples of the items.

    Attributes:
        low: lower end of the percentile interval, None where there is none.
        high: upper end.
        mean: mean over the resamples.
        sd: their standard deviation.
        reason: why there is no interval, or what to know of it; empty otherwise.
    """

    low: float | None = None
    high: float | None = None
    mean: float | None = None
    sd: float | None = None
    reason: str = ""

    @property
    def flat(self) -> bool:
        """Whether all resamples gave one value, which is no proof of certainty."""
        return self.low is not None and self.high is not None and self.high - self.low <= _SAME


def item_sums(items: NDArray[np.int64], columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sums of each column over the rows of each item.

    Args:
        items: (n,) rank of each row's item.
        columns: (n, k) what is summed.

    Returns:
        (g, k) sums of the g items that have rows, in the order of the ranks.
    """
    import numpy as np

    found, place = np.unique(items, return_inverse=True)
    sums = np.empty((len(found), columns.shape[1]))
    for at in range(columns.shape[1]):
        sums[:, at] = np.bincount(place, columns[:, at], len(found))
    return sums


def item_cells(items: NDArray[np.int64], cells: NDArray[np.int64], k: int) -> NDArray[np.float64]:
    """Return how many rows of each item fall into each of k cells.

    Args:
        items: (n,) rank of each row's item.
        cells: (n,) the cell of each row, from 0 to k - 1.
        k: number of cells.

    Returns:
        (g, k) counts of the g items that have rows, in the order of the ranks.
    """
    import numpy as np

    found, place = np.unique(items, return_inverse=True)
    counts = np.bincount(place * k + cells, minlength=len(found) * k)
    return counts.reshape(len(found), k).astype(np.float64)


def resampled(
    sums: NDArray[np.float64],
    statistic: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    rng: np.random.Generator,
    *,
    resamples: int,
    confidence: float = 0.95,
) -> Spread:
    """Return the spread of a statistic over resamples of whole items.

    Args:
        sums: (g, k) sums by item.
        statistic: from (r, k) total sums to (r,) values; NaN where it has none.
        rng: source of the resamples.
        resamples: how many; 0 for none.
        confidence: coverage of the percentile interval (Efron 1979).
    """
    import numpy as np

    groups = len(sums)
    if resamples < 1:
        return Spread()
    if groups < 2:
        return Spread(reason="one item: nothing to resample")
    found = np.concatenate([statistic(sum_) for sum_ in resampled_sums(sums, rng, resamples)])
    known = found[np.isfinite(found)]
    undefined = len(found) - len(known)
    reason = f"without a value in {undefined} of {resamples} resamples" if undefined else ""
    if len(known) < 2:
        return Spread(reason=reason or "too few resamples for an interval")
    low, high = np.quantile(known, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Spread(float(low), float(high), float(known.mean()), float(known.std(ddof=1)), reason)


def resampled_sums(
    sums: NDArray[np.float64], rng: np.random.Generator, resamples: int
) -> Iterator[NDArray[np.float64]]:
    """Yield the total sums of resamples of whole items, some resamples at a time.

    Args:
        sums: (g, k) sums by item.
        rng: source of the resamples.
        resamples: how many.

    Yields:
        (r, k) total sums of r resamples, ``resamples`` in all.
    """
    groups = len(sums)
    at_once = max(1, min(resamples, _DRAWS_AT_ONCE // groups))
    for start in range(0, resamples, at_once):
        yield _weights(rng, groups, min(at_once, resamples - start)) @ sums


def _weights(rng: np.random.Generator, groups: int, count: int) -> NDArray[np.float64]:
    """Return (count, groups) how often each item is drawn in each resample."""
    import numpy as np

    drawn = rng.integers(0, groups, size=(count, groups), dtype=np.int64)
    drawn += np.arange(count, dtype=np.int64)[:, None] * groups
    counted = np.bincount(drawn.ravel(), minlength=count * groups)
    return counted.reshape(count, groups).astype(np.float64)
