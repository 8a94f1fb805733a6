"""Prediction-powered means against ppi-python, and by what they promise."""

import math

import numpy as np
import ppi_py
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolkit.statistics.prediction_powered import prediction_powered


def sample(seed, n=80, total=500, noise=0.1, bias=0.2):
    rng = np.random.default_rng(seed)
    truth = rng.beta(4, 8, total)
    judge = truth + bias + rng.normal(0, noise, total)
    return np.where(np.arange(total) < n, truth, np.nan), judge, truth


@pytest.mark.parametrize("seed", range(4))
def test_the_estimate_is_that_of_ppi_python(seed) -> None:
    human, judge, _ = sample(seed, n=200, total=3000)
    rated = np.isfinite(human)
    got = prediction_powered(human, judge)
    want = ppi_py.ppi_mean_pointestimate(human[rated], judge[rated], judge[~rated], lam=got.factor)
    assert got.powered.mean == pytest.approx(float(np.ravel(want)[0]))
    low, high = ppi_py.ppi_mean_ci(human[rated], judge[rated], judge[~rated], alpha=0.05)
    # It refers to the normal distribution and tunes by pooled variances.
    assert got.powered.low == pytest.approx(float(low[0]), abs=6e-4)
    assert got.powered.high == pytest.approx(float(high[0]), abs=6e-4)


def test_lambda_by_hand() -> None:
    human, judge, _ = sample(5)
    y, f, rest = human[:80], judge[:80], judge[80:]
    square = f.var(ddof=1) / 80 + rest.var(ddof=1) / 420
    factor = np.cov(y, f)[0, 1] / 80 / square
    got = prediction_powered(human, judge)
    assert got.factor == pytest.approx(min(1, factor))
    variance = (y - got.factor * f).var(ddof=1) / 80 + got.factor**2 * rest.var(ddof=1) / 420
    half = 1.990450 * math.sqrt(variance)
    assert got.powered.high - got.powered.mean == pytest.approx(half, rel=1e-5)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.floats(0, 2), st.integers(5, 40), st.booleans())
def test_the_interval_is_never_wider_than_the_human_one(seed, noise, n, grouped) -> None:
    human, judge, _ = sample(seed, n=n, total=120, noise=noise)
    codes = np.arange(120) // 3 if grouped else None
    got = prediction_powered(human, judge, clusters=codes)
    if got.factor is not None:
        widths = [e.high - e.low for e in (got.powered, got.human)]
        assert widths[0] <= widths[1] * (1 + 1e-9)


def test_a_perfect_judge_counts_fully_and_its_bias_is_told() -> None:
    human, judge, truth = sample(6, noise=0.0, total=2000)
    got = prediction_powered(human, judge)
    assert got.bias.mean == pytest.approx(0.2)
    assert got.raw.mean == pytest.approx(truth.mean() + 0.2)
    assert got.factor == pytest.approx(0.96, abs=0.02)
    assert abs(got.powered.mean - truth.mean()) < 0.005
    assert (got.powered.high - got.powered.low) < 0.35 * (got.human.high - got.human.low)


def test_a_judge_that_points_the_other_way_is_not_used() -> None:
    human, judge, _ = sample(7)
    got = prediction_powered(human, -judge)
    assert got.factor == 0
    assert got.powered.mean == pytest.approx(got.human.mean)
    assert got.powered.low == pytest.approx(got.human.low)


def test_clusters_rated_in_part_tie_both_samples_together() -> None:
    rng = np.random.default_rng(8)
    codes = np.repeat(np.arange(60), 4)
    truth = rng.normal(size=60)[codes] + 0.1 * rng.normal(size=240)
    human = np.where(np.arange(240) % 4 == 0, truth, np.nan)
    whole = prediction_powered(human, truth, clusters=codes)
    # Every cluster is rated: the judge adds next to nothing, and a sum of variances hides that.
    assert whole.powered.high - whole.powered.low > 0.9 * (whole.human.high - whole.human.low)
    alone = prediction_powered(human, truth)
    assert alone.powered.high - alone.powered.low < 0.7 * (alone.human.high - alone.human.low)


@pytest.mark.parametrize(
    ("human", "judge", "reason"),
    [
        ([0.1, 0.2, 0.3, math.nan], [0.1] * 4, "fewer than 4 items rated by both"),
        ([0.1, 0.2, 0.3, 0.4, 0.5], [0.1, 0.3, 0.2, 0.4, 0.5], "no item that the judge alone"),
        ([0.5] * 5 + [math.nan] * 3, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], "no variation"),
        ([math.nan] * 4, [math.nan] * 4, "fewer than 4"),
    ],
)
def test_what_cannot_be_powered_says_why(human, judge, reason) -> None:
    got = prediction_powered(np.array(human), np.array(judge))
    assert (got.powered.mean, got.factor) == (None, None)
    assert reason in got.reason
