"""Differences of paired values."""

import numpy as np
import pingouin as pg
import pytest
from scipy import stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.weightstats import ttost_paired

from toolkit.statistics.paired import equivalence, paired_difference, signed_ranks

FIRST, SECOND = np.array([7.1, 7.5, 6.9, 7.3]), np.array([6.6, 7.0, 6.8, 7.0])


def test_worked_number() -> None:
    got = paired_difference(FIRST - SECOND)
    assert got.t == pytest.approx(3.655631, abs=5e-7)
    assert got.p == pytest.approx(0.035353, abs=5e-7)
    assert (got.df, got.n, got.clusters) == (3, 4, 4)


@pytest.mark.parametrize("seed", range(4))
def test_independent_pairs_are_scipys_and_pingouins(seed) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.random(25), rng.random(25)
    got = paired_difference(first - second)
    want = stats.ttest_rel(first, second)
    interval = want.confidence_interval(0.95)
    assert (got.t, got.p) == pytest.approx((want.statistic, want.pvalue))
    assert (got.low, got.high) == pytest.approx((interval.low, interval.high))
    table = pg.ttest(first, second, paired=True)
    assert got.p == pytest.approx(float(table["p_val" if "p_val" in table else "p-val"].iloc[0]))


def test_clusters_are_the_sandwich_of_statsmodels() -> None:
    rng = np.random.default_rng(5)
    codes = np.repeat(np.arange(10), 4)
    values = rng.normal(size=10)[codes] + rng.normal(size=40)
    got = paired_difference(values, clusters=codes)
    fit = OLS(values, np.ones(40)).fit(
        cov_type="cluster", cov_kwds={"groups": codes, "use_correction": False}
    )
    assert got.standard_error == pytest.approx(fit.bse[0] * np.sqrt(10 / 9))
    assert got.df == 9
    assert got.p == pytest.approx(2 * stats.t.sf(abs(got.t), 9))
    assert got.standard_error > paired_difference(values).standard_error
    assert (got.effect.low, got.effect.high) == (None, None)


@pytest.mark.parametrize(
    ("values", "clusters", "reason"),
    [
        ([], None, "fewer than two pairs"),
        ([0.3], None, "fewer than two pairs"),
        ([0.3, 0.3], None, "no variation"),
        ([0.3, 0.4], [1, 1], "fewer than two clusters"),
    ],
)
def test_what_has_no_interval_says_why(values, clusters, reason) -> None:
    codes = None if clusters is None else np.array(clusters)
    got = paired_difference(np.array(values), clusters=codes)
    assert (got.low, got.p, got.t) == (None, None, None)
    assert reason in got.reason


def test_signed_ranks_by_enumeration() -> None:
    values = np.array([1.5, -0.3, 2.2, 0.8, -0.1, 3.0])
    ranks = stats.rankdata(np.abs(values))
    signs = np.array(np.meshgrid(*[[0, 1]] * 6)).reshape(6, -1)
    sums, seen = ranks @ signs, ranks[values > 0].sum()
    want = 2 * min((sums >= seen).mean(), (sums <= seen).mean())
    assert signed_ranks(values)[0] == pytest.approx(want)


@pytest.mark.parametrize(
    ("values", "p", "reason"),
    [([0.0, 0.0], 1.0, "all differences are 0"), ([1.0], None, "fewer than two pairs")],
)
def test_signed_ranks_at_the_edges(values, p, reason) -> None:
    assert signed_ranks(np.array(values)) == (p, reason)


@pytest.mark.parametrize("margin", [0.05, 0.2, 0.6])
def test_equivalence_is_statsmodels(margin) -> None:
    rng = np.random.default_rng(6)
    first, second = rng.normal(size=30), rng.normal(size=30)
    want = ttost_paired(first, second, -margin, margin)[0]
    assert equivalence(first - second, margin).p == pytest.approx(want)


def test_equivalence_needs_a_margin_and_spread() -> None:
    with pytest.raises(ValueError, match="margin"):
        equivalence(np.ones(3), 0.0)
    got = equivalence(np.ones(3), 0.5)
    assert got.p is None
    assert "no variation" in got.reason


def test_differences_that_only_rounding_tells_apart_do_not_vary() -> None:
    first = np.array([0.3, 0.2, 0.7, 0.9, 0.55])
    found = paired_difference(first - (first - 0.1))
    assert found.difference == pytest.approx(0.1)
    assert (found.t, found.p, found.effect.value) == (None, None, None)
    assert found.reason == "no variation: all differences are equal"
    assert paired_difference(np.array([1e-15, 2e-15, 4e-15])).p < 1
