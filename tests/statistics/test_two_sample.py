"""Tests of two samples."""

import numpy as np
import pytest
from scipy import stats

from toolkit.statistics.two_sample import kolmogorov_smirnov, levene, welch_interval

FIRST, SECOND = np.array([3, 3.5, 4, 3.5]), np.array([2.5, 3, 3.5, 3])


def test_worked_numbers() -> None:
    got = kolmogorov_smirnov(FIRST, SECOND)
    assert got.statistic == 0.5
    assert got.p == pytest.approx(0.771429, abs=5e-7)
    assert levene(FIRST, SECOND).statistic == pytest.approx(0, abs=1e-12)
    assert levene(FIRST, SECOND, center="mean").statistic == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("center", ["mean", "median"])
def test_levene_is_an_analysis_of_variance_of_distances(center) -> None:
    rng = np.random.default_rng(1)
    first, second = rng.exponential(size=20), 2 * rng.exponential(size=35)
    middle = getattr(np, center)
    want = stats.f_oneway(np.abs(first - middle(first)), np.abs(second - middle(second)))
    got = levene(first, second, center=center)
    assert (got.statistic, got.p) == pytest.approx((want.statistic, want.pvalue))
    assert center in got.method


def test_the_largest_gap_by_hand() -> None:
    rng = np.random.default_rng(2)
    first, second = rng.random(12), rng.random(17) ** 2
    shares = [(np.mean(first <= x), np.mean(second <= x)) for x in np.concatenate([first, second])]
    want = max(abs(one - other) for one, other in shares)
    assert kolmogorov_smirnov(first, second).statistic == pytest.approx(want)


@pytest.mark.parametrize(
    ("first", "second", "p", "reason"),
    [
        ([1.0], [1.0, 2.0], None, "fewer than two"),
        ([1.0, 1.0], [2.0, 2.0], 1.0, ""),
        ([1.0, 3.0], [2.0, 2.0], None, "no variation"),
    ],
)
def test_levene_at_the_edges(first, second, p, reason) -> None:
    got = levene(np.array(first), np.array(second))
    assert got.p == p
    assert reason in got.reason


def test_an_empty_sample_has_no_distribution() -> None:
    assert kolmogorov_smirnov(np.array([]), FIRST).p is None


def test_welchs_interval_by_its_formula() -> None:
    rng = np.random.default_rng(3)
    first, second = rng.normal(0, 1, 12), rng.normal(0.5, 3, 9)
    a, b = first.var(ddof=1) / 12, second.var(ddof=1) / 9
    df = (a + b) ** 2 / (a * a / 11 + b * b / 8)
    half = stats.t.ppf(0.975, df) * np.sqrt(a + b)
    centre = first.mean() - second.mean()
    assert welch_interval(first, second) == pytest.approx((centre - half, centre + half))
    assert welch_interval(np.ones(3), np.ones(3)) == (None, None)
