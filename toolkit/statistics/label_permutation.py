"""Permutation tests of many columns at once whose rows are divided in one and the same way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["label_permutations"]

_AT_ONCE: Final = 1 << 22
"""Labels drawn at a time: some 50 MB whatever the number of rows."""

_SAME: Final = 1e-9
"""Differences this close count as equal, relative to the largest value."""


def label_permutations(
    values: NDArray[np.float64],
    first: NDArray[np.bool_],
    rng: np.random.Generator,
    *,
    permutations: int,
) -> list[float | None]:
    """Return the p value of no difference of means between two halves, for each column.

    The labels of the rows that have a value are permuted, the same permutations for all columns
    that have values of the same rows; so both halves keep their sizes, however many values lack
    in one of them. p = (b + 1) / (n + 1), two-sided (Phipson and Smyth 2010,
    doi:10.2202/1544-6115.1585).

    Args:
        values: (n, k) NaN where there is none.
        first: (n,) whether a row belongs to the first half.
        rng: source of the permutations.
        permutations: how many.

    Returns:
        k p values; None for a column with fewer than two values in a half, and 1 for one whose
        values are all equal.
    """
    import numpy as np

    known = np.isfinite(values)
    alike: dict[bytes, list[int]] = {}
    for at in range(values.shape[1]):
        alike.setdefault(known[:, at].tobytes(), []).append(at)
    extreme = np.zeros(values.shape[1], np.int64)
    start = rng.bit_generator.state
    for columns in alike.values():
        held = known[:, columns[0]]
        labels = first[held]
        if labels.any() and not labels.all():
            # Every set of rows begins at the same random number: columns change no others.
            rng.bit_generator.state = start
            extreme[columns] = _extreme(values[held][:, columns], labels, rng, permutations)
    results: list[float | None] = []
    for at, count in enumerate(extreme.tolist()):
        held = known[:, at]
        if min((held & first).sum(), (held & ~first).sum()) < 2:
            results.append(None)
        elif np.ptp(values[held, at]) == 0:
            results.append(1.0)
        else:
            results.append((count + 1) / (permutations + 1))
    return results


def _extreme(
    values: NDArray[np.float64],
    first: NDArray[np.bool_],
    rng: np.random.Generator,
    permutations: int,
) -> NDArray[np.int64]:
    """Return for each column without gaps how many permutations are at least as far apart."""
    import numpy as np

    # Centred: sums of large numbers would lose the digits that differ.
    filled = values - values.mean(axis=0)
    total = filled.sum(axis=0)
    rows, size = len(filled), int(first.sum())

    def apart(labels: NDArray[np.float64]) -> NDArray[np.float64]:
        sums = labels @ filled
        found: NDArray[np.float64] = np.abs(sums / size - (total - sums) / (rows - size))
        return found

    bound = apart(first.astype(np.float64)[None, :])[0] - _SAME * np.abs(filled).max(axis=0)
    extreme = np.zeros(values.shape[1], np.int64)
    step = max(1, _AT_ONCE // rows)
    for start in range(0, permutations, step):
        count = min(step, permutations - start)
        keys = rng.random((count, rows), dtype=np.float32)
        labels = np.zeros(keys.shape)
        chosen = np.argpartition(keys, size - 1, axis=1)[:, :size]
        np.put_along_axis(labels, chosen, 1.0, axis=1)
        extreme += (apart(labels) >= bound).sum(axis=0)
    return extreme
