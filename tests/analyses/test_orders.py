from functools import partial

import numpy as np
import pytest
from scipy import stats

from toolkit.analyses.orders import likeness, order_of, swapped
from toolkit.metrics.base import ScoreDefinition

HIGHER = ScoreDefinition(name="s", title="S")
RATIO = ScoreDefinition(name="r", title="R", high=None, direction="target", target=1.0)
NONE = ScoreDefinition(name="n", title="N", direction="none")


def order(values, definition=HIGHER, clusters=None):
    values = np.asarray(values, float)
    return order_of(
        values, np.arange(len(values)) if clusters is None else np.array(clusters), definition
    )


def test_means_counts_and_ranks():
    found = order([[0.1, 0.9, np.nan], [0.3, np.nan, np.nan], [0.2, 0.7, np.nan]])
    assert found.means[:2] == pytest.approx([0.2, 0.8])
    assert found.n.tolist() == [3, 2, 0]
    assert found.ranks == (2, 1, None)
    assert order([[0.1, 0.9]], NONE).ranks == (None, None)


def test_a_ratio_is_ranked_by_its_distance_from_the_target():
    assert order([[2.0, 0.8, 1.0, 0.5]], RATIO).ranks == (3, 2, 1, 3)


def test_likeness_is_kendalls_tau_of_the_means():
    rng = np.random.default_rng(1)
    one = rng.normal(size=(80, 6)) + np.arange(6) / 3
    other = rng.normal(size=(80, 6)) + np.array([0, 2, 1, 3, 5, 4]) / 3
    other[rng.random(other.shape) < 0.1] = np.nan
    found = likeness(order(one), order(other), HIGHER, np.random.default_rng(2), 500)
    means = one.mean(axis=0), np.nanmean(other, axis=0)
    assert found.tau == pytest.approx(stats.kendalltau(*means).statistic)
    resampled = []
    for _ in range(500):
        rows = rng.integers(0, 80, 80)
        resampled.append(stats.kendalltau(one[rows].mean(0), np.nanmean(other[rows], 0)).statistic)
    assert found.low == pytest.approx(np.quantile(resampled, 0.025), abs=0.14)
    assert found.high == pytest.approx(np.quantile(resampled, 0.975), abs=0.14)


def test_two_competitors_or_equal_means_have_no_likeness():
    same = partial(likeness, definition=HIGHER, rng=np.random.default_rng(1), resamples=100)
    two = order([[0.1, 0.2]] * 5)
    assert "fewer than three" in same(two, two).reason
    flat = order([[0.5, 0.5, 0.5]] * 5)
    assert same(flat, flat).reason == "all competitors have the same mean"


def test_pairs_in_another_order_the_most_serious_first():
    one, other = order([[0.9, 0.5, 0.4, 0.1]]), order([[0.2, 0.5, 0.45, 0.6]])
    # 0 falls behind 1 by 0.3 after leading by 0.4; 0 behind 2 by 0.25; 3 passes all others.
    pairs = swapped(one, other, HIGHER)
    assert pairs[0] == (0, 3)
    assert set(pairs) == {(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)}
    assert swapped(one, one, HIGHER) == []


def test_ratios_on_the_two_sides_of_the_target_are_compared_by_distance():
    assert swapped(order([[1.1, 0.8]], RATIO), order([[1.5, 0.8]], RATIO), RATIO) == [(0, 1)]
    assert swapped(order([[1.1, 0.8]], RATIO), order([[0.9, 0.8]], RATIO), RATIO) == []


def test_the_gap_of_two_means_is_that_of_a_paired_t_test():
    rng = np.random.default_rng(3)
    values = rng.normal(size=(30, 2)) + rng.normal(size=(30, 1))
    value, low, high = order(values).gap(0, 1)
    expected = stats.ttest_rel(values[:, 0], values[:, 1])
    assert value == pytest.approx(values[:, 0].mean() - values[:, 1].mean())
    assert (low, high) == pytest.approx(tuple(expected.confidence_interval(0.95)))
    assert order([[0.5, 0.4]] * 3).gap(0, 1)[1:] == (None, None)


def test_who_has_no_value_takes_no_place_in_the_ranges_of_others():
    values = np.random.default_rng(3).normal(size=(30, 4))
    values[:, 1] = np.nan
    found = order(values).ranges(HIGHER, np.random.default_rng(1), 300)
    alone = order(values[:, [0, 2, 3]]).ranges(HIGHER, np.random.default_rng(1), 300)
    assert found == [alone[0], (None, None), *alone[1:]]
    assert max(high for _, high in alone) <= 3
