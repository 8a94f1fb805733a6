"""Analysis of variance against goldens, scipy, pingouin and its definition."""

import json

import numpy as np
import pandas as pd
import pingouin as pg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from toolkit.statistics.anova import one_way, one_way_of_summary


def test_worked_number() -> None:
    got = one_way([np.array([1.0, 2, 3]), np.array([2.0, 3, 4]), np.array([5.0, 6, 7])])
    assert got.f == pytest.approx(13)
    assert got.p == pytest.approx(0.006592, abs=5e-7)
    assert (got.between, got.within, got.df_between, got.df_within) == (26, 6, 2, 6)


def test_published_tables(shared) -> None:
    rng = np.random.default_rng(1)
    goldens = json.loads(shared("goldens/statistics.json").read_text(encoding="utf-8"))
    for case in goldens["anova_from_summary"]:
        got = one_way_of_summary(case["n"], case["mean"], case["sd"])
        assert got.between == pytest.approx(case["ssb"], abs=6e-4), case["name"]
        assert got.f == pytest.approx(case["F"], abs=6e-4), case["name"]
        assert got.p == pytest.approx(case["p"], abs=6e-4), case["name"]
        # The same by values that have these sizes, means and standard deviations.
        groups = [
            mean + sd * stats.zscore(rng.normal(size=n), ddof=1)
            for n, mean, sd in zip(case["n"], case["mean"], case["sd"], strict=True)
        ]
        want = stats.f_oneway(*groups)
        assert (got.f, got.p) == pytest.approx((want.statistic, want.pvalue))


GROUPS = st.lists(
    st.lists(st.integers(-90, 90).map(lambda v: v / 10), min_size=2, max_size=8).filter(np.ptp),
    min_size=2,
    max_size=5,
)


@settings(max_examples=30, deadline=None)
@given(GROUPS)
def test_values_are_scipys_and_sums_of_squares_add_up(groups) -> None:
    groups = [np.array(values) for values in groups]
    got = one_way(groups)
    want = stats.f_oneway(*groups)
    assert (got.f, got.p) == pytest.approx((want.statistic, want.pvalue), rel=1e-6, abs=1e-9)
    every = np.concatenate(groups)
    assert got.between + got.within == pytest.approx(((every - every.mean()) ** 2).sum())
    assert 0 <= got.omega_squared <= got.eta_squared + 1e-12


@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_effect_sizes_and_welch_are_pingouins() -> None:
    rng = np.random.default_rng(2)
    groups = [rng.normal(mean, sd, n) for mean, sd, n in ((0, 1, 12), (1, 2, 20), (0.4, 3, 9))]
    frame = pd.DataFrame(
        {"y": np.concatenate(groups), "g": np.repeat([0, 1, 2], [len(g) for g in groups])}
    )
    got = one_way(groups)
    table = pg.anova(frame, dv="y", between="g", effsize="n2")
    assert got.eta_squared == pytest.approx(float(table["n2"].iloc[0]), abs=1e-6)
    welch = pg.welch_anova(frame, dv="y", between="g")
    assert got.welch_f == pytest.approx(float(welch["F"].iloc[0]), abs=1e-6)


@pytest.mark.parametrize(
    ("groups", "reason"),
    [
        ([[1.0, 2.0]], "fewer than two groups"),
        ([[1.0], [2.0]], "one value in each group"),
        ([[1.0, 1.0], [2.0, 2.0]], "no variation within"),
        ([[], [1.0, 2.0]], "fewer than two groups"),
    ],
)
def test_undefined_is_null_with_a_reason(groups, reason) -> None:
    got = one_way([np.array(values) for values in groups])
    assert (got.f, got.p, got.eta_squared) == (None, None, None)
    assert reason in got.reason


def test_a_group_that_does_not_vary_has_no_welch_test() -> None:
    got = one_way([np.array([1.0, 1.0]), np.array([1.0, 3.0])])
    assert got.p is not None
    assert (got.welch_p, got.reason) == (None, "no Welch test: a group does not vary")
