"""Ranges of ranks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from toolkit.statistics.rank_intervals import rank_ranges, shared_ranks


def ranges(values, *, seed=1, distance=np.negative, **more):
    known = np.isfinite(values)
    return rank_ranges(
        np.where(known, values, 0.0),
        known.astype(float),
        distance,
        np.random.default_rng(seed),
        **({"resamples": 1000} | more),
    )


def ends(found):
    return [(one.low, one.high) for one in found]


def sample(levels, n=80, seed=2):
    rng = np.random.default_rng(seed)
    return rng.random(n)[:, None] + np.array(levels) + rng.normal(0, 0.1, (n, len(levels)))


def test_clear_differences_give_single_ranks() -> None:
    assert ends(ranges(sample([0.0, 0.2, 0.4]))) == [(3, 3), (2, 2), (1, 1)]


def test_smaller_is_better_when_the_distance_says_so() -> None:
    assert ends(ranges(sample([0.0, 0.2, 0.4]), distance=np.positive)) == [(1, 1), (2, 2), (3, 3)]


def test_what_items_share_drops_out() -> None:
    # The intervals of the means overlap widely; the differences are clear.
    values = sample([0.0, 0.08])
    low, high = (stats.ttest_1samp(v, 0).confidence_interval() for v in values.T)
    assert low.high > high.low
    assert ends(ranges(values)) == [(2, 2), (1, 1)]


def test_two_competitors_are_told_apart_as_a_paired_t_test_would() -> None:
    rng = np.random.default_rng(3)
    agree = 0
    for _ in range(60):
        values = rng.normal((0, 0.5), 1, (25, 2))
        told = ends(ranges(values, seed=int(rng.integers(1 << 30)), resamples=2000))[0] != (1, 2)
        agree += told == (stats.ttest_rel(*values.T).pvalue < 0.05)
    assert agree >= 56


def test_identical_competitors_share_everything() -> None:
    one = sample([0.0])
    found = ranges(np.hstack([one, one, one - 0.5]))
    assert ends(found) == [(1, 2), (1, 2), (3, 3)]
    assert found[0].first == found[1].first == 1.0


def test_equal_values_are_not_certainty() -> None:
    def constant(n):
        return np.tile([0.0, 1.0], (n, 1))

    assert ends(ranges(constant(5))) == [(1, 2), (1, 2)]
    assert ends(ranges(constant(6))) == [(2, 2), (1, 1)]


def test_a_competitor_of_one_cluster_is_compared_with_nobody() -> None:
    values = sample([0.0, 0.5, 0.9])
    values[1:, 1] = np.nan
    found = ranges(values)
    assert ends(found) == [(2, 3), (None, None), (1, 2)]
    assert found[1].reason == "fewer than two clusters with a value"


def test_infinite_distances_are_behind_all_others() -> None:
    def distance(means):
        with np.errstate(divide="ignore"):
            return np.abs(np.log(means))

    values = np.abs(sample([0.2, 0.5, 0.0])) * [1, 1, 0]
    assert ends(ranges(values, distance=distance))[2] == (3, 3)


def test_nobody_and_one_alone() -> None:
    assert ranges(np.empty((4, 0))) == []
    assert ends(ranges(sample([0.1]))) == [(1, 1)]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.integers(2, 6), st.permutations(range(6)))
def test_ranges_hold_the_rank_and_follow_the_columns(seed, count, order) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(0, 1, (20, count)) + rng.normal(0, 0.6, count)
    found = ends(ranges(values, resamples=200))
    places = stats.rankdata(-values.mean(axis=0), method="min")
    assert all(low <= place <= high for (low, high), place in zip(found, places, strict=True))
    chosen = [at for at in order if at < count]
    assert ends(ranges(values[:, chosen], resamples=200)) == [found[at] for at in chosen]


def test_clusters_weigh_by_their_rows() -> None:
    sums = np.array([[10.0, 8.0], [1.0, 2.0], [9.0, 7.5], [2.0, 2.5]])
    counts = np.array([[10.0, 10], [2, 2], [10, 10], [3, 3]])
    found = rank_ranges(sums, counts, np.negative, np.random.default_rng(1), resamples=500)
    assert ends(found) == [(1, 2), (1, 2)]


@pytest.mark.parametrize(
    ("better", "want"),
    [
        ([], [(1, 3), (1, 3), (1, 3)]),
        ([(0, 2)], [(1, 2), (1, 3), (2, 3)]),
        ([(0, 1), (0, 2)], [(1, 1), (2, 3), (2, 3)]),
        ([(0, 1), (0, 2), (1, 2)], [(1, 1), (2, 2), (3, 3)]),
    ],
)
def test_competitors_that_no_test_tells_apart_share_ranks(better, want) -> None:
    assert shared_ranks(better, 3) == want
