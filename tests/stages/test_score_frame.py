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
    with pytest.raises(UserError, match="metric 'bad' returned str, on row 0"):

        def bad(prediction, reference):
            return "high"

        toolkit.score(ROWS, metrics=[bad])


def test_unknown_and_unbuilt_metrics_are_refused():
    for name in ("rogue", "compliance"):
        with pytest.raises(UserError, match=f"no metric called '{name}'"):
            toolkit.score(ROWS, metrics=[name])


def test_two_scores_of_one_name_are_refused():
    with pytest.raises(UserError, match="two metrics give a score called 'half'"):
        toolkit.score(ROWS, metrics=[half, half])


def test_nothing_is_scored_quietly():
    assert toolkit.score([], metrics=["rouge"]) == []


KINDS = {"rows": list, "arrow": pa.Table.from_pylist, "frame": pd.DataFrame}


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_a_column_is_never_replaced(kind):
    rows = [{**row, "half": "mine", "rouge2": 7} for row in ROWS]
    with pytest.raises(UserError, match="place of columns of the table: 'half', 'rouge2'"):
        toolkit.score(kind(rows), metrics=[half, "word_ratio", "rouge"])
    scored = toolkit.score(kind(rows), metrics=["word_ratio"])
    values = scored["half"] if hasattr(scored, "columns") else [row["half"] for row in scored]
    assert [str(value) for value in values] == ["mine"] * 3


def test_unknown_profiles_are_refused_by_name():
    with pytest.raises(UserError, match="'rouge' has no profile 'paperx'") as caught:
        toolkit.score(ROWS, metrics=["rouge"], profile="paperx")
    assert caught.value.hint == "profiles: default, paper"
    paper = toolkit.score(pd.DataFrame(ROWS), metrics=["rouge"], profile="paper")
    assert "profile:paper" in paper.attrs["signatures"]["rouge1"]


def test_a_function_that_fails_is_named_with_its_row():
    def brittle(prediction, reference):
        return 1 / (len(prediction) - 3)

    with pytest.raises(UserError) as caught:
        toolkit.score(ROWS, metrics=[brittle])
    # Row 1 has no prediction and is not scored, so the function sees row 2 as its second.
    assert caught.value.message.startswith("metric 'brittle' raised ZeroDivisionError: division")
    assert "(test_score_frame.py:" in caught.value.message
    assert caught.value.message.endswith(", on row 2")
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_metric_that_reads_the_input_finds_it():
    rows = [
        {"output": "Cured: 12%.", "input": "12.3% were cured.", "abstract": "9% were cured."},
        {"output": "Cured: 40%.", "input": "12.3% were cured.", "abstract": None},
    ]
    named = ["numeric_support"]
    assert [row["numeric_support"] for row in toolkit.score(rows, metrics=named)] == [1.0, 0.0]
    other = toolkit.score(rows, metrics=named, input="abstract")
    assert [row["numeric_support"] for row in other] == [0.0, None]
    frame = toolkit.score(pd.DataFrame(rows), metrics=named)
    assert list(frame["numeric_support"]) == [1.0, 0.0]
    table = toolkit.score(pa.Table.from_pylist(rows), metrics=named)
    assert table["numeric_support"].to_pylist() == [1.0, 0.0]
    with pytest.raises(UserError, match="no column 'nothing'"):
        toolkit.score(rows, metrics=named, input="nothing")


def test_a_table_without_inputs_says_so_by_missing_scores():
    rows = [{"output": "12%", "reference": "12%"}]
    assert toolkit.score(rows, metrics=["numeric_support"])[0]["numeric_support"] is None


def test_references_are_needed_only_where_a_metric_reads_them():
    rows = [{"output": "12%", "input": "12%"}]
    assert toolkit.score(rows, metrics=["numeric_support"])[0]["numeric_support"] == 1.0
    with pytest.raises(UserError, match="no column 'reference'"):
        toolkit.score(rows, metrics=["numeric_support", "rouge"])
