"""Coefficients against the libraries that others trust, and against the printed examples."""

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score, f1_score

from toolkit.analyses.coefficients import (
    alpha_columns,
    alpha_interval,
    alpha_unit_columns,
    kappa,
    macro_f1,
    mean_of,
)
from toolkit.analyses.model_ranks import kendall_of_means, spearman_of_means
from toolkit.statistics.resampling import Spread, item_cells, item_sums, resampled

RATINGS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40)


def total(columns):
    return columns.sum(axis=0, keepdims=True)


def table(pairs):
    a, b = (np.array(side) for side in zip(*pairs, strict=True))
    values, codes = np.unique(np.concatenate([a, b]), return_inverse=True)
    n = len(a)
    k = len(values)
    cells = item_cells(np.arange(n), codes[:n] * k + codes[n:], k * k)
    return a, b, values.astype(float), total(cells)


@given(RATINGS)
@settings(max_examples=60)
def test_kappa_is_scikit_learn_s(pairs):
    a, b, values, sums = table(pairs)
    for ours, theirs in (("none", None), ("linear", "linear"), ("quadratic", "quadratic")):
        found = kappa(sums, values, ours)[0]
        # It weighs by the place of a value; ours weighs by the value itself.
        if theirs and list(values) != list(range(int(values[0]), int(values[-1]) + 1)):
            continue
        if len(values) == 1:
            assert np.isnan(found)
            continue
        wanted = cohen_kappa_score(a, b, weights=theirs)
        assert found == pytest.approx(wanted, nan_ok=True)


@given(RATINGS)
@settings(max_examples=60)
def test_macro_f1_is_scikit_learn_s_and_symmetric(pairs):
    a, b, values, sums = table(pairs)
    k = len(values)
    found = macro_f1(sums, k)[0]
    assert found == pytest.approx(f1_score(a, b, average="macro", zero_division=0))
    turned = sums.reshape(k, k).T.reshape(1, -1)
    assert macro_f1(turned, k)[0] == pytest.approx(found)


@given(
    st.lists(
        st.tuples(st.floats(-50, 50, width=32), st.floats(-50, 50, width=32)),
        min_size=2,
        max_size=30,
    )
)
@settings(max_examples=60)
def test_alpha_is_krippendorff_s(pairs):
    a, b = (np.array(side, float) for side in zip(*pairs, strict=True))
    found = alpha_interval(total(alpha_columns(a, b)))[0]
    pooled = np.concatenate([a, b])
    if pooled.std() < 1e-3:
        return
    wanted = krippendorff.alpha(reliability_data=np.array([a, b]), level_of_measurement="interval")
    assert found == pytest.approx(wanted, abs=1e-6)


def test_ninety_per_cent_agreement_can_be_a_kappa_below_zero():
    pairs = [(1, 1)] * 90 + [(1, 0)] * 5 + [(0, 1)] * 5
    _, _, values, sums = table(pairs)
    assert kappa(sums, values)[0] == pytest.approx(-0.0526, abs=1e-4)


def test_two_annotators_of_the_attribution_paper():
    a = np.array([5, 5, 4, 5, 3, 5, 4, 5])
    b = np.array([5, 4, 4, 5, 5, 5, 4, 5])
    ones = np.ones(8)
    assert mean_of(total(np.column_stack([a == b, ones]).astype(float)))[0] == 0.75
    assert mean_of(total(np.column_stack([abs(a - b) <= 1, ones]).astype(float)))[0] == 0.875
    assert mean_of(total(np.column_stack([abs(a - b), ones])))[0] == 0.375


def test_without_variation_there_is_no_value():
    a = np.full(5, 3.0)
    assert np.isnan(alpha_interval(total(alpha_columns(a, a)))[0])
    _, _, values, sums = table([(1, 1)] * 5)
    assert np.isnan(kappa(sums, values)[0])
    assert macro_f1(sums, 1)[0] == 1.0


