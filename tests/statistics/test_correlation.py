"""Correlations against scipy, brute force and the published stars."""

import math
from itertools import permutations

import numpy as np
import pingouin as pg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.regression.linear_model import OLS

from toolkit.statistics.correlation import correlation, p_of_pearson, stars

KINDS = ("pearson", "spearman", "kendall")


@pytest.mark.parametrize(
    ("r", "n", "p", "mark"),
    [
        (0.1751, 165, 0.0245, "*"),
        (0.2357, 165, 0.0023, "**"),
        (-0.2029, 165, 0.0090, "**"),
        (0.1503, 165, 0.0540, ""),
        (-0.2559, 81, 0.0211, "*"),
        (0.2997, 81, 0.0066, "**"),
        (-0.2206, 81, 0.0478, "*"),
        # Ranks of the same tables, which copied the stars of Pearson's r.
        (0.2822, 165, 0.0002, "***"),
        (-0.1829, 165, 0.0187, "*"),
    ],
)
def test_stars_follow_from_each_coefficient(r, n, p, mark) -> None:
    assert p_of_pearson(r, n) == pytest.approx(p, abs=6e-5)
    assert stars(p_of_pearson(r, n)) == mark
    beta = stats.beta(n / 2 - 1, n / 2 - 1, loc=-1, scale=2)
    assert p_of_pearson(r, n) == pytest.approx(2 * beta.sf(abs(r)))


def test_no_p_no_stars() -> None:
    assert [stars(p) for p in (None, 0.05, 0.049, 0.0009)] == ["", "", "*", "***"]


def columns(seed, n=40, step=None):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = 0.5 * x + rng.normal(size=n)
    return (x, y) if step is None else (np.round(x / step), np.round(y / step))


@pytest.mark.parametrize("step", [None, 0.7])
@pytest.mark.parametrize(
    ("kind", "theirs"),
    [("pearson", stats.pearsonr), ("spearman", stats.spearmanr), ("kendall", stats.kendalltau)],
)
def test_each_has_its_own_value_and_p(kind, theirs, step) -> None:
    x, y = columns(1, step=step)
    got, want = correlation(x, y, kind), theirs(x, y)
    assert (got.value, got.p) == pytest.approx((want.statistic, want.pvalue))
    assert got.stars == stars(want.pvalue)
    assert got.low < got.value < got.high


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=3, max_size=15))
def test_kendall_by_counting_pairs(pairs) -> None:
    x, y = np.array(pairs, float).T
    got = correlation(x, y, "kendall")
    signs = [(np.sign(x[i] - x[j]), np.sign(y[i] - y[j])) for i in range(len(x)) for j in range(i)]
    apart = [sum(abs(s[k]) for s in signs) for k in (0, 1)]
    if not all(apart):
        assert (got.value, got.reason) == (None, "a column is constant")
    else:
        want = sum(a * b for a, b in signs) / math.sqrt(apart[0] * apart[1])
        assert got.value == pytest.approx(want)


def test_fishers_interval_is_scipys_and_pingouins() -> None:
    x, y = columns(2)
    got = correlation(x, y, "pearson")
    want = stats.pearsonr(x, y).confidence_interval(0.95)
    assert (got.low, got.high) == pytest.approx((want.low, want.high))
    table = pg.corr(x, y)
    ends = next(table[name].iloc[0] for name in table if name.upper().startswith("CI95"))
    assert (got.low, got.high) == pytest.approx(tuple(ends), abs=0.006)


@pytest.mark.parametrize(
    ("kind", "variance"),
    [
        ("spearman", lambda r, n: (1 + r * r / 2) / (n - 3)),
        ("kendall", lambda r, n: 0.437 / (n - 4)),
    ],
)
def test_rank_intervals_by_their_formulas(kind, variance) -> None:
    got = correlation(*columns(3), kind)
    half = 1.959964 * math.sqrt(variance(got.value, 40))
    want = np.tanh([np.arctanh(got.value) - half, np.arctanh(got.value) + half])
    assert (got.low, got.high) == pytest.approx(tuple(want))


