"""Lengths of texts: against pandas and scipy."""

import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats

from toolkit.analyses.base import AnalysisInputs
from toolkit.analyses.text_statistics import TextStatistics, TextStatisticsParams
from toolkit.errors import UserError
from toolkit.figures.draw import draw
from toolkit.sentences import n_words

_TEXTS = [
    "one two three",
    "one two",
    None,
    " ",
    "one",
    "The risk fell. It rose again.",
    "one two",
    "x",
]
_KINDS = ["p", "q", "p", "q", None, "p", "q", "p"]


def run(texts=_TEXTS, kinds=_KINDS, reverse=False, **params):
    table = pa.table({"item_id": [str(n) for n in range(len(texts))], "text": texts, "kind": kinds})
    tables = [table.slice(0, 3), table.slice(3)]
    analysis = TextStatistics(TextStatisticsParams(**{"columns": ("text",), **params}))
    return analysis.run(
        AnalysisInputs(scores=(), definitions=(), seed=1, items=tables[::-1] if reverse else tables)
    )[0]


def test_statistics_agree_with_pandas():
    found = run(by="kind", units=("words", "sentences"))
    lengths = pd.DataFrame(
        [
            (kind, n_words(text))
            for text, kind in zip(_TEXTS, _KINDS, strict=True)
            if text and text.strip()
        ],
        columns=["kind", "n"],
    )
    for group, own in (
        ("p", lengths[lengths.kind == "p"]),
        ("q", lengths[lengths.kind == "q"]),
        ("all items", lengths),
    ):
        (row,) = [r for r in found.rows if r["group"] == group and r["unit"] == "words"]
        assert row["n"] == len(own)
        assert row["mean"] == pytest.approx(own.n.mean())
        assert row["sd"] == pytest.approx(own.n.std())
        assert row["median"] == own.n.median()
        assert (row["smallest"], row["largest"]) == (own.n.min(), own.n.max())
        assert row["quartile_1"] == own.n.quantile(0.25)
        if own.n.std():
            low, high = stats.t.interval(0.95, len(own) - 1, own.n.mean(), stats.sem(own.n))
            assert (row["mean_low"], row["mean_high"]) == pytest.approx((low, high))
    missing = {row["group"]: row["n_missing"] for row in found.rows if row["unit"] == "words"}
    assert missing == {"p": 1, "q": 1, "all items": 2}
    assert max(row["largest"] for row in found.rows if row["unit"] == "sentences") == 2


def test_a_whole_corpus_has_no_intervals():
    found = run(of="corpus")
    assert found.rows[0]["mean_low"] is None
    assert "without intervals" in found.notes[0]
    assert TextStatistics(TextStatisticsParams(columns=("text",), of="corpus")).reads_corpus
    assert not TextStatistics(TextStatisticsParams(columns=("text",))).reads_corpus


def test_the_order_of_shards_changes_nothing():
    assert run(by="kind") == run(by="kind", reverse=True)


def test_a_group_called_like_all_items_stays_apart():
    rows = run(["a", "b c"], ["all items", "x"], by="kind").rows
    assert {row["group"]: row["n"] for row in rows} == {"'all items'": 1, "x": 1, "all items": 2}


def test_a_group_without_texts_has_a_line():
    rows = run(["a b", None], ["x", "y"], by="kind").rows
    (row,) = [row for row in rows if row["group"] == "y"]
    assert (row["n"], row["n_missing"]) == (0, 1)
    assert row.get("mean") is None


def test_figure_and_refusals():
    assert draw(run(by="kind").figures[0]).svg
    assert run([None], ["x"]).figures == ()
    with pytest.raises(UserError, match="holds no texts"):
        run([1, 2], ["x", "y"])
    with pytest.raises(UserError, match="no column 'nothing'"):
        run(columns=("nothing",))
