"""Tests of hypotheses that are true: how often each rejects."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from coverage_lines import AT_MOST, REJECTS, Line

from toolkit.statistics.anova import one_way
from toolkit.statistics.correlation import correlation
from toolkit.statistics.holm import holm
from toolkit.statistics.mcnemar import mcnemar
from toolkit.statistics.paired import equivalence, paired_difference, signed_ranks
from toolkit.statistics.permutation import paired_permutation, unpaired_permutation
from toolkit.statistics.two_sample import levene

Rng = np.random.Generator


def rate(samples: int, seed: int, p_value: Callable[[Rng], float | None]) -> float:
    rng = np.random.default_rng(seed)
    return sum((p_value(rng) or 0.0) < 0.05 for _ in range(samples)) / samples


def clustered_differences(rng: Rng, clusters: int, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Differences of two exchangeable, skewed scores whose clusters differ."""
    sizes = rng.integers(1, most + 1, clusters)
    codes = np.repeat(np.arange(clusters), sizes)
    first, second = (
        np.exp(rng.normal(0, 0.4, clusters)[codes] + rng.normal(0, 0.4, len(codes)))
        for _ in range(2)
    )
    return first - second, codes


def binary_pairs(rng: Rng, n: int) -> tuple[np.ndarray, np.ndarray]:
    hard = rng.beta(2, 2, n)
    return (rng.random(n) < hard).astype(float), (rng.random(n) < hard).astype(float)


def flipped(rng: Rng, clusters: int, use: bool) -> float | None:
    values, codes = clustered_differences(rng, clusters, 6)
    return paired_permutation(values, rng, clusters=codes if use else None, permutations=999).p


def moved(rng: Rng, n: int, in_cluster: int) -> float | None:
    codes = np.arange(2 * n) // in_cluster
    values = np.exp(rng.normal(0, 0.5, 2 * n // in_cluster)[codes] + rng.normal(0, 0.3, 2 * n))
    pair = (codes[:n], codes[n:]) if in_cluster > 1 else None
    return unpaired_permutation(values[:n], values[n:], rng, clusters=pair, permutations=499).p


def unequal(rng: Rng) -> list[np.ndarray]:
    return [rng.normal(0, sd, n) for sd, n in ((1, 40), (1, 30), (3, 12))]


def correlated(rng: Rng, kind: str, clusters: bool) -> float | None:
    if not clusters:
        return correlation(np.exp(rng.normal(size=40)), rng.normal(size=40), kind).p
    codes = np.repeat(np.arange(30), 5)
    x, y = (rng.normal(size=30)[codes] + rng.normal(size=150) for _ in range(2))
    return correlation(x, y, kind, clusters=codes).p


def family(rng: Rng) -> float | None:
    shared = rng.normal(size=(30, 1))
    values = shared + rng.normal(size=(30, 6))
    return min(holm([paired_difference(column).p for column in values.T]))


TESTS: list[tuple[str, str, Callable[[Rng], float | None], tuple[float, float], bool, str]] = [
    ("paired permutation, exact", "skewed, 15 pairs",
     lambda rng: flipped(rng, 15, True), REJECTS, True, ""),
    ("paired permutation, drawn", "skewed, 30 clusters of 1-6",
     lambda rng: flipped(rng, 30, True), REJECTS, True, ""),
    ("paired permutation, clusters ignored", "skewed, 30 clusters of 1-6",
     lambda rng: flipped(rng, 30, False), REJECTS, False, "why clusters flip whole"),
    ("unpaired permutation", "skewed, 25 and 25", lambda rng: moved(rng, 25, 1), REJECTS, True, ""),
    ("unpaired permutation", "skewed, 12 and 12 clusters of 4",
     lambda rng: moved(rng, 48, 4), REJECTS, True, ""),
    ("McNemar, mid-p", "100 pairs", lambda rng: mcnemar(*binary_pairs(rng, 100)).p_mid,
     REJECTS, True, ""),
    ("McNemar, exact", "100 pairs", lambda rng: mcnemar(*binary_pairs(rng, 100)).p,
     AT_MOST, True, "conservative, as every exact test of counts"),
    ("paired t", "skewed, 30 pairs",
     lambda rng: paired_difference(clustered_differences(rng, 30, 1)[0]).p, REJECTS, True, ""),
    ("paired t by clusters", "skewed, 30 clusters of 1-6",
     lambda rng: (lambda v, c: paired_difference(v, clusters=c).p)(
         *clustered_differences(rng, 30, 6)), REJECTS, True, ""),
    ("signed ranks", "skewed, 30 pairs",
     lambda rng: signed_ranks(clustered_differences(rng, 30, 1)[0])[0], REJECTS, True, ""),
    ("equivalence at its margin", "40 pairs, true difference at the margin",
     lambda rng: equivalence(rng.normal(0.5, 1, 40), 0.5).p, REJECTS, True, ""),
    ("analysis of variance", "normal, 5 groups of 8-30",
     lambda rng: one_way([rng.normal(size=n) for n in (8, 12, 18, 24, 30)]).p, REJECTS, True, ""),
    ("analysis of variance", "unequal variances, 3 groups",
     lambda rng: one_way(unequal(rng)).p, REJECTS, False, "why Welch's stands beside it"),
    ("Welch's analysis", "unequal variances, 3 groups",
     lambda rng: one_way(unequal(rng)).welch_p, REJECTS, True, ""),
    ("Levene, from the median", "skewed, 30 and 40",
     lambda rng: levene(rng.exponential(size=30), rng.exponential(size=40)).p, REJECTS, True, ""),
    ("Levene, from the mean", "skewed, 30 and 40",
     lambda rng: levene(rng.exponential(size=30), rng.exponential(size=40), center="mean").p,
     REJECTS, False, "why the median is the default"),
    *((f"{kind}, test", "skewed against normal, 40 rows",
       lambda rng, kind=kind: correlated(rng, kind, False), REJECTS, True, "")
      for kind in ("pearson", "spearman", "kendall")),
    *((f"{kind}, test by clusters", "30 clusters of 5, ICC .5",
       lambda rng, kind=kind: correlated(rng, kind, True), REJECTS, True, "")
      for kind in ("pearson", "spearman", "kendall")),
    ("pearson, clusters ignored", "30 clusters of 5, ICC .5", lambda rng: correlation(
        *((lambda c: (rng.normal(size=30)[c] + rng.normal(size=150)))(np.repeat(np.arange(30), 5))
          for _ in range(2)), "pearson").p, REJECTS, False, "why clusters count"),
    ("Holm: any of 6 tests", "dependent, 30 pairs", family, AT_MOST, True, "bounded by 5"),
]  # fmt: skip


def tests(samples: int) -> Iterator[Line]:
    """Shares of true hypotheses that tests reject."""
    for at, (what, design, p_value, bar, default, note) in enumerate(TESTS):
        share = rate(samples, 100 + at, p_value)
        yield Line(what, design, share, samples, bar, default, note)
