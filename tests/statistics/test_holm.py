"""Adjusted p values of a family."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from toolkit.statistics.holm import benjamini_hochberg, holm


@pytest.mark.parametrize(
    ("p", "want"),
    [
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
        ([0.001, 0.02, 0.03, 0.04, 0.2], [0.005, 0.08, 0.09, 0.09, 0.2]),
    ],
)
def test_worked_numbers(p, want) -> None:
    assert holm(p) == pytest.approx(want)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_a_set_of_tests_is_rejected_as_by_closure(p) -> None:
    # Marcus, Peritz and Gabriel 1976: Holm is the closed test of Bonferroni's.
    for at, adjusted in enumerate(holm(p)):
        worst = max(
            min(1.0, size * min(p[k] for k in chosen))
            for size in range(1, len(p) + 1)
            for chosen in itertools.combinations(range(len(p)), size)
            if at in chosen
        )
        assert adjusted == pytest.approx(worst)


@pytest.mark.parametrize(("ours", "theirs"), [(holm, "holm"), (benjamini_hochberg, "fdr_bh")])
def test_both_are_those_of_statsmodels(ours, theirs) -> None:
    p = np.random.default_rng(1).beta(0.4, 2, 60)
    assert ours(p.tolist()) == pytest.approx(multipletests(p, method=theirs)[1].tolist())


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_the_tests_does_not_matter(p, random) -> None:
    order = list(range(len(p)))
    random.shuffle(order)
    assert holm([p[at] for at in order]) == pytest.approx([holm(p)[at] for at in order])


def test_no_test_stays_none_and_is_not_counted() -> None:
    assert holm([0.02, None, 0.04]) == [0.04, None, 0.04]
    assert holm([]) == []
    assert holm([None]) == [None]


def test_what_is_no_p_value_is_refused() -> None:
    with pytest.raises(ValueError, match="outside 0 to 1"):
        holm([0.1, np.nan])
