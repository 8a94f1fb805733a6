import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from toolkit.statistics.cluster_robust import difference, heterogeneity, joint_means
from toolkit.statistics.group_errors import clustered_mean


def group(rows, weight=1.0):
    return np.array(rows, np.int64), np.full(len(rows), float(weight))


def alone(n):
    return np.arange(n, dtype=np.int64)


def test_independent_rows_give_the_textbook_mean_and_welchs_t_test():
    rng = np.random.default_rng(1)
    values = np.concatenate([rng.normal(1, 1, 12), rng.normal(0, 3, 20)])
    joint = joint_means(values, [group(range(12)), group(range(12, 32))], alone(32))
    low, high = joint.interval(0)
    expected = stats.ttest_1samp(values[:12], 0).confidence_interval(0.95)
    assert (low, high) == pytest.approx((expected.low, expected.high))
    found = difference(joint, 0, 1)
    welch = stats.ttest_ind(values[:12], values[12:], equal_var=False)
    assert found.value == pytest.approx(values[:12].mean() - values[12:].mean())
    assert (found.p, found.df) == pytest.approx((welch.pvalue, welch.df))
    expected = welch.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_clusters_that_lie_in_both_groups_give_the_sandwich_of_a_regression():
    from statsmodels.api import OLS

    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(40), 5)
    inside = rng.random(200) < 0.4
    inside[::5], inside[1::5] = True, False
    values = rng.normal(size=200) + rng.normal(size=40)[clusters] + 0.3 * inside
    joint = joint_means(
        values, [group(np.flatnonzero(inside)), group(np.flatnonzero(~inside))], clusters
    )
    design = np.column_stack([inside, ~inside]).astype(float)
    fit = OLS(values, design).fit(
        cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False}
    )
    # Every cluster lies in both groups here, so one factor G / (G - 1) stands for all.
    assert joint.clusters.tolist() == [40, 40]
    assert joint.covariance == pytest.approx(fit.cov_params() * 40 / 39)
    assert joint.covariance[0, 1] > 0


def test_weights_and_missing_values():
    values = np.array([1.0, 2.0, np.nan, 5.0])
    rows = (np.array([0, 1, 2, 3]), np.array([1.0, 0.5, 9.0, 0.5]))
    joint = joint_means(values, [rows, group([2])], alone(4))
    assert joint.means[0] == pytest.approx((1 + 1 + 2.5) / 2)
    assert joint.rows.tolist() == [3, 0]
    assert np.isnan(joint.means[1])
    assert difference(joint, 0, 1).reason == "one side has no value"


def test_differences_that_cannot_be_tested_say_why():
    values = np.array([1.0, 1.0, 1.0, 1.0, 4.0])
    parts = [group([0, 1]), group([2, 3]), group([4])]
    joint = joint_means(values, parts, alone(5))
    assert (difference(joint, 0, 1).value, difference(joint, 0, 1).reason) == (0, "no variation")
    assert difference(joint, 0, 2).reason == "one side has a single cluster"
    assert joint.interval(0) is None
    assert heterogeneity(joint).reason == "fewer than two groups whose values vary"


def test_clusters_of_one_mean_have_no_interval():
    for values in ([0.1, 0.4, 0.2, 0.3], [0.1, 0.7, 0.3, 0.5], [0.3, 0.6, 0.2, 0.7]):
        joint = joint_means(np.array(values), [group(range(4))], np.array([0, 0, 1, 1]))
        assert joint.interval(0) is None


