"""Intervals agree with independent computations and behave at the edges."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from toolkit.statistics.bootstrap import (
    bound_without_variation,
    generator,
    mean_interval,
    resample_means,
    resampled_interval,
)


def ones(n: int) -> np.ndarray:
    return np.ones(n, dtype=np.int64)


@pytest.mark.parametrize(("ours", "theirs"), [("percentile", "percentile"), ("bca", "BCa")])
@pytest.mark.parametrize("kind", ["normal", "skewed", "zero_one"])
def test_intervals_equal_scipy_on_the_same_resamples(ours: str, theirs: str, kind: str) -> None:
    rng = np.random.default_rng(7)
    values = {
        "normal": rng.normal(0.3, 0.1, 60),
        "skewed": rng.lognormal(0, 1, 60),
        "zero_one": (rng.random(60) < 0.3).astype(float),
    }[kind]
    means = resample_means(values, ones(60), generator(1, "m"), 3000)
    got = resampled_interval(means, values, ones(60), confidence=0.95, method=ours)
    want = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=0,
        method=theirs,
        confidence_level=0.95,
        bootstrap_result=SimpleNamespace(bootstrap_distribution=means),
    )
    assert got.low == pytest.approx(want.confidence_interval.low, abs=1e-12)
    assert got.high == pytest.approx(want.confidence_interval.high, abs=1e-12)


@pytest.mark.parametrize(("ours", "theirs"), [("percentile", "percentile"), ("bca", "BCa")])
def test_intervals_equal_scipy_within_monte_carlo_error(ours: str, theirs: str) -> None:
    values = np.random.default_rng(3).lognormal(0, 0.7, 80)
    got = mean_interval(
        values, ones(80), generator(1, "m"), resamples=40_000, confidence=0.95, method=ours
    )
    want = stats.bootstrap((values,), np.mean, n_resamples=40_000, method=theirs, rng=5, batch=2000)
    tolerance = 0.12 * want.standard_error
    assert got.low == pytest.approx(want.confidence_interval.low, abs=tolerance)
    assert got.high == pytest.approx(want.confidence_interval.high, abs=tolerance)


def test_standard_error_of_a_proportion_is_the_analytic_one() -> None:
    values = np.array([1.0] * 120 + [0.0] * 280)
    got = mean_interval(
        values, ones(400), generator(0, "x"), resamples=1000, confidence=0.95, method="percentile"
    )
    assert got.standard_error == pytest.approx(math.sqrt(0.3 * 0.7 / 400), rel=0.08)


def test_repeats_of_an_item_are_one_cluster() -> None:
    # Two items, four repeats each, 1,1,1,1 and 0,0,0,0: 0.5, where eight free rows give 0.189.
    clustered = mean_interval(
        np.array([4.0, 0.0]),
        np.array([4, 4]),
        generator(0, "x"),
        resamples=20_000,
        confidence=0.95,
        method="percentile",
    )
    free = mean_interval(
        np.array([1.0] * 4 + [0.0] * 4),
        ones(8),
        generator(0, "x"),
        resamples=20_000,
        confidence=0.95,
        method="percentile",
    )
    assert clustered.standard_error == pytest.approx(0.5, abs=0.01)
    assert free.standard_error == pytest.approx(0.189, abs=0.005)


def test_expanded_interval_of_symmetric_values_is_students() -> None:
    values = stats.norm.ppf((np.arange(15) + 0.5) / 15)
    got = mean_interval(
        values, ones(15), generator(0, "x"), resamples=200_000, confidence=0.95, method="expanded"
    )
    half = stats.t.ppf(0.975, 14) * values.std(ddof=1) / math.sqrt(15)
    assert got.high == pytest.approx(half, rel=0.03)
    assert got.low == pytest.approx(-half, rel=0.03)


def test_expanded_and_percentile_agree_for_many_rows() -> None:
    values = np.random.default_rng(0).normal(size=5000)
    ends = [
        mean_interval(
            values, ones(5000), generator(0, "x"), resamples=2000, confidence=0.95, method=method
        )
        for method in ("expanded", "percentile")
    ]
    assert ends[0].high - ends[0].low == pytest.approx(ends[1].high - ends[1].low, rel=0.01)


def test_unequal_clusters_weigh_by_their_rows() -> None:
    sums, counts = np.array([10.0, 0.0, 3.0]), np.array([10, 1, 4])
    means = resample_means(sums, counts, generator(0, "x"), 500)
    possible = {
        round((a * 10 + c * 3) / (a * 10 + b + c * 4), 12)
        for a in range(4)
        for b in range(4 - a)
        for c in [3 - a - b]
    }
    assert {round(mean, 12) for mean in means} == possible


@pytest.mark.parametrize("groups", [0, 1])
def test_nothing_to_resample_has_no_interval(groups: int) -> None:
    got = mean_interval(
        np.ones(groups),
        ones(groups),
        generator(0, "x"),
        resamples=100,
        confidence=0.95,
        method="percentile",
    )
    assert (got.low, got.high, got.standard_error) == (None, None, None)
    assert "nothing to resample" in got.reason


def test_bca_that_is_undefined_says_so() -> None:
    values = np.array([0.0] * 19 + [1.0])
    above = np.full(50, 0.5)
    got = resampled_interval(above, values, ones(20), confidence=0.95, method="bca")
    assert (got.low, got.high) == (None, None)
    assert "undefined" in got.reason


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"resamples": 0}, "out of range"),
        ({"confidence": 1.0}, "out of range"),
        ({"counts": np.array([1, 0, 2])}, "without values"),
        ({"counts": np.array([1, 1])}, "3 sums but 2 counts"),
    ],
)
def test_impossible_arguments_are_refused(change: dict[str, object], match: str) -> None:
    options = {"counts": ones(3), "resamples": 100, "confidence": 0.95} | change
    counts = options.pop("counts")
    with pytest.raises(ValueError, match=match):
        mean_interval(np.ones(3), counts, generator(0, "x"), method="percentile", **options)


@pytest.mark.parametrize(
    ("value", "clusters", "low", "high"), [(0, 66, 0, 0.055003), (1, 105, 0.964706, 1)]
)
def test_equal_zero_one_values_have_wilsons_interval(
    value: float, clusters: int, low: float, high: float
) -> None:
    got = bound_without_variation(value, clusters, low=0, high=1, confidence=0.95)
    assert got.low == pytest.approx(low, abs=1e-6)
    assert got.high == pytest.approx(high, abs=1e-6)
    assert "no variation" in got.reason


def test_none_right_of_twenty_is_not_certainty() -> None:
    got = bound_without_variation(0.0, 20, low=0, high=1, confidence=0.95)
    want = stats.binomtest(0, 20).proportion_ci(method="wilson")
    assert (got.low, got.high) == (0.0, pytest.approx(want.high, abs=1e-12))


@pytest.mark.parametrize(("low", "high"), [(None, 1), (0, None), (None, None), (2, 3)])
def test_equal_values_without_a_range_have_no_interval(low: float | None, high: float | None):
    got = bound_without_variation(1.0, 20, low=low, high=high, confidence=0.95)
    assert (got.low, got.high) == (None, None)
    assert got.reason == "no variation: all values are equal"


def test_a_generator_depends_on_seed_and_every_name() -> None:
    keys = [(1, "a", "b"), (2, "a", "b"), (1, "ab", ""), (1, "b", "a"), (1, "a", "b", "")]
    firsts = [generator(*key).integers(0, 1 << 62) for key in keys]
    assert len(set(firsts)) == len(keys)
    assert firsts[0] == generator(1, "a", "b").integers(0, 1 << 62)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=40),
    st.sampled_from(["percentile", "expanded"]),
    st.floats(-3, 3),
)
def test_intervals_stay_in_range_hold_the_middle_and_shift(
    values: list[float], method: str, shift: float
) -> None:
    array = np.array(values)
    first = mean_interval(
        array, ones(len(array)), generator(0, "x"), resamples=200, confidence=0.9, method=method
    )
    moved = mean_interval(
        array + shift,
        ones(len(array)),
        generator(0, "x"),
        resamples=200,
        confidence=0.9,
        method=method,
    )
    assert array.min() - 1e-9 <= first.low <= first.high <= array.max() + 1e-9
    assert moved.low == pytest.approx(first.low + shift, abs=1e-9)
    assert moved.high == pytest.approx(first.high + shift, abs=1e-9)
