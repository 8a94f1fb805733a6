"""The rows behind the numbers, safe inside a script element."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.report.board import make_board
from toolkit.report.inputs import Evidence, EvidenceRow
from toolkit.report.rows import TEXT_SHOWN, evidence_json, script_json


@given(st.recursive(st.text() | st.none(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)))
def test_json_in_a_script_opens_and_ends_nothing(content) -> None:
    text = script_json(content)
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == content


def test_a_value_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        script_json([float("nan")])


def test_lines_follow_the_board_and_items_stand_once(inputs) -> None:
    board = make_board(inputs)
    content = json.loads(evidence_json(board, inputs.evidence))
    assert len(content["lines"]) == len(board.lines) == 9
    assert len(content["items"]) == 15
    lost = content["lines"][[x.prompt for x in board.lines].index("B", 2)]["rows"][3]
    assert (lost["answer"], lost["values"]) == (None, [None] * 7)
    assert lost["missing"]["rouge1"] == "no answer"


def test_a_line_without_evidence_is_null(inputs) -> None:
    board = make_board(inputs)
    assert json.loads(evidence_json(board, inputs.evidence[:1]))["lines"].count(None) == 8


def big(rows: int, characters: int) -> list[EvidenceRow]:
    return [
        EvidenceRow(
            item_id=str(row),
            input="i" * characters,
            reference="r" * characters,
            answer="a" * characters,
            status="ok",
            scores={"rouge1": 0.5},
        )
        for row in range(rows)
    ]


def test_at_most_20_rows_a_line_and_the_total_is_kept(inputs) -> None:
    board = make_board(inputs)
    part = Evidence(model="gpt-small", prompt="A", total=30_000, rows=big(250, 10))
    (line,) = [x for x in json.loads(evidence_json(board, [part]))["lines"] if x]
    assert (len(line["rows"]), line["total"]) == (20, 30_000)


def test_long_texts_are_cut_and_the_cut_is_told(inputs) -> None:
    part = Evidence(model="gpt-small", prompt="A", total=1, rows=big(1, 5000))
    content = json.loads(evidence_json(make_board(inputs), [part]))
    assert content["limit"] == TEXT_SHOWN
    assert content["items"][0][3] == "r" * 4000 + " [… 1,000 more characters]"


def test_the_whole_stays_small(inputs) -> None:
    board = make_board(inputs)
    evidence = [
        Evidence(model=line.model, prompt=line.prompt, total=200, rows=big(200, 4000))
        for line in board.lines
    ]
    text = evidence_json(board, evidence)
    assert len(text) < 700_000
    assert json.loads(text)["limit"] < TEXT_SHOWN


def test_many_lines_show_fewer_rows_of_the_same_total(inputs) -> None:
    rows = [
        inputs.leaderboard[0] | {"model": f"m{index:02}", "kind": "model"} for index in range(60)
    ]
    board = make_board(replace(inputs, leaderboard=rows))
    evidence = [
        Evidence(model=line.model, prompt=line.prompt, total=200, rows=big(200, 4000))
        for line in board.lines
    ]
    text = evidence_json(board, evidence)
    assert len(text) < 700_000
    first = json.loads(text)["lines"][0]
    assert (len(first["rows"]) < 20, first["total"]) == (True, 200)


def test_one_item_in_two_forms_keeps_both(inputs) -> None:
    rows = big(1, 10)
    evidence = [
        Evidence(model="gpt-small", prompt="A", total=1, rows=rows),
        Evidence(model="gpt-small", prompt="B", total=1, rows=[replace(rows[0], input="other")]),
    ]
    assert len(json.loads(evidence_json(make_board(inputs), evidence))["items"]) == 2
