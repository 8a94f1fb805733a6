"""Scores by the sentences of a column: against pandas and scipy."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.analyses.items import frame, inputs, world
from toolkit.analyses.score_by_count import ScoreByCount, ScoreByCountParams, count_bins
from toolkit.errors import UserError
from toolkit.figures.draw import draw


def run(values, table, columns=("conclusion", "journal"), **params):
    analysis = ScoreByCount(
        ScoreByCountParams(**{"scores": ("s",), "count": "sentences", **params})
    )
    return analysis.run(inputs(values, table, columns=columns))


def test_means_and_trends_agree_with_pandas_and_scipy():
    values, table = world()
    means, trends = run(values, table, minimum=5)
    counts = pd.Series({row["item_id"]: row["conclusion"].count("It was so.") for row in table})
    for model in ("m1", "m2"):
        own = frame(values, "s").query("model == @model and prompt == 'A'").set_index("item_id")
        both = own.assign(count=counts)
        expected = both.groupby("count")["value"].agg(["mean", "size", "sem"])
        rows = [r for r in means.rows if (r["model"], r["prompt"]) == (model.upper(), "A")]
        assert [(r["from"], r["to"]) for r in rows] == [(n, n) for n in (1, 2, 3, 4)]
        assert [r["mean"] for r in rows] == pytest.approx(list(expected["mean"]))
        assert [r["n"] for r in rows] == list(expected["size"])
        half = stats.t.ppf(0.975, expected["size"] - 1) * expected["sem"]
        assert [r["mean_high"] for r in rows] == pytest.approx(list(expected["mean"] + half))
        (trend,) = [r for r in trends.rows if (r["model"], r["prompt"]) == (model.upper(), "A")]
        result = stats.spearmanr(both["count"], both["value"])
        assert trend["spearman"] == pytest.approx(result.statistic)
        assert trend["p"] == pytest.approx(result.pvalue)
        assert trend["n"] == len(both)
    assert draw(means.figures[0]).svg


@given(st.lists(st.integers(0, 12), max_size=60), st.integers(1, 20))
def test_bins_hold_every_count_once_and_enough_items(counts, minimum):
    bins = count_bins(np.array([*counts, np.nan], float), minimum)
    held = [sum(low <= count <= high for count in counts) for low, high in bins]
    assert sum(held) == len(counts)
    assert all(n >= minimum for n in held) or len(bins) == 1
    assert all(a[1] < b[0] for a, b in pairwise(bins))


def test_only_sentences_are_counted_so_far():
    values, table = world()
    with pytest.raises(UserError, match="counts of citations are not built yet"):
        run(values, table, count="citations")


def test_columns_are_checked():
    values, table = world()
    with pytest.raises(UserError, match="no column 'abstract'"):
        run(values, table, column="abstract")
    with pytest.raises(UserError, match="holds no texts"):
        run(values, table, columns=("year",), column="year")


def test_clusters_change_intervals_and_prompts_may_be_chosen():
    values, table = world()
    free = run(values, table, minimum=5, prompts=("A",))[0].rows
    clustered = run(values, table, minimum=5, prompts=("A",), cluster="journal")[0].rows
    assert {row["prompt"] for row in free} == {"A"}
    assert [row["mean"] for row in free] == [row["mean"] for row in clustered]
    assert [row["mean_low"] for row in free] != [row["mean_low"] for row in clustered]
