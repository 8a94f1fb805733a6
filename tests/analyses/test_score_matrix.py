"""One number for each item and competitor, whatever the order of the rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.analyses.score_matrix import ScoreMatrices
from toolkit.records import to_arrow


def table(rows):
    return to_arrow(
        "scores",
        [
            {
                "item_id": item,
                "model": model,
                "prompt": prompt,
                "repeat": repeat,
                "metric": "m",
                "score": score,
                "value": value,
                "reason": "" if value is not None else "none",
            }
            for item, model, prompt, repeat, score, value in rows
        ],
    )


ROWS = [
    ("b", "m", "A", 0, "s", 1.0),
    ("b", "m", "A", 1, "s", 2.0),
    ("a", "m", "A", 0, "s", None),
    ("a", "n", "", 0, "s", 4.0),
    ("c", "m", "B", 0, "t", 5.0),
]


def test_repeats_are_averaged_and_what_is_missing_is_nan():
    matrices = ScoreMatrices([table(ROWS)])
    matrix = matrices.matrix("s")
    assert matrix.items == ("a", "b", "c")
    assert matrix.systems == (("m", "A"), ("n", ""))
    expected = [[np.nan, 4.0], [1.5, np.nan], [np.nan, np.nan]]
    np.testing.assert_array_equal(matrix.values, expected)
    assert matrices.missing("s", ("m", "A")) == 1
    assert matrices.scores() == ["s", "t"]
    assert matrices.scores(["t", "unknown"]) == ["t"]


def test_prompts_can_be_pooled():
    rows = [("a", "m", "A", 0, "s", 1.0), ("a", "m", "B", 0, "s", 3.0)]
    matrix = ScoreMatrices([table(rows)], pool_prompts=True).matrix("s")
    assert matrix.systems == (("m", ""),)
    assert matrix.column(("m", "")).tolist() == [2.0]
    with pytest.raises(KeyError):
        matrix.column(("m", "A"))


def test_a_score_that_nothing_has_is_an_empty_matrix():
    matrix = ScoreMatrices([table(ROWS)]).matrix("other")
    assert matrix.values.shape == (3, 0)


@given(st.permutations(range(len(ROWS))), st.integers(1, 4))
def test_order_and_shards_make_no_difference(order, size):
    rows = [ROWS[index] for index in order]
    parts = [table(rows[at : at + size]) for at in range(0, len(rows), size)]
    one, other = ScoreMatrices([table(ROWS)]), ScoreMatrices(iter(parts))
    for score in ("s", "t"):
        assert one.matrix(score).items == other.matrix(score).items
        assert one.matrix(score).systems == other.matrix(score).systems
        np.testing.assert_array_equal(one.matrix(score).values, other.matrix(score).values)


def test_the_last_bit_does_not_depend_on_the_order_of_repeats():
    values = [0.1, 0.2, 0.3, 1e16, -1e16]
    rows = [("a", "m", "", repeat, "s", value) for repeat, value in enumerate(values)]
    forward = ScoreMatrices([table(rows)]).matrix("s").values
    backward = ScoreMatrices([table(rows[::-1])]).matrix("s").values
    assert forward.tobytes() == backward.tobytes()
