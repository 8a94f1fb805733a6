import math

import pandas as pd
import pyarrow as pa
import pytest

import toolkit
from toolkit.errors import UserError

ROWS = [
    {"id": 1, "prediction": "the cat sat", "reference": "the cat sat down"},
    {"id": 2, "prediction": None, "reference": "x"},
    {"id": 3, "prediction": "x y", "reference": "x"},
]


def half(prediction, reference):
    return None if prediction == "x y" else 0.5


def test_a_frame_comes_back_with_a_column_for_each_score():
    frame = pd.DataFrame(ROWS)
    scored = toolkit.score(frame, metrics=["word_ratio", half])
    assert list(scored["id"]) == [1, 2, 3]
    assert list(scored.columns) == ["id", "prediction", "reference", "word_ratio", "half"]
    assert scored["word_ratio"][0] == 0.75
    assert math.isnan(scored["word_ratio"][1])
    assert math.isnan(scored["half"][2])
    assert "word_ratio" in scored.attrs["signatures"]["word_ratio"]
    assert list(frame.columns) == ["id", "prediction", "reference"]


def test_lists_and_arrow_tables_keep_their_kind():
    rows = toolkit.score(ROWS, metrics=["word_ratio"])
    assert [row["word_ratio"] for row in rows] == [0.75, None, 2.0]
    table = toolkit.score(pa.Table.from_pylist(ROWS), metrics=["word_ratio"])
    assert table["word_ratio"].to_pylist() == [0.75, None, 2.0]


def test_other_names_of_columns():
    rows = [{"output": "a b", "gold": "a b"}]
    assert toolkit.score(rows, metrics=["rouge"], reference="gold")[0]["rougeL"] == 1.0
    with pytest.raises(UserError, match="no column 'nothing'"):
        toolkit.score(rows, metrics=["rouge"], reference="nothing")


def test_a_function_that_returns_no_number_is_named():
    with pytest.raises(UserError, match="metric 'bad' returned str"):

        def bad(prediction, reference):
            return "high"

        toolkit.score(ROWS, metrics=[bad])


def test_unknown_and_unbuilt_metrics_are_refused():
    for name in ("rogue", "perplexity"):
        with pytest.raises(UserError, match=f"no metric called '{name}'"):
            toolkit.score(ROWS, metrics=[name])


def test_two_scores_of_one_name_are_refused():
    with pytest.raises(UserError, match="two metrics give a score called 'half'"):
        toolkit.score(ROWS, metrics=[half, half])


def test_nothing_is_scored_quietly():
    assert toolkit.score([], metrics=["rouge"]) == []
