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

    The labels of the rows are permuted, the same permutations for all columns; a row without a
    value in a column counts nowhere in it. p = (b + 1) / (n + 1), two-sided (Phipson and Smyth
    2010, doi:10.2202/1544-6115.1585).

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
    # Centred: sums of large numbers would lose the digits that differ.
    filled = np.where(known, values, 0.0)
    counts = known.sum(axis=0)
    filled -= np.where(known, filled.sum(axis=0) / np.maximum(counts, 1), 0.0)
    total = filled.sum(axis=0)
    members = known.astype(np.float64)

    def apart(labels: NDArray[np.float64]) -> NDArray[np.float64]:
        sums, n = labels @ filled, labels @ members
        with np.errstate(invalid="ignore", divide="ignore"):
            found: NDArray[np.float64] = np.abs(sums / n - (total - sums) / (counts - n))
        return found

    label = first.astype(np.float64)
    seen = apart(label[None, :])[0]
    bound = seen - _SAME * np.abs(filled).max(axis=0, initial=0.0)
    extreme = np.zeros(values.shape[1], np.int64)
    step = max(1, _AT_ONCE // max(len(values), 1))
    for start in range(0, permutations, step):
        count = min(step, permutations - start)
        keys = rng.random((count, len(values)), dtype=np.float32)
        labels = np.zeros(keys.shape)
        size = int(first.sum())
        if 0 < size < len(values):
            chosen = np.argpartition(keys, size - 1, axis=1)[:, :size]
            np.put_along_axis(labels, chosen, 1.0, axis=1)
        # A permutation that leaves a half of a column empty says nothing against chance.
        extreme += (~(apart(labels) < bound)).sum(axis=0)
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
