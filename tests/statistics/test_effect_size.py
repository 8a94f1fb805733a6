"""Standardised differences."""

import numpy as np
import pingouin as pg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from toolkit.statistics.effect_size import cohens_d, hedges_correction, hedges_g, paired_d

FIRST, SECOND = np.array([3, 3.5, 4, 3.5]), np.array([2.5, 3, 3.5, 3])
SAMPLE = st.lists(st.floats(-5, 5), min_size=3, max_size=12).filter(lambda v: np.ptp(v) > 1e-3)


def test_worked_number() -> None:
    assert cohens_d(FIRST, SECOND).value == pytest.approx(1.224745, abs=5e-7)


def test_published_means_and_sd() -> None:
    # d .47 and a difference of .26 imply a pooled standard deviation of .553.
    rng = np.random.default_rng(1)
    base = stats.zscore(rng.normal(size=200), ddof=1) * 0.553
    assert cohens_d(base + 0.26, base).value == pytest.approx(0.47, abs=5e-4)


@given(SAMPLE, SAMPLE)
def test_d_and_g_are_pingouins(first, second) -> None:
    first, second = np.array(first), np.array(second)
    for ours, kind in ((cohens_d, "cohen"), (hedges_g, "hedges")):
        want = pg.compute_effsize(first, second, eftype=kind)
        # pingouin's correction for small samples is Hedges's approximation of the exact one.
        tolerance = 1e-6 if kind == "cohen" else 0.02
        assert ours(first, second).value == pytest.approx(want, rel=tolerance, abs=1e-6)


@given(st.integers(3, 200))
def test_the_correction_is_near_its_approximation(df) -> None:
    assert hedges_correction(df) == pytest.approx(1 - 3 / (4 * df - 1), abs=0.02)


@given(SAMPLE, SAMPLE)
def test_the_interval_puts_d_at_its_tails(first, second) -> None:
    first, second = np.array(first), np.array(second)
    got = cohens_d(first, second)
    if got.low is None:
        assert got.reason
        return
    scale = np.sqrt(1 / len(first) + 1 / len(second))
    df = len(first) + len(second) - 2
    tails = [stats.nct.cdf(got.value / scale, df, end / scale) for end in (got.low, got.high)]
    assert tails == pytest.approx([0.975, 0.025], abs=1e-3)


def test_paired_d_is_the_paired_t_over_root_n() -> None:
    differences = np.array([0.5, 0.5, 0.1, 0.3])
    got = paired_d(differences)
    assert got.value == pytest.approx(3.655631 / 2, abs=5e-7)
    assert got.low < got.value < got.high


@pytest.mark.parametrize(
    ("effect", "reason"),
    [
        (cohens_d(np.ones(3), np.ones(3)), "no variation"),
        (cohens_d(np.ones(1), np.ones(1)), "too few"),
        (hedges_g(np.ones(3), np.zeros(3)), "no variation"),
        (hedges_g(np.array([1.0, 2.0]), np.zeros(1)), "too few values"),
        (paired_d(np.full(5, 0.1)), "no variation"),
        (paired_d(np.ones(1)), "fewer than two"),
    ],
)
def test_no_spread_no_effect_size(effect, reason) -> None:
    assert (effect.value, effect.low) == (None, None)
    assert reason in effect.reason
