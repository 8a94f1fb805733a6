"""Error bars that name their estimator."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.regression.linear_model import OLS

from toolkit.statistics.group_errors import ESTIMATORS, cluster_df, clustered_mean, group_error

VALUES = np.array([1.0, 1, 1, 1, 0, 0, 0, 0])
REPEATS = np.repeat([0, 1], 4)


def test_repeats_of_an_item_are_a_cluster() -> None:
    assert clustered_mean(VALUES).standard_error == pytest.approx(0.189, abs=5e-4)
    assert clustered_mean(VALUES, REPEATS).standard_error == pytest.approx(0.5)


def test_zero_of_twenty_has_no_standard_error() -> None:
    got = group_error(np.zeros(20), "se")
    assert (got.mean, got.low, got.reason) == (0.0, None, "no variation: all values are equal")


@pytest.mark.parametrize("seed", range(3))
def test_clustered_error_is_the_sandwich_of_statsmodels(seed) -> None:
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(12), rng.integers(1, 7, 12))
    values = rng.normal(size=12)[codes] + rng.normal(size=len(codes))
    fit = OLS(values, np.ones(len(values))).fit(
        cov_type="cluster", cov_kwds={"groups": codes, "use_correction": False}
    )
    want = fit.bse[0] * np.sqrt(12 / 11)
    assert clustered_mean(values, codes).standard_error == pytest.approx(want)


@given(st.lists(st.floats(-5, 5), min_size=3, max_size=20).filter(lambda v: np.ptp(v) > 1e-6))
def test_clusters_of_one_are_the_textbook(values) -> None:
    values = np.array(values)
    got = group_error(values, "clustered_ci", clusters=np.arange(len(values)))
    want = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert (got.low, got.high) == pytest.approx((want.low, want.high), rel=1e-6, abs=1e-9)


@given(st.lists(st.integers(1, 9), min_size=2, max_size=12))
def test_degrees_of_freedom_are_the_traces(sizes) -> None:
    sizes = np.array(sizes)
    w = sizes / sizes.sum()
    maker = np.eye(len(w)) - np.outer(w, np.ones(len(w)))
    product = maker.T @ maker @ np.diag(w**2)
    want = np.trace(product) ** 2 / np.trace(product @ product)
    assert cluster_df(sizes) == pytest.approx(want)
    assert cluster_df(sizes) <= len(sizes) - 1 + 1e-9


def test_every_bar_names_what_it_is() -> None:
    values = np.array([0.1, 0.4, 0.4, 0.9, 0.7])
    codes = np.array([0, 0, 1, 2, 2])
    bars = {name: group_error(values, name, clusters=codes) for name in ESTIMATORS}
    assert all(bar.estimator == name and bar.about for name, bar in bars.items())
    assert bars["sd"].high - bars["sd"].mean == pytest.approx(np.std(values, ddof=1))
    assert bars["se"].high - bars["se"].mean == pytest.approx(stats.sem(values))
    assert (bars["clustered_se"].clusters, bars["se"].clusters) == (3, 5)


def test_spread_of_macro_f1(shared) -> None:
    goldens = json.loads(shared("goldens/statistics.json").read_text(encoding="utf-8"))
    for row in goldens["overall_macroF1_rows"]:
        got = group_error(np.array(row["values"]), "sd")
        half = got.high - got.mean
        assert got.mean == pytest.approx(row["mean"])
        assert half == pytest.approx(row["sd_ddof1"], abs=5e-5)
        mean, spread = row["printed"].split("±")
        assert abs(got.mean - float(mean)) <= 0.0051
        assert f"{half:.2f}" == spread


@pytest.mark.parametrize(("estimator", "n"), [("sd", 1), ("se", 1), ("ci", 1), ("ci", 0)])
def test_too_few_values_have_no_bar(estimator, n) -> None:
    got = group_error(np.ones(n), estimator)
    assert (got.low, got.high) == (None, None)
    assert got.reason == "fewer than two values"


def test_a_clustered_bar_without_clusters_is_refused() -> None:
    with pytest.raises(ValueError, match="needs clusters"):
        group_error(VALUES, "clustered_se")


def test_clusters_of_one_mean_leave_no_trace_of_an_error() -> None:
    for values in ([0.1, 0.4, 0.2, 0.3], [0.1, 0.7, 0.3, 0.5], [0.3, 0.6, 0.2, 0.7]):
        found = clustered_mean(np.array(values), np.array([0, 0, 1, 1]))
        assert (found.standard_error, found.half_width()) == (0.0, None)
