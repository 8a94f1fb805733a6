"""The smallest difference that a sample shows."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.power import TTestPower

from toolkit.statistics.power import (
    design_effect,
    power_of_difference,
    smallest_difference,
    smallest_share_difference,
)


@pytest.mark.parametrize("n", [5, 20, 200, 3000])
@pytest.mark.parametrize("power", [0.8, 0.95])
def test_independent_pairs_are_statsmodels(n, power) -> None:
    want = TTestPower().solve_power(nobs=n, alpha=0.05, power=power) * 0.3
    got = smallest_difference(0.3 / math.sqrt(n), n - 1, power=power)
    assert got.difference == pytest.approx(want, rel=1e-4)


@settings(max_examples=30, deadline=None)
@given(st.floats(0, 5), st.integers(3, 400))
def test_power_is_statsmodels(shift, n) -> None:
    effect = shift / math.sqrt(n)
    want = TTestPower().power(effect, n, 0.05)
    assert power_of_difference(effect, 1 / math.sqrt(n), n - 1) == pytest.approx(want, abs=1e-6)


def test_power_by_simulation() -> None:
    rng = np.random.default_rng(1)
    found = smallest_difference(1 / math.sqrt(15), 14).difference
    values = rng.normal(found, 1, (20_000, 15))
    t = values.mean(axis=1) / values.std(axis=1, ddof=1) * math.sqrt(15)
    assert np.mean(np.abs(t) > 2.144787) == pytest.approx(0.8, abs=0.012)


@given(st.integers(3, 100), st.integers(3, 100))
def test_more_clusters_show_smaller_differences(first, second) -> None:
    few, many = sorted((first, second))
    sizes = [smallest_difference(1 / math.sqrt(n), n - 1).difference for n in (few, many)]
    assert sizes[0] >= sizes[1]


def test_no_difference_has_the_power_of_the_level() -> None:
    assert power_of_difference(0.0, 0.1, 20) == pytest.approx(0.05)


def test_the_design_effect_multiplies_the_variance() -> None:
    assert design_effect(1, 0.7) == 1
    assert design_effect(5, 0.25) == 2


@pytest.mark.parametrize(("error", "df"), [(None, 4), (0.0, 4), (0.1, 0), (0.1, None)])
def test_nothing_that_varies_has_no_smallest_difference(error, df) -> None:
    got = smallest_difference(error, df)
    assert got.difference is None
    assert got.reason


def test_shares_by_the_arcsine_formula_and_by_simulation() -> None:
    got = smallest_share_difference(0.3, 200, 200).difference
    effect = (1.959964 + 0.841621) * math.sqrt(2 / 200)
    want = math.sin(math.asin(math.sqrt(0.3)) + effect / 2) ** 2 - 0.3
    assert got == pytest.approx(want, abs=1e-5)
    rng = np.random.default_rng(2)
    one, other = rng.binomial(200, 0.3, 20_000) / 200, rng.binomial(200, 0.3 + got, 20_000) / 200
    pooled = (one + other) / 2
    z = (other - one) / np.sqrt(pooled * (1 - pooled) / 100)
    assert np.mean(np.abs(z) > 1.959964) == pytest.approx(0.8, abs=0.02)


def test_a_share_near_one_has_nowhere_to_rise() -> None:
    got = smallest_share_difference(0.99, 10, 10)
    assert (got.difference, bool(got.reason)) == (None, True)
