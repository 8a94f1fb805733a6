"""Moments against the worked example and scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from toolkit.statistics.shape import Shape, shape


def test_worked_example():
    found = shape([8, 8, 9, 9, 9, 6])
    assert found.mean == pytest.approx(8.166667, abs=5e-7)
    assert found.skewness == pytest.approx(-1.157971, abs=5e-7)
    assert found.kurtosis == pytest.approx(0.017847, abs=5e-7)
    assert (found.median, found.mode, found.low, found.high, found.n) == (8.5, 9, 6, 9, 6)


def test_what_is_not_defined_is_none():
    assert shape([]) == Shape(0)
    alone = shape([3.0])
    assert (alone.sd, alone.skewness, alone.kurtosis) == (None, None, None)
    assert shape([0.1, 0.1, 0.1]).skewness is None
    assert shape([1, 2, 3, 4]).median == 2.5
    assert shape([2, 1, 2, 1]).mode == 1


@given(st.lists(st.integers(0, 100), min_size=3, max_size=40).filter(lambda v: len(set(v)) > 1))
def test_scipy_agrees(values):
    found = shape(values)
    assert found.skewness == pytest.approx(float(stats.skew(values)), abs=1e-9)
    assert found.kurtosis == pytest.approx(float(stats.kurtosis(values)), abs=1e-9)
    assert found.sd == pytest.approx(float(np.std(values, ddof=1)))
