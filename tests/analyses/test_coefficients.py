"""Coefficients against the libraries that others trust, and against the printed examples."""

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score, f1_score

from toolkit.analyses.coefficients import (
    alpha_columns,
    alpha_interval,
    confusion_columns,
    kappa,
    macro_f1,
    mean_of,
)

RATINGS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40)


def total(columns):
    return columns.sum(axis=0, keepdims=True)


def table(pairs):
    a, b = (np.array(side) for side in zip(*pairs, strict=True))
    values, codes = np.unique(np.concatenate([a, b]), return_inverse=True)
    n = len(a)
    cells = confusion_columns(codes[:n], codes[n:], len(values))
    return a, b, values.astype(float), total(cells)


@given(RATINGS)
@settings(max_examples=60)
def test_kappa_is_scikit_learn_s(pairs):
    a, b, values, sums = table(pairs)
    for ours, theirs in (("none", None), ("linear", "linear"), ("quadratic", "quadratic")):
        found = kappa(sums, values, ours)[0]
        # It weighs by the place of a value; ours weighs by the value itself.
        if theirs and list(values) != list(range(int(values[0]), int(values[-1]) + 1)):
            continue
        if len(values) == 1:
            assert np.isnan(found)
            continue
        wanted = cohen_kappa_score(a, b, weights=theirs)
        assert found == pytest.approx(wanted, nan_ok=True)


@given(RATINGS)
@settings(max_examples=60)
def test_macro_f1_is_scikit_learn_s_and_symmetric(pairs):
    a, b, values, sums = table(pairs)
    k = len(values)
    found = macro_f1(sums, k)[0]
    assert found == pytest.approx(f1_score(a, b, average="macro", zero_division=0))
    turned = total(sums).reshape(k, k).T.reshape(1, -1)
    assert macro_f1(turned, k)[0] == pytest.approx(found)


@given(
    st.lists(
        st.tuples(st.floats(-50, 50, width=32), st.floats(-50, 50, width=32)),
        min_size=2,
        max_size=30,
    )
)
@settings(max_examples=60)
def test_alpha_is_krippendorff_s(pairs):
    a, b = (np.array(side, float) for side in zip(*pairs, strict=True))
    found = alpha_interval(total(alpha_columns(a, b)))[0]
    pooled = np.concatenate([a, b])
    if pooled.std() < 1e-3:
        return
    wanted = krippendorff.alpha(reliability_data=np.array([a, b]), level_of_measurement="interval")
    assert found == pytest.approx(wanted, abs=1e-6)


def test_ninety_per_cent_agreement_can_be_a_kappa_below_zero():
    pairs = [(1, 1)] * 90 + [(1, 0)] * 5 + [(0, 1)] * 5
    _, _, values, sums = table(pairs)
    assert kappa(sums, values)[0] == pytest.approx(-0.0526, abs=1e-4)


def test_two_annotators_of_the_attribution_paper():
    a = np.array([5, 5, 4, 5, 3, 5, 4, 5])
    b = np.array([5, 4, 4, 5, 5, 5, 4, 5])
    ones = np.ones(8)
    assert mean_of(total(np.column_stack([a == b, ones]).astype(float)))[0] == 0.75
    assert mean_of(total(np.column_stack([abs(a - b) <= 1, ones]).astype(float)))[0] == 0.875
    assert mean_of(total(np.column_stack([abs(a - b), ones])))[0] == 0.375


def test_without_variation_there_is_no_value():
    a = np.full(5, 3.0)
    assert np.isnan(alpha_interval(total(alpha_columns(a, a)))[0])
    _, _, values, sums = table([(1, 1)] * 5)
    assert np.isnan(kappa(sums, values)[0])
    assert macro_f1(sums, 1)[0] == 1.0
