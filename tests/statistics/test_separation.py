"""Outcomes that factors predict with certainty."""

import numpy as np
import pytest

from toolkit.statistics.factorial import Factorial
from toolkit.statistics.separation import pure_cell, separated

LINE = np.c_[np.ones(6), [1.0, 2, 3, 4, 5, 6]]


@pytest.mark.parametrize(
    ("outcome", "want"),
    [
        ([0, 0, 0, 1, 1, 1], True),
        ([0, 0, 1, 0, 1, 1], False),
        ([1, 1, 1, 0, 0, 0], True),
        ([0, 1, 0, 1, 0, 1], False),
    ],
)
def test_a_line_that_parts_zeros_from_ones_has_no_finite_slope(outcome, want) -> None:
    assert separated(LINE, np.array(outcome, bool)) is want


def test_a_tie_on_the_border_is_separation_too() -> None:
    rows = np.c_[np.ones(4), [1.0, 2, 2, 3]]
    assert separated(rows, np.array([0, 0, 1, 1], bool))


def test_a_cell_of_equal_outcomes_is_named() -> None:
    design = Factorial(("m", "p"), (("gpt", "qwen"), ("x", "y")), 2)
    codes = np.repeat([(0, 0), (0, 1), (1, 0), (1, 1)], 5, axis=0)
    outcome = np.tile([0, 1, 0, 1, 1], 4).astype(bool)
    assert pure_cell(design, codes, outcome) is None
    assert not separated(design.matrix(codes), outcome)
    outcome[-5:] = True
    assert pure_cell(design, codes, outcome) == ("m = qwen, p = y", 5, True)
    assert separated(design.matrix(codes), outcome)


def test_separation_without_a_pure_margin_is_found() -> None:
    # Main effects alone: no level is pure, yet a + b parts the outcomes.
    design = Factorial(("a", "b"), (tuple("123"), tuple("123")), 1)
    codes = np.array([(a, b) for a in range(3) for b in range(3)] * 2)
    outcome = codes.sum(axis=1) >= 2
    outcome[:9] |= codes[:9].sum(axis=1) == 2
    assert separated(design.matrix(codes), outcome)