GAPPY = st.lists(
    st.lists(st.one_of(st.none(), st.integers(1, 5)), min_size=4, max_size=4),
    min_size=2,
    max_size=25,
)


@given(GAPPY, st.sampled_from([0.0, 1e6]))
@settings(max_examples=80)
def test_alpha_with_gaps_and_many_raters_is_krippendorff_s(units, offset):
    ratings = np.array([[np.nan if v is None else v for v in unit] for unit in units], float)
    place, _ = np.nonzero(np.isfinite(ratings))
    _, columns = alpha_unit_columns(place, ratings[np.isfinite(ratings)] + offset)
    found = alpha_interval(total(columns))[0]
    paired = ratings[np.isfinite(ratings).sum(axis=1) > 1]
    if len(np.unique(paired[np.isfinite(paired)])) < 2:
        assert np.isnan(found)
        return
    wanted = krippendorff.alpha(reliability_data=ratings.T, level_of_measurement="interval")
    assert found == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [
        ([1, 1, 1, 0, 0, 1, 1, 0, 1, 1], [1, 1, 0, 0, 1, 1, 1, 0, 1, 0], 0.670330),
        ([2, 2, 1, 0, 1, 2], [2, 1, 1, 0, 2, 2], 0.722222),
        ([1] * 105, [1] * 89 + [0] * 16, 0.458763),
    ],
)
def test_macro_f1_of_the_radiology_protocol_both_ways(a, b, wanted):
    for pairs in (zip(a, b, strict=True), zip(b, a, strict=True)):
        _, _, values, sums = table(list(pairs))
        assert macro_f1(sums, len(values))[0] == pytest.approx(wanted, abs=5e-7)


def test_noise_in_the_last_digits_is_no_variation():
    a = np.array([0.1 + 0.2, 0.3, 0.3])
    assert np.isnan(alpha_interval(total(alpha_columns(a, a[::-1])))[0])


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=3, max_size=12),
    st.integers(1, 5),
)
@settings(max_examples=60)
def test_rank_correlations_are_scipy_s(means, count):
    a, b = (np.array(side, float) for side in zip(*means, strict=True))
    sums = np.concatenate([a * count, b * count, np.full(len(a), float(count))])[None, :]
    if len(set(a)) == 1 or len(set(b)) == 1:
        assert np.isnan(spearman_of_means(sums)[0])
        assert np.isnan(kendall_of_means(sums)[0])
        return
    assert spearman_of_means(sums)[0] == pytest.approx(stats.spearmanr(a, b).statistic)
    assert kendall_of_means(sums)[0] == pytest.approx(stats.kendalltau(a, b).statistic)


def test_repeats_of_an_item_are_resampled_together():
    items = np.repeat(np.arange(2), 4)
    values = np.repeat([1.0, 0.0], 4)
    columns = np.column_stack([values, np.ones(8)])
    rng = np.random.default_rng(3)
    clustered = resampled(item_sums(items, columns), mean_of, rng, resamples=4000)
    alone = resampled(item_sums(np.arange(8), columns), mean_of, rng, resamples=4000)
    # Resampling two clusters gives sqrt(1/8); times sqrt(2) for the small sample it is 0.5.
    assert clustered.sd * np.sqrt(2) == pytest.approx(0.5, abs=0.02)
    assert alone.sd * np.sqrt(8 / 7) == pytest.approx(0.189, abs=0.01)


def test_a_spread_says_why_there_is_none():
    rng = np.random.default_rng(1)
    one = resampled(np.ones((1, 2)), mean_of, rng, resamples=50)
    assert (one.low, one.reason) == (None, "one item: nothing to resample")
    same = resampled(np.ones((9, 2)), mean_of, rng, resamples=50)
    assert same.flat
    assert resampled(np.ones((9, 2)), mean_of, rng, resamples=0) == Spread()
    some = resampled(np.array([[1.0, 1.0], [0.0, 0.0]]), mean_of, rng, resamples=200)
    assert some.reason.startswith("without a value in ")
