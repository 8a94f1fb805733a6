"""Permutation tests against enumeration, other libraries and worked numbers."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from toolkit.statistics.permutation import (
    enough_permutations,
    paired_permutation,
    paired_permutations,
    unpaired_permutation,
)

WHOLE = st.integers(-6, 6).map(float)


def rng(seed=1):
    return np.random.default_rng(seed)


def flipped_by_hand(differences):
    """Share of all sign flips at least as extreme."""
    seen = abs(sum(differences))
    sums = [
        abs(sum(sign * d for sign, d in zip(signs, differences, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(differences))
    ]
    return sum(total >= seen - 1e-9 for total in sums) / len(sums)


def moved_by_hand(first, second):
    values, k = [*first, *second], len(first)
    seen = abs(np.mean(first) - np.mean(second))
    extreme = every = 0
    for places in itertools.combinations(range(len(values)), k):
        one = [values[at] for at in places]
        other = [value for at, value in enumerate(values) if at not in places]
        extreme += abs(np.mean(one) - np.mean(other)) >= seen - 1e-9
        every += 1
    return extreme / every


def test_twelve_against_four_discordant_pairs() -> None:
    got = paired_permutation(np.array([1.0] * 12 + [-1.0] * 4 + [0.0] * 9), rng())
    assert got.p == pytest.approx(0.076813, abs=5e-7)
    assert (got.method, got.n, got.difference) == ("exact", 25, 8 / 25)


@given(st.lists(WHOLE, min_size=2, max_size=9))
def test_the_exact_sign_flip_is_the_enumeration(differences) -> None:
    got = paired_permutation(np.array(differences), rng())
    assert got.p == pytest.approx(flipped_by_hand(differences))
    assert got.method == "exact"


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(-2, 2), min_size=3, max_size=11))
def test_the_exact_sign_flip_is_scipys(differences) -> None:
    values = np.round(differences, 3)
    want = stats.permutation_test(
        (values, np.zeros(len(values))),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=np.inf,
        vectorized=True,
    )
    assert paired_permutation(values, rng()).p == pytest.approx(want.pvalue)


def test_many_differences_are_drawn_and_agree_with_enumeration() -> None:
    values = rng(3).normal(0.25, 1, 21)
    exact = paired_permutation(values[:20], rng())
    drawn = paired_permutation(np.append(values[:20], 1e-14), rng(), permutations=40_000)
    assert (exact.method, drawn.method) == ("exact", "monte carlo")
    assert drawn.p == pytest.approx(exact.p, abs=4 * math.sqrt(exact.p / 40_000))


def test_a_drawn_p_is_never_zero() -> None:
    got = paired_permutation(rng(2).normal(5, 1, 60), rng(), permutations=999)
    assert got.p == 1 / 1000
    assert got.arrangements == 999


def test_clusters_flip_whole() -> None:
    # 3 clusters of 4 equal differences: 8 arrangements, of which 2 are as extreme.
    values, clusters = np.repeat([1.0, 2.0, 3.0], 4), np.repeat([7, 5, 9], 4)
    got = paired_permutation(values, rng(), clusters=clusters)
    assert (got.p, got.n, got.clusters) == (0.25, 12, 3)
    assert paired_permutation(values, rng()).p < 0.001


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(WHOLE, st.integers(0, 3)), min_size=4, max_size=14))
def test_clustered_flips_are_the_enumeration_of_cluster_sums(rows) -> None:
    sums = {}
    for value, cluster in rows:
        sums[cluster] = sums.get(cluster, 0) + value
    got = paired_permutation(
        np.array([value for value, _ in rows]), rng(), clusters=np.array([c for _, c in rows])
    )
    want = flipped_by_hand(list(sums.values())) if len(sums) > 1 else None
    assert got.p == (None if want is None else pytest.approx(want))


def test_columns_together_are_columns_alone() -> None:
    values = rng(4).normal(0.1, 1, (50, 3))
    values[::7, 1] = np.nan
    together = paired_permutations(values, rng(5), permutations=2000)
    for at, got in enumerate(together):
        kept = values[np.isfinite(values[:, at]), at]
        alone = paired_permutation(kept, rng(6), permutations=20_000)
        assert (got.n, got.clusters) == (alone.n, alone.clusters)
        assert got.difference == pytest.approx(alone.difference)
        assert got.p == pytest.approx(alone.p, abs=4 * math.sqrt(alone.p / 2000))


@pytest.mark.parametrize(
    ("values", "p", "reason"),
    [
        ([0.0, 0.0, 0.0], 1.0, "all differences are 0"),
        ([1.0], None, "fewer than two pairs"),
        ([], None, "fewer than two pairs"),
    ],
)
def test_what_cannot_be_tested_says_why(values, p, reason) -> None:
    got = paired_permutation(np.array(values), rng())
    assert (got.p, got.reason) == (p, reason)


def test_unpaired_goldens(shared) -> None:
    goldens = json.loads(shared("goldens/statistics.json").read_text(encoding="utf-8"))
    for case in goldens["unpaired_permutation_exact"]:
        first = np.repeat([1.0, 0.0], [case["k1"], case["n1"] - case["k1"]])
        second = np.repeat([1.0, 0.0], [case["k2"], case["n2"] - case["k2"]])
        got = unpaired_permutation(first, second, rng())
        assert got.p == pytest.approx(case["p"], rel=2e-5), case["name"]
        # With equally large samples the difference orders tables as their probability does.
        table = [[case["k1"], case["n1"] - case["k1"]], [case["k2"], case["n2"] - case["k2"]]]
        assert got.p == pytest.approx(stats.fisher_exact(table).pvalue, rel=1e-6)


def test_three_of_four_against_one_of_four() -> None:
    got = unpaired_permutation(np.array([1.0, 1, 1, 0]), np.array([1.0, 0, 0, 0]), rng())
    assert got.p == pytest.approx(0.485714, abs=5e-7)
    got = unpaired_permutation(np.ones(4), np.zeros(4), rng())
    assert got.p == pytest.approx(0.028571, abs=5e-7)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.integers(0, 3).map(float), min_size=1, max_size=5),
    st.lists(st.integers(0, 3).map(float), min_size=2, max_size=5),
)
def test_the_exact_unpaired_test_is_the_enumeration(first, second) -> None:
    got = unpaired_permutation(np.array(first), np.array(second), rng())
    assert got.p == pytest.approx(moved_by_hand(first, second))


def test_the_drawn_unpaired_test_is_scipys() -> None:
    first, second = rng(7).normal(0.4, 1, 40), rng(8).normal(0, 1, 30)
    got = unpaired_permutation(first, second, rng(9), permutations=20_000)
    want = stats.permutation_test(
        (first, second),
        lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis),
        n_resamples=20_000,
        vectorized=True,
        rng=rng(10),
    )
    assert got.method == "monte carlo"
    assert got.p == pytest.approx(want.pvalue, abs=5 * math.sqrt(2 * want.pvalue / 20_000))


def test_unpaired_clusters_move_whole() -> None:
    first, second = np.repeat([3.0, 4.0], 5), np.repeat([1.0, 2.0], 5)
    clusters = np.repeat([0, 1], 5), np.repeat([2, 3], 5)
    got = unpaired_permutation(first, second, rng(), clusters=clusters)
    assert (got.p, got.clusters) == (2 / 6, 4)
    with pytest.raises(ValueError, match="both samples"):
        unpaired_permutation(first, second, rng(), clusters=(clusters[0], clusters[0]))


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [([1.0, 1.0], [1.0], 1.0), ([1.0], [2.0], None), ([], [1.0, 2.0], None)],
)
def test_unpaired_edges(first, second, p) -> None:
    got = unpaired_permutation(np.array(first), np.array(second), rng())
    assert got.p == p
    assert got.reason


def test_a_family_gets_arrangements_enough_to_pass_holm() -> None:
    assert enough_permutations(10, 20_000) == 20_000
    n = enough_permutations(1770, 20_000)
    assert 1770 / (n + 1) < 0.05 / 1.9
