import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from toolkit.statistics.clustered_shares import area_under_curve, clustered_share
from toolkit.statistics.intervals import wilson


def test_independent_rows_give_wilson_but_for_student_s_quantile():
    hits = np.arange(4000) % 5 == 0
    found = clustered_share(hits, np.arange(4000))
    low, high = wilson(800, 4000)
    assert (found.value, found.n, found.clusters) == (0.2, 4000, 4000)
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-5), pytest.approx(high, abs=1e-5))


def test_rows_that_repeat_their_cluster_count_once():
    hits = np.arange(300) % 3 == 0
    alone = clustered_share(hits, np.arange(300))
    five = clustered_share(np.repeat(hits, 5), np.repeat(np.arange(300), 5))
    assert five.value == alone.value
    assert (five.low, five.high) == (pytest.approx(alone.low), pytest.approx(alone.high))


def test_clusters_that_are_all_alike_claim_no_certainty():
    found = clustered_share(np.ones(60, bool), np.repeat(np.arange(20), 3))
    assert found.high == 1.0
    assert found.low == pytest.approx(wilson(20, 20)[0])
    half = clustered_share(np.tile([True, False], 20), np.repeat(np.arange(20), 2))
    assert (half.low, half.high) == (
        pytest.approx(wilson(10, 20)[0]),
        pytest.approx(wilson(10, 20)[1]),
    )


def test_of_no_rows_and_of_one_cluster_there_is_no_interval():
    none = clustered_share(np.array([], bool), np.array([], np.int64))
    assert (none.value, none.low, none.reason) == (None, None, "no rows")
    one = clustered_share(np.array([True, False]), np.array([3, 3]))
    assert (one.value, one.low, one.reason) == (0.5, None, "one cluster")


@given(
    positives=st.lists(st.integers(0, 6), min_size=2, max_size=30),
    negatives=st.lists(st.integers(0, 6), min_size=2, max_size=30),
)
def test_the_area_is_that_of_scikit_learn(positives, negatives):
    one, other = np.array(positives, float), np.array(negatives, float)
    found = area_under_curve(one, other, np.arange(len(one)), np.arange(len(other)))
    labels = [1] * len(one) + [0] * len(other)
    assert found.value == pytest.approx(roc_auc_score(labels, [*one, *other]))


def delong(one, other):
    """The variance of DeLong et al. (1988), pair by pair."""
    above = np.array([[(x > y) + (x == y) / 2 for y in other] for x in one], float)
    rows, columns = above.mean(axis=1), above.mean(axis=0)
    return rows.var(ddof=1) / len(one) + columns.var(ddof=1) / len(other)


def test_without_clusters_the_variance_is_delong_s():
    rng = np.random.default_rng(4)
    one, other = rng.normal(1, 1, 400), rng.normal(0, 1, 300)
    found = area_under_curve(one, other, np.arange(400), np.arange(400, 700))
    error = delong(one, other) ** 0.5
    assert found.high - found.low == pytest.approx(2 * 1.968 * error, rel=0.02)


def test_numbers_that_share_their_cluster_s_level_tell_apart_more_surely():
    # Pairs from the same cluster move together: Obuchowski's covariance takes that out.
    rng = np.random.default_rng(5)
    level = rng.normal(0, 3, 200)
    one, other = level + rng.normal(0.5, 1, 200), level + rng.normal(0, 1, 200)
    together = area_under_curve(one, other, np.arange(200), np.arange(200))
    apart = area_under_curve(one, other, np.arange(200), np.arange(200, 400))
    assert together.value == apart.value
    assert together.high - together.low < 0.7 * (apart.high - apart.low)


def test_equal_numbers_have_no_interval_and_perfect_ones_a_lower_end():
    same = area_under_curve(np.ones(9), np.ones(9), np.arange(9), np.arange(9))
    assert (same.value, same.low) == (0.5, None)
    best = area_under_curve(np.ones(40), np.zeros(15), np.arange(40), np.arange(15))
    assert (best.value, best.high, best.clusters) == (1.0, 1.0, 15)
    assert best.low == pytest.approx(wilson(15, 15)[0])
    assert area_under_curve(np.ones(3), np.array([]), np.arange(3), np.array([])).value is None
