"""Scores of items: ids and numbers, in one order, back as they were."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_world import items

from toolkit.errors import UserError
from toolkit.results.items import ItemScores, items_text, read_items

ids = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
values = st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False))


@given(st.dictionaries(ids, st.tuples(values, values), max_size=6))
def test_what_is_written_is_read(rows):
    names = tuple(sorted(rows))
    table = np.array([[np.nan if v is None else v for v in rows[n]] for n in names], float)
    scores = ItemScores(names, ("a", "b"), table.reshape(len(names), 2))
    again = read_items(items_text(scores), "here")
    assert again.items == scores.items
    if names:
        assert again.scores == scores.scores
        np.testing.assert_array_equal(again.values, scores.values)


def test_clusters_are_kept_and_an_item_alone_has_none():
    scores = items({"a": [1.0, None, 3.0]}, ("0" * 16, "", "0" * 16))
    again = read_items(items_text(scores), "here")
    assert again.clusters == scores.clusters
    assert np.isnan(again.column("a")[1])
    assert again.column("b") is None


def test_every_faulty_line_is_named_at_once():
    lines = [
        '{"id":"b","scores":{"x":1}}',
        '{"id":"a","scores":{"x":1}}',
        '{"id":"c","scores":{"x":NaN}}',
        '{"id":"d","scores":{"y":1}}',
        '{"id":"e","scores":{"x":true}}',
        '{"id":"f","scores":{"x":1},"text":"a secret abstract"}',
        '{"id":"g","scores":{"x":1},"cluster":"Journal of Names"}',
        "half a li",
    ]
    with pytest.raises(UserError) as caught:
        read_items("\n".join(lines) + "\n", "here")
    for line in range(2, 9):
        assert f"line {line}:" in caught.value.message
    assert "line 1:" not in caught.value.message


def test_unsorted_scores_are_not_written():
    with pytest.raises(ValueError, match="sorted"):
        items_text(ItemScores(("b", "a"), ("x",), np.zeros((2, 1))))
