from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from toolkit.statistics.label_permutation import label_permutations


def p_values(values, first, n=4000, seed=1):
    return label_permutations(
        np.asarray(values, float), np.asarray(first, bool), np.random.default_rng(seed),
        permutations=n,
    )  # fmt: skip


def test_p_values_agree_with_scipy_for_each_column():
    rng = np.random.default_rng(2)
    first = np.arange(60) < 25
    values = rng.normal(size=(60, 3))
    values[first, 1] += 0.6
    values[[3, 40, 41], 2] = np.nan
    found = p_values(values, first)
    for at, p in enumerate(found):
        parts = [values[half, at] for half in (first, ~first)]
        expected = stats.permutation_test(
            [part[np.isfinite(part)] for part in parts],
            lambda a, b, axis: a.mean(axis=axis) - b.mean(axis=axis),
            vectorized=True, n_resamples=4000, rng=3,
        ).pvalue  # fmt: skip
        assert p == pytest.approx(expected, abs=0.03)


def test_a_small_column_by_brute_force():
    values = np.array([3.0, 5.0, 9.0, 1.0, 2.0, 2.0, 4.0])
    seen = abs(values[:3].mean() - values[3:].mean())
    apart = []
    for chosen in combinations(range(7), 3):
        inside = np.isin(np.arange(7), chosen)
        apart.append(abs(values[inside].mean() - values[~inside].mean()))
    exact = np.mean(np.array(apart) >= seen - 1e-9)
    (p,) = p_values(values[:, None], np.arange(7) < 3, n=20_000)
    assert p == pytest.approx(exact, abs=0.015)


def test_what_cannot_be_tested_and_what_does_not_vary():
    values = np.array([[1.0, np.nan, 2.0], [2.0, 1.0, 2.0], [3.0, 5.0, 2.0], [0.0, 1.0, 2.0]])
    assert p_values(values, [True, True, False, False])[1:] == [None, 1.0]
    assert p_values(values, [True, True, True, True]) == [None, None, None]


def test_a_constant_added_to_large_numbers_changes_nothing():
    values = np.random.default_rng(4).normal(size=(40, 1))
    first = np.arange(40) % 3 == 0
    assert p_values(values, first) == p_values(values + 1e6, first)


def test_true_hypotheses_are_rejected_as_often_as_the_level_says():
    rng = np.random.default_rng(5)
    values = rng.exponential(size=(50, 1500))
    found = p_values(values, np.arange(50) < 15, n=1000)
    # 1,500 columns share one set of permutations; 3.6 to 6.5 % holds 99 % of such counts.
    assert 0.036 <= np.mean(np.array(found) <= 0.05) <= 0.065


def test_values_that_lack_in_one_half_more_than_in_the_other_make_no_findings():
    rng = np.random.default_rng(6)
    values = rng.normal(size=(60, 400))
    values[4:30] = np.nan
    # Every column lacks its own row too.
    values[30 + rng.integers(0, 30, 400), np.arange(400)] = np.nan
    found = p_values(values, np.arange(60) < 30, n=199)
    # 400 tests at 5 % reject 2.25 to 8 % with probability 0.99.
    assert 0.0225 <= np.mean(np.array(found) <= 0.05) <= 0.08


def test_a_column_changes_no_other():
    values = np.random.default_rng(7).normal(size=(40, 2))
    values[3, 1] = np.nan
    first = np.arange(40) < 15
    both = p_values(values, first, n=500)
    assert both == [*p_values(values[:, :1], first, n=500), *p_values(values[:, 1:], first, n=500)]
