"""Shrunken means of groups."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize
from statsmodels.stats.meta_analysis import combine_effects

from toolkit.statistics.shrinkage import pooled_errors, shrunken_means

MEANS, ERRORS = [0.2, 0.5, 0.55, 0.9, 0.4], [0.05, 0.1, 0.08, 0.3, 0.06]


def test_paule_and_mandel_solve_their_equation() -> None:
    y, v = np.array(MEANS), np.array(ERRORS) ** 2

    def excess(between):
        w = 1 / (v + between)
        return (w * (y - (w * y).sum() / w.sum()) ** 2).sum() - (len(y) - 1)

    got = shrunken_means(MEANS, ERRORS)
    assert got.between == pytest.approx(optimize.brentq(excess, 0, 10), rel=1e-3)


def test_dersimonian_and_laird_by_moments() -> None:
    y, w = np.array(MEANS), 1 / np.array(ERRORS) ** 2
    q = (w * (y - (w * y).sum() / w.sum()) ** 2).sum()
    want = (q - 4) / (w.sum() - (w**2).sum() / w.sum())
    got = shrunken_means(MEANS, ERRORS, method="dersimonian_laird")
    assert got.between == pytest.approx(want)


@pytest.mark.parametrize(
    ("method", "theirs"), [("paule_mandel", "iterated"), ("dersimonian_laird", "chi2")]
)
def test_both_are_those_of_statsmodels(method, theirs) -> None:
    rng = np.random.default_rng(1)
    means, errors = rng.normal(0, 1, 15), rng.uniform(0.2, 1, 15)
    want = combine_effects(means, errors**2, method_re=theirs)
    got = shrunken_means(means.tolist(), errors.tolist(), method=method)
    assert got.between == pytest.approx(want.tau2, rel=1e-3)
    assert got.common == pytest.approx(want.mean_effect_re, rel=1e-3)


def test_equal_variances_are_morriss_formula() -> None:
    y, v = np.array([1.0, 2, 4, 7, 11, 12]), 4.0
    got = shrunken_means(y.tolist(), [2.0] * 6)
    # With equal variances the factor is that of James and Stein: (k - 3) V / S.
    factor = 3 * v / ((y - y.mean()) ** 2).sum()
    assert [g.drawn for g in got.groups] == pytest.approx([factor] * 6)
    assert [g.mean for g in got.groups] == pytest.approx(y - factor * (y - y.mean()))
    doubt = 2 / 3 * factor**2 * (y - y.mean()) ** 2
    half = 1.959964 * np.sqrt(v * (1 - factor * 5 / 6) + doubt)
    assert [(g.high - g.low) / 2 for g in got.groups] == pytest.approx(half.tolist())


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(-40, 40), st.integers(1, 20)), min_size=4, max_size=9))
def test_means_are_drawn_inwards_and_noisy_ones_most(rows) -> None:
    means, errors = ([value / 10 for value in column] for column in zip(*rows, strict=True))
    got = shrunken_means(means, errors)
    for mean, group in zip(means, got.groups, strict=True):
        low, high = sorted((mean, got.common))
        assert low - 1e-9 <= group.mean <= high + 1e-9
        assert 0 <= group.drawn <= 1
    drawn = [group.drawn for group in got.groups]
    order = np.argsort(errors)
    assert np.all(np.diff(np.array(drawn)[order]) >= -1e-9)


def test_groups_without_an_error_stay_out() -> None:
    got = shrunken_means([*MEANS, 0.7, None], [*ERRORS, 0.0, 0.1])
    assert got.groups[5:] == [None, None]
    assert got.groups[:5] == shrunken_means(MEANS, ERRORS).groups


def test_three_groups_are_too_few() -> None:
    got = shrunken_means(MEANS[:3], ERRORS[:3])
    assert got.groups == [None, None, None]
    assert got.reason == "fewer than four groups with a mean and its error"


def test_pooled_errors_are_those_of_an_analysis_of_variance() -> None:
    from statsmodels.api import OLS

    rng = np.random.default_rng(2)
    sizes = [1, 2, 5, 9]
    group = np.repeat(np.arange(4), sizes)
    values = rng.normal(size=17) + group
    parts = [values[group == at] for at in range(4)]
    own = [part.std(ddof=1) / len(part) ** 0.5 if len(part) > 1 else None for part in parts]
    fit = OLS(values, (group[:, None] == np.arange(4)).astype(float)).fit()
    assert pooled_errors(own, sizes) == pytest.approx(fit.bse.tolist())
    assert pooled_errors([None, 0.0], [1, 4]) == [None, None]


def test_intervals_of_small_groups_cover_too() -> None:
    rng = np.random.default_rng(3)
    sizes = [2, 2, 3, 3, 5, 10, 30, 60]
    held = np.zeros((300, len(sizes)))
    for row in held:
        truth = 0.3 * rng.normal(size=len(sizes))
        parts = [rng.normal(mean, 1, n) for mean, n in zip(truth, sizes, strict=True)]
        own = [part.std(ddof=1) / len(part) ** 0.5 for part in parts]
        found = shrunken_means([part.mean() for part in parts], pooled_errors(own, sizes))
        row[:] = [g.low <= m <= g.high for g, m in zip(found.groups, truth, strict=True)]
    # With each group's own error those of two values cover 74 %.
    assert held.mean() >= 0.93
    assert held[:, :4].mean() >= 0.93
