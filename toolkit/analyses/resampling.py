"""Bootstrap of any statistic that is a function of sums over items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Spread", "item_sums", "resampled"]

_BYTES_AT_ONCE: Final = 64 << 20
"""Memory for the weights of the resamples that are held at a time."""


@dataclass(frozen=True, slots=True)
class Spread:
    """How a statistic varies over resamples of the items.

    Attributes:
        low: lower end of the percentile interval, None where there is none.
        high: upper end.
        mean: mean over the resamples.
        sd: their standard deviation.
        undefined: resamples in which the statistic has no value.
    """

    low: float | None = None
    high: float | None = None
    mean: float | None = None
    sd: float | None = None
    undefined: int = 0


def item_sums(items: NDArray[np.int64], columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sums of each column over the rows of each item.

    Args:
        items: (n,) rank of each row's item.
        columns: (n, k) what is summed.

    Returns:
        (g, k) sums of the g items that have rows, in the order of the ranks.
    """
    import numpy as np

    _, place = np.unique(items, return_inverse=True)
    sums = np.zeros((int(place.max()) + 1 if len(place) else 0, columns.shape[1]))
    np.add.at(sums, place, columns)
    return sums


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
        resamples: how many.
        confidence: coverage of the percentile interval (Efron 1979).
    """
    import numpy as np

    groups = len(sums)
    if groups < 2 or resamples < 1:
        return Spread()
    at_once = max(1, min(resamples, _BYTES_AT_ONCE // (8 * groups)))
    values: list[NDArray[np.float64]] = []
    chances = np.full(groups, 1.0 / groups)
    for start in range(0, resamples, at_once):
        count = min(at_once, resamples - start)
        weights = rng.multinomial(groups, chances, size=count).astype(np.float64)
        values.append(statistic(weights @ sums))
    found = np.concatenate(values)
    known = found[np.isfinite(found)]
    undefined = len(found) - len(known)
    if len(known) < 2:
        return Spread(undefined=undefined)
    low, high = np.quantile(known, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Spread(float(low), float(high), float(known.mean()), float(known.std(ddof=1)), undefined)
