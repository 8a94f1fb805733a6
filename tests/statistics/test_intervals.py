import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from toolkit.statistics.intervals import clustered_wilson, share_row, students_t, wilson


def test_none_of_twenty_is_not_certainty():
    low, high = wilson(0, 20)
    assert low == 0.0
    assert high == pytest.approx(0.161, abs=5e-4)
    assert wilson(20, 20)[1] == 1.0
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)


def test_the_goldens_of_wilson(shared):
    goldens = json.loads(shared("goldens/statistics.json").read_text(encoding="utf-8"))
    for case in goldens["wilson95"]:
        assert wilson(case["k"], case["n"]) == pytest.approx((case["lo"], case["hi"]), abs=1e-6)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_agrees_with_scipy(case):
    count, n = case
    theirs = stats.binomtest(count, n).proportion_ci(0.95, method="wilson")
    assert wilson(count, n) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_a_share_of_none_is_none():
    assert share_row("won", 0, 0) == {"won": None, "won_low": None, "won_high": None}
    assert share_row("won", 8, 10)["won"] == 0.8


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=20, unique=True))
def test_students_t_agrees_with_scipy(values):
    theirs = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
    assert students_t(values) == pytest.approx((theirs.low, theirs.high), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("values", [[], [1.0], [2.0, 2.0]])
def test_too_few_values_have_no_interval(values):
    assert students_t(values) == (None, None)


@pytest.mark.parametrize(("k", "n", "want"), [(7, 10, (0.396778, 0.892209)), (0, 20, (0, 0.161))])
def test_wilson_worked_numbers(k, n, want) -> None:
    assert wilson(k, n) == pytest.approx(want, abs=5e-4 if n == 20 else 5e-7)


def test_a_share_of_independent_rows_is_wilsons() -> None:
    rows = np.array([1.0] * 7 + [0.0] * 3)
    assert clustered_wilson(rows, np.arange(10)) == wilson(7, 10)


def test_a_share_of_clusters_counts_them_not_their_rows() -> None:
    rows, codes = np.repeat([1.0, 0, 1, 1, 0, 1, 1, 0, 1, 1], 5), np.repeat(np.arange(10), 5)
    low, high = clustered_wilson(rows, codes)
    whole = wilson(7, 10)
    # Rows of a cluster agree wholly: 10 clusters, by Student's quantile a little wider.
    assert low < whole[0] < whole[1] < high
    assert high - low < 1.25 * (whole[1] - whole[0])
    assert clustered_wilson(np.zeros(12), np.repeat([0, 1, 2], 4))[0] == 0
    assert clustered_wilson(np.ones(4), np.zeros(4)) == (None, None)
