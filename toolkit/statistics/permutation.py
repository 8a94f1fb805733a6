"""Permutation tests of a difference of means, paired and unpaired, of rows or whole clusters.

The p value is the share of all arrangements whose difference is at least as far from zero as the
one seen. It is exact where the arrangements can be counted; otherwise b of n random ones are, and
p = (b + 1) / (n + 1), which is never 0 and never too small (Phipson and Smyth 2010,
doi:10.2202/1544-6115.1585).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "PermutationTest",
    "enough_permutations",
    "paired_permutation",
    "paired_permutations",
    "unpaired_permutation",
]

_ENUMERATED: Final = 20
"""Differences other than zero up to which all 2^n arrangements of signs are counted."""

_COUNTED: Final = 200_000
"""Arrangements of two samples up to which all are counted."""

_AT_ONCE: Final = 1 << 22
"""Signs or places drawn at a time: 32 MB whatever the number of rows."""

_SAME: Final = 1e-9
"""Arrangements this close count as equal, relative to the largest possible sum."""


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """What a permutation test found.

    Attributes:
        difference: mean difference; None when there is none.
        p: two-sided p value, above 0; None when nothing can be tested.
        n: pairs, or values of both samples.
        clusters: what is flipped or moved as a whole.
        method: ``exact`` or ``monte carlo``; empty without a p value.
        arrangements: how many arrangements p is a share of; 0 where a distribution is exact.
        reason: why there is no p value, or what to know of it; empty otherwise.
    """

    difference: float | None
    p: float | None
    n: int
    clusters: int
    method: Literal["exact", "monte carlo", ""] = ""
    arrangements: int = 0
    reason: str = ""


def enough_permutations(tests: int, asked: int, level: float = 0.05) -> int:
    """Return how many random arrangements a family of tests needs.

    The smallest p value of n arrangements is 1 / (n + 1); with too few, no difference, however
    large, could pass Holm's first step, ``level / tests``. Twice that resolution is asked for.

    Args:
        tests: in the family.
        asked: arrangements asked for, which is the least returned.
        level: familywise level.
    """
    return max(asked, math.ceil(2 * tests / level))


def paired_permutation(
    differences: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    clusters: NDArray[np.int64] | None = None,
    permutations: int = 20_000,
) -> PermutationTest:
    """Test whether paired differences have mean zero, by flipping their signs (Fisher 1935).

    Under the hypothesis that the two of a pair are exchangeable, every sign is as likely as the
    other. With clusters, all differences of a cluster flip together. The distribution is the
    binomial one where all differences (or sums of clusters) other than zero have one size, as
    those of scores of 0 and 1 do: this is McNemar's exact test. Up to 20 other than zero are
    enumerated, beyond that arrangements are drawn.

    Args:
        differences: (n,) first minus second, one a pair.
        rng: source of the signs.
        clusters: (n,) the cluster of each pair; without it each pair is its own.
        permutations: random arrangements where they are drawn.
    """
    import numpy as np

    summed = np.asarray(differences, np.float64)
    if clusters is not None:
        _, places = np.unique(clusters, return_inverse=True)
        summed = np.bincount(places, summed).astype(np.float64)
    ((p, method, count, reason),) = _sign_flips(summed[:, None], rng, permutations)
    if len(summed) < 2:
        p, method, count, reason = None, "", 0, _too_few("pairs", clusters is not None)
    difference = float(np.mean(differences)) if len(differences) else None
    return PermutationTest(difference, p, len(differences), len(summed), method, count, reason)


def paired_permutations(
    differences: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    clusters: NDArray[np.int64] | None = None,
    permutations: int = 20_000,
) -> list[PermutationTest]:
    """Return :func:`paired_permutation` of each column, the random signs shared by all.

    Args:
        differences: (n, k) one column a test; NaN where a pair lacks a value.
        rng: source of the signs.
        clusters: (n,) the cluster of each row; without it each row is its own.
        permutations: random arrangements where they are drawn.
    """
    import numpy as np

    known = np.isfinite(differences)
    filled = np.where(known, differences, 0.0)
    places = np.arange(len(filled)) if clusters is None else clusters
    codes, places = np.unique(places, return_inverse=True)
    summed = np.empty((len(codes), filled.shape[1]))
    present = np.empty(summed.shape, bool)
    for at in range(filled.shape[1]):
        summed[:, at] = np.bincount(places, filled[:, at], len(codes))
        present[:, at] = np.bincount(places, known[:, at], len(codes)) > 0
    results = []
    for at, (p, method, count, reason) in enumerate(_sign_flips(summed, rng, permutations)):
        n, groups = int(known[:, at].sum()), int(present[:, at].sum())
        difference = float(filled[:, at].sum() / n) if n else None
        if groups < 2:
            p, method, count, reason = None, "", 0, _too_few("pairs", clusters is not None)
        results.append(PermutationTest(difference, p, n, groups, method, count, reason))
    return results


def unpaired_permutation(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    rng: np.random.Generator,
    *,
    clusters: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None,
    permutations: int = 20_000,
) -> PermutationTest:
    """Test whether two independent samples have one distribution, by their difference of means.

    Under that hypothesis every assignment of the values to the samples is equally likely; with
    clusters, of whole clusters, as many in each sample as there were. Exact for values of two
    sizes without clusters (the hypergeometric distribution; equal to Fisher's exact test where
    both samples are equally large), and where there are at most 200,000 assignments.

    Args:
        first: values of one sample.
        second: values of the other.
        rng: source of the assignments.
        clusters: the cluster of each value of the first and of the second sample; no cluster
            may be in both.
        permutations: random assignments where they are drawn.

    Raises:
        ValueError: a cluster is in both samples, which makes them paired.
    """
    import numpy as np

    n = len(first) + len(second)
    sums, counts, groups = _samples(first, second, clusters)
    total = len(sums)
    if min(groups, total - groups) < 1 or total < 3:
        difference = float(first.mean() - second.mean()) if len(first) and len(second) else None
        reason = _too_few("values in a sample", clusters is not None)
        return PermutationTest(difference, None, n, total, reason=reason)
    difference = float(first.mean() - second.mean())
    sizes = np.unique(sums)
    if len(sizes) == 1 and (counts == 1).all():
        reason = "all values are equal"
        return PermutationTest(difference, 1.0, n, total, "exact", 1, reason)
    if len(sizes) == 2 and (counts == 1).all():
        p = _hypergeometric(int((sums[:groups] == sizes[1]).sum()), sums == sizes[1], groups)
        return PermutationTest(difference, p, n, total, "exact")
    assignments = math.comb(total, groups)
    exact = assignments <= _COUNTED
    chosen = _all_places(total, groups) if exact else _places(total, groups, rng, permutations)
    extreme, seen = _extreme(sums, counts, groups, chosen)
    if exact:
        return PermutationTest(difference, extreme / seen, n, total, "exact", seen)
    p = (extreme + 1) / (seen + 1)
    return PermutationTest(difference, p, n, total, "monte carlo", seen)


_Found = tuple["float | None", Literal["exact", "monte carlo", ""], int, str]


def _too_few(what: str, clustered: bool) -> str:
    return "fewer than two clusters" if clustered else f"fewer than two {what}"


def _sign_flips(
    summed: NDArray[np.float64], rng: np.random.Generator, permutations: int
) -> list[_Found]:
    """Return p, method, arrangements and reason for each column."""
    import numpy as np

    found: dict[int, _Found] = {}
    drawn = []
    for at in range(summed.shape[1]):
        sizes = summed[summed[:, at] != 0, at]
        if not len(sizes):
            found[at] = (1.0, "exact", 1, "all differences are 0")
        elif np.ptp(np.abs(sizes)) <= _SAME * np.abs(sizes).max():
            found[at] = (_binomial(int((sizes > 0).sum()), len(sizes)), "exact", 0, "")
        elif len(sizes) <= _ENUMERATED:
            found[at] = (_enumerated(sizes), "exact", 2 ** len(sizes), "")
        else:
            drawn.append(at)
    if drawn:
        extreme = _random_flips(summed[:, drawn], rng, permutations)
        for at, count in zip(drawn, extreme.tolist(), strict=True):
            found[at] = ((count + 1) / (permutations + 1), "monte carlo", permutations, "")
    return [found[at] for at in range(summed.shape[1])]


def _binomial(positive: int, n: int) -> float:
    from scipy import stats

    return float(stats.binomtest(positive, n, 0.5).pvalue)


def _enumerated(sizes: NDArray[np.float64]) -> float:
    import numpy as np

    def sums(part: NDArray[np.float64]) -> NDArray[np.float64]:
        found = np.zeros(1)
        for size in part:
            found = np.concatenate([found + size, found - size])
        return found

    half = len(sizes) // 2
    all_sums = sums(sizes[:half])[:, None] + sums(sizes[half:])[None, :]
    bound = abs(sizes.sum()) - _SAME * np.abs(sizes).sum()
    return float((np.abs(all_sums) >= bound).mean())


def _random_flips(
    summed: NDArray[np.float64], rng: np.random.Generator, permutations: int
) -> NDArray[np.int64]:
    """Return for each column how many random sign flips are at least as far from 0."""
    import numpy as np

    rows = len(summed)
    total, scale = summed.sum(axis=0), np.abs(summed).sum(axis=0)
    bound = np.abs(total) - _SAME * scale
    extreme = np.zeros(summed.shape[1], np.int64)
    width = -(-rows // 8)
    step = max(1, _AT_ONCE // rows)
    for start in range(0, permutations, step):
        count = min(step, permutations - start)
        random = rng.integers(0, 256, size=(count, width), dtype=np.uint8)
        bits = np.unpackbits(random, axis=1)[:, :rows].astype(np.float64)
        extreme += (np.abs(2.0 * (bits @ summed) - total) >= bound).sum(axis=0)
    return extreme


def _samples(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    clusters: tuple[NDArray[np.int64], NDArray[np.int64]] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """Return sums and counts of clusters, those of the first sample first, and its size."""
    import numpy as np

    if clusters is None:
        values = np.concatenate([first, second]).astype(np.float64)
        return values, np.ones(len(values)), len(first)
    if np.intersect1d(*clusters).size:
        raise ValueError("a cluster is in both samples: they are paired")
    parts = []
    for values, codes in zip((first, second), clusters, strict=True):
        _, places = np.unique(codes, return_inverse=True)
        parts.append((np.bincount(places, values), np.bincount(places).astype(np.float64)))
    sums = np.concatenate([part[0] for part in parts])
    return sums, np.concatenate([part[1] for part in parts]), len(parts[0][0])


def _hypergeometric(high: int, is_high: NDArray[np.bool_], size: int) -> float:
    """Return the two-sided p of ``high`` larger values in a sample of ``size``."""
    import numpy as np
    from scipy import stats

    law = stats.hypergeom(len(is_high), int(is_high.sum()), size)
    counts = np.arange(law.support()[0], law.support()[1] + 1)
    # The difference of means grows with the count by a constant, from the expected one on.
    expected = size * float(is_high.mean())
    away = np.abs(counts - expected)
    return float(min(1.0, law.pmf(counts)[away >= abs(high - expected) - _SAME].sum()))


def _all_places(total: int, size: int) -> Iterator[NDArray[np.int64]]:
    from itertools import combinations, islice

    import numpy as np

    every = combinations(range(total), size)
    while block := list(islice(every, max(1, _AT_ONCE // (8 * total)))):
        yield np.array(block, np.int64)


def _places(
    total: int, size: int, rng: np.random.Generator, permutations: int
) -> Iterator[NDArray[np.int64]]:
    import numpy as np

    step = max(1, _AT_ONCE // total)
    for start in range(0, permutations, step):
        keys = rng.random((min(step, permutations - start), total))
        yield np.argpartition(keys, size - 1, axis=1)[:, :size]


def _extreme(
    sums: NDArray[np.float64],
    counts: NDArray[np.float64],
    size: int,
    chosen: Iterator[NDArray[np.int64]],
) -> tuple[int, int]:
    """Return how many assignments are at least as far apart as the first ``size``, and of all."""
    import numpy as np

    def apart(total: NDArray[np.float64], n: NDArray[np.float64]) -> NDArray[np.float64]:
        rest: NDArray[np.float64] = (sums.sum() - total) / (counts.sum() - n)
        return np.abs(total / n - rest)

    seen = apart(sums[:size].sum(keepdims=True), counts[:size].sum(keepdims=True))[0]
    bound = seen - _SAME * np.abs(sums / counts).max()
    extreme = arrangements = 0
    for places in chosen:
        distances = apart(sums[places].sum(axis=1), counts[places].sum(axis=1))
        extreme += int((distances >= bound).sum())
        arrangements += len(places)
    return extreme, arrangements