@pytest.mark.parametrize("kind", KINDS)
def test_four_pairs_have_a_value_and_those_that_can_an_interval(kind) -> None:
    got = correlation(np.array([1.0, 2, 3, 4]), np.array([2.0, 1, 3, 5]), kind)
    assert 0 < got.value < 1 and 0 < got.p < 1
    assert (got.low is None) == (kind == "kendall")


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=3, max_size=6))
def test_spearman_of_few_pairs_is_exact(pairs) -> None:
    x, y = np.array(pairs, float).T
    got = correlation(x, y, "spearman")
    if got.value is None:
        assert got.reason == "a column is constant"
        return
    others = [abs(stats.spearmanr(x, order).statistic) for order in permutations(y)]
    assert got.p == pytest.approx(np.mean(np.array(others) >= abs(got.value) - 1e-9))


def test_a_perfect_order_of_three_is_no_proof() -> None:
    got = correlation(np.arange(3.0), np.arange(3.0) ** 3, "spearman")
    assert (got.value, got.p, got.stars) == (1, pytest.approx(1 / 3), "")


def clustered(seed, clusters=25, size=4):
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(clusters), size)
    x = rng.normal(size=clusters)[codes] + rng.normal(size=len(codes))
    return x, 0.4 * x + rng.normal(size=clusters)[codes] + rng.normal(size=len(codes)), codes


@pytest.mark.parametrize("kind", KINDS)
def test_clustered_error_is_near_a_bootstrap_of_clusters(kind) -> None:
    x, y, codes = clustered(4)
    got = correlation(x, y, kind, clusters=codes)
    rng = np.random.default_rng(5)
    drawn = []
    for _ in range(400):
        rows = (4 * rng.integers(0, 25, 25)[:, None] + np.arange(4)).ravel()
        drawn.append(np.arctanh(correlation(x[rows], y[rows], kind).value))
    half = (np.arctanh(got.high) - np.arctanh(got.low)) / 2 / stats.t.ppf(0.975, 24)
    assert half == pytest.approx(np.std(drawn), rel=0.25)
    assert got.value == pytest.approx(correlation(x, y, kind).value)
    assert got.clusters == 25


@pytest.mark.parametrize("kind", ["pearson", "spearman"])
def test_the_influences_of_single_rows_are_those_of_leaving_them_out(kind) -> None:
    x, y = columns(6, n=300)
    pairs = np.repeat(np.arange(150), 2)
    got = correlation(x, y, kind, clusters=pairs)
    full, left = correlation(x, y, kind).value, []
    for cluster in range(150):
        kept = pairs != cluster
        left.append(correlation(x[kept], y[kept], kind).value)
    jackknife = math.sqrt(149 / 150 * np.sum((np.array(left) - np.mean(left)) ** 2))
    half = (np.arctanh(got.high) - np.arctanh(got.low)) / 2 / stats.t.ppf(0.975, 149)
    assert half * (1 - full**2) == pytest.approx(jackknife, rel=0.05)


def test_zero_correlation_is_tested_as_the_clustered_slope_would_be() -> None:
    x, y, codes = clustered(7, clusters=60)
    y = y - np.polyval(np.polyfit(x, y, 1), x) + 0.02 * x
    got = correlation(x, y, "pearson", clusters=codes)
    design = np.stack([np.ones_like(x), x], axis=1)
    fit = OLS(y, design).fit(cov_type="cluster", cov_kwds={"groups": codes}, use_t=True)
    assert got.p == pytest.approx(fit.pvalues[1], abs=0.02)


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([1.0, 1, 1, 1], [1.0, 2, 3, 4], "a column is constant"),
        ([1.0, 2], [2.0, 1], "fewer than three pairs"),
        ([1.0, 2, 3, 4], [2.0, 4, 6, 8], "the order is perfect"),
        ([1.0, 3, 2], [2.0, 1, 5], "too few pairs for an interval"),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_missing_says_why(x, y, reason, kind) -> None:
    got = correlation(np.array(x), np.array(y), kind)
    assert got.reason == reason
    assert (got.low, got.high) == (None, None)


def test_one_cluster_has_a_value_and_no_test() -> None:
    x, y = columns(8)
    got = correlation(x, y, "pearson", clusters=np.zeros(40, np.int64))
    assert got.value == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert (got.p, got.stars, got.reason) == (None, "", "fewer than two clusters")