def test_heterogeneity_of_independent_groups_is_cochrans_q_and_welchs_anova():
    from statsmodels.stats.meta_analysis import combine_effects
    from statsmodels.stats.oneway import anova_oneway

    rng = np.random.default_rng(3)
    samples = [rng.normal(mean, sd, n) for mean, sd, n in ((0, 1, 9), (0.4, 2, 15), (1, 1, 30))]
    ends = np.cumsum([0, *map(len, samples)])
    parts = [group(range(first, last)) for first, last in itertools.pairwise(ends)]
    found = heterogeneity(joint_means(np.concatenate(samples), parts, alone(ends[-1])))
    welch = anova_oneway(samples, use_var="unequal")
    meta = combine_effects(
        np.array([s.mean() for s in samples]), np.array([s.var(ddof=1) / len(s) for s in samples])
    )
    assert found.q == pytest.approx(meta.q)
    assert found.i_squared == pytest.approx(max(0, meta.i2))
    assert found.p == pytest.approx(welch.pvalue)


def test_groups_of_the_same_rows_are_not_free_to_differ():
    values = np.random.default_rng(4).normal(size=20)
    joint = joint_means(values, [group(range(20)), group(range(20)), group(range(10))], alone(20))
    assert "overlap" in heterogeneity(joint).reason


def test_intervals_of_clusters_of_unequal_sizes_cover():
    rng = np.random.default_rng(7)
    sizes = np.maximum(1, 60 // np.arange(1, 31))
    clusters = np.repeat(np.arange(30), sizes)
    n = len(clusters)
    covered = {"mean": 0, "difference": 0}
    for _ in range(400):
        values = 0.5 * rng.normal(size=30)[clusters] + rng.normal(size=n)
        joint = joint_means(values, [group(range(n)), group(range(n))], clusters)
        low, high = joint.interval(0)
        covered["mean"] += low <= 0 <= high
        other = rng.normal(size=n) + 0.5 * rng.normal(size=30)[clusters]
        both = joint_means(
            np.concatenate([values, other]),
            [group(range(n)), group(range(n, 2 * n))],
            np.concatenate([clusters, clusters + 30]),
        )
        found = difference(both, 0, 1)
        covered["difference"] += found.low <= 0 <= found.high
    # With G - 1 degrees of freedom some 88 % do.
    assert all(count / 400 >= 0.93 for count in covered.values()), covered


def test_degrees_of_freedom_are_those_of_a_clustered_mean():
    sizes = [9, 4, 4, 1]
    clusters = np.repeat(np.arange(4), sizes)
    values = np.random.default_rng(8).normal(size=18)
    joint = joint_means(values, [group(range(18))], clusters)
    alike = clustered_mean(values, clusters)
    half = alike.half_width()
    assert joint.df[0] == pytest.approx(alike.df)
    assert joint.interval(0) == pytest.approx((alike.mean - half, alike.mean + half))


@given(st.floats(-50, 50), st.floats(0.1, 20))
def test_shift_and_scale_change_no_p_value(shift, scale):
    values = np.random.default_rng(5).normal(size=30)
    parts = [group(range(8)), group(range(8, 18)), group(range(15, 30))]
    clusters = np.arange(30) // 2
    plain = joint_means(values, parts, clusters)
    moved = joint_means(values * scale + shift, parts, clusters)
    assert difference(moved, 0, 1).p == pytest.approx(difference(plain, 0, 1).p, rel=1e-6)
    assert heterogeneity(moved).p == pytest.approx(heterogeneity(plain).p, rel=1e-6)


@pytest.mark.parametrize("clustered", [False, True])
def test_a_test_at_five_per_cent_rejects_about_five_per_cent_of_true_hypotheses(clustered):
    rng = np.random.default_rng(6)
    clusters = np.arange(240) // (6 if clustered else 1)
    rejected = {"two": 0, "many": 0}
    for _ in range(600):
        values = rng.normal(size=240) + (rng.normal(size=40)[clusters] if clustered else 0)
        labels = rng.integers(0, 4, size=240)
        joint = joint_means(
            values, [group(np.flatnonzero(labels == k)) for k in range(4)], clusters
        )
        rejected["two"] += difference(joint, 0, 1).p < 0.05
        rejected["many"] += heterogeneity(joint).p < 0.05
    # 600 draws of a 5 % test lie in 3 to 7.2 % with probability 0.99.
    assert all(0.03 <= count / 600 <= 0.072 for count in rejected.values()), rejected
