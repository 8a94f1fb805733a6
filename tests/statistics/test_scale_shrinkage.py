"""Shrinkage of a scale against the worked examples."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.statistics.scale_shrinkage import ScaleEnds, scale_ends

GOLDENS = Path(__file__).parents[2] / "../shared/goldens/statistics.json"


@pytest.mark.parametrize(
    ("true_mean", "true_lowest", "low", "high", "difference"),
    [(8.5, 6, 1.4, 9.68, 0.108696), (9, 5, 3.7, 8.875, 0.173913), (8.3, 6, 1, 10, 0.1)],
)
def test_worked_examples(true_mean, true_lowest, low, high, difference):
    ends = scale_ends(true_mean, true_lowest, 8.3, 6.0)
    assert (ends.low, ends.high) == pytest.approx((low, high))
    assert ends.smallest_difference(0.1) == pytest.approx(difference, abs=5e-7)
    assert ends.feasible or ends.low < 1 + 1e-9


def test_goldens():
    if not GOLDENS.is_file():
        pytest.skip("../shared/goldens/statistics.json is not here")
    for row in json.loads(GOLDENS.read_text(encoding="utf-8"))["shrinkage"]:
        ends = scale_ends(row["w_ave"], row["w_min"], row["hat_ave"], row["hat_min"])
        assert ends.low == pytest.approx(row["H_l"], abs=5e-5)
        assert ends.high == pytest.approx(row["H_h"], abs=5e-5)
        assert ends.smallest_difference(0.1) == pytest.approx(row["min_dw"], abs=5e-5)


def test_ends_off_the_scale_are_not_feasible():
    ends = scale_ends(8, 7, 8.3, 6.0)
    assert (ends.low, ends.high) == pytest.approx((-7.8, 12.9))
    assert not ends.feasible
    assert scale_ends(8, 8, 8.3, 6.0) is None


@given(st.floats(1, 5), st.floats(6, 10), st.floats(1, 10))
def test_answer_and_true_score_are_inverse_and_keep_proportions(low, high, true):
    ends = ScaleEnds(low, high)
    answer = ends.answer(true)
    assert ends.true(answer) == pytest.approx(true)
    assert (10 - true) * (answer - low) == pytest.approx((true - 1) * (high - answer), abs=1e-9)
