"""Scores with and without items that are taken down."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.regression.linear_model import OLS

from toolkit.publish.effects import Effect, MeanOf, _means, effect_lines
from toolkit.results.items import ItemScores

VALUES = np.array([0.1, 0.4, 0.2, np.nan, 0.9, 0.5])
GONE = np.array([False, True, False, True, False, False])
FREE = (None, None)


def scores(clusters=()):
    return ItemScores(tuple("abcdef"), ("rouge1",), VALUES[:, None], clusters)


def test_independent_items_have_students_interval():
    before, after = _means(scores(), VALUES, GONE, FREE)
    known, left = VALUES[~np.isnan(VALUES)], VALUES[~GONE]
    for found, values in ((before, known), (after, left)):
        assert found.n == len(values)
        assert found.value == pytest.approx(values.mean())
        wanted = stats.t.interval(0.95, len(values) - 1, loc=values.mean(), scale=stats.sem(values))
        assert found.interval == pytest.approx(wanted)


def test_an_interval_ends_with_the_scale():
    before, _ = _means(scores(), VALUES, GONE, (0.3, 0.6))
    assert before.interval == (0.3, 0.6)


def test_items_of_a_cluster_count_together():
    before, _ = _means(scores(("x", "x", "y", "y", "z", "")), VALUES, GONE, FREE)
    known = ~np.isnan(VALUES)
    groups = np.array([0, 0, 1, 1, 2, 3])[known]
    fit = OLS(VALUES[known], np.ones(known.sum())).fit()
    robust = fit.get_robustcov_results("cluster", groups=groups, df_correction=True)
    # statsmodels multiplies by (n - 1) / (n - 1) here, and by G / (G - 1) as we do.
    low, high = before.interval
    assert (low + high) / 2 == pytest.approx(VALUES[known].mean())
    wide = (high - low) / 2 / robust.bse[0]
    # Fewer degrees of freedom than clusters - 1, for their sizes differ.
    assert wide >= stats.t.ppf(0.975, 3)


def test_what_has_no_value_says_so():
    _, after = _means(scores(), VALUES, np.ones(6, dtype=bool), FREE)
    assert after == MeanOf(None, None, 0)
    effect = Effect(
        version="1.0",
        model="m\x1b[0m",
        prompt="A",
        score="ROUGE-1",
        digits=3,
        before=MeanOf(0.5, (0.4, 0.6), 5),
        after=after,
    )
    (line,) = effect_lines([effect])
    assert "ROUGE-1: 0.500 [0.400, 0.600] (n 5) -> no value (n 0)" in line
    assert "\x1b" not in line
