"""Answers whose scores point in different directions."""

import pytest

from tests.analyses import edited
from tests.analyses.run_analysis import definition, run
from toolkit.analyses.base import JudgeFacts
from toolkit.statistics.intervals import wilson

NAMES = ("faithfulness", "sensitivity", "certainty", "hallucination")
JUDGES = {"j": JudgeFacts("j", "llm", "g", {name: name for name in NAMES})}
DEFINITIONS = (
    definition("sensitivity", low=0.0, high=2.0),
    definition("hallucination", direction="lower"),
)


def tables(answers, *, judges=JUDGES, definitions=DEFINITIONS, params=None, **more):
    """Run on scores by item, as the paper writes them: faithfulness/sensitivity/..."""
    scores = {
        name: {
            (item, "m", "A", 0): None if pattern[at] == "-" else float(pattern[at])
            for item, pattern in answers.items()
        }
        for at, name in enumerate(NAMES)
    }
    return run(
        "conflicting_scores", {"judge": "j"} | (params or {}), scores, judges=judges,
        definitions=definitions, **({"items": [{"item_id": item} for item in answers]} | more),
    )  # fmt: skip


def listed(found):
    return [row["item_id"] for row in found["conflicting_scores"].rows]


def test_the_papers_cases_conflict() -> None:
    # 1/2/1/0 is best throughout, 0/0/0/1 worst; 1/1/1/0 is best and middling.
    found = tables({"p": "1010", "q": "0210", "r": "1210", "s": "0001", "t": "1110"})
    assert set(listed(found)) == {"p", "q"}
    row = found["conflicting_scores"].rows[0]
    assert [row[f"score_{name}"] for name in NAMES] == [1, 0, 1, 0]
    assert "2 of 5 answers have scores that conflict (0.400" in found["conflicting_scores"].notes[1]


def test_the_most_divided_come_first_then_ids() -> None:
    # Two against two differ more than one against three.
    found = tables({"d": "1010", "c": "0210", "b": "1011", "a": "1001", "e": "0211"})
    assert listed(found) == ["b", "e", "a", "c", "d"]
    spreads = [row["disagreement"] for row in found["conflicting_scores"].rows]
    assert spreads == pytest.approx([0.5, 0.5] + [3**0.5 / 4] * 3)
    assert listed(tables({"d": "1010", "c": "0210"}, params={"at_most": 1})) == ["c"]


def test_every_pattern_with_its_share() -> None:
    answers = {f"i{at}": "1010" if at < 3 else "1210" for at in range(10)}
    rows = tables(answers | {"x": "1-10"})["score_patterns"].rows
    assert [(row["n"], row["of"], row["conflict"], row["score_sensitivity"]) for row in rows] == [
        (7, 10, False, 2), (3, 10, True, 0),
    ]  # fmt: skip
    assert (rows[1]["share_low"], rows[1]["share_high"]) == pytest.approx(wilson(3, 10))


def test_an_answer_that_lacks_a_score_is_counted_and_left_out() -> None:
    found = tables({"p": "10-0", "q": "1010"})
    assert listed(found) == ["q"]
    assert "1 answers lack a score" in found["conflicting_scores"].notes[1]


def test_variants_have_a_level_and_belong_to_their_original() -> None:
    rows = edited.items(["L1", "L2"], ["p", "q"])
    answers = {row["item_id"]: "1010" if row["original_id"] == "p" else "1210" for row in rows}
    found = tables(answers, items=rows)
    assert [row["level"] for row in found["conflicting_scores"].rows] == ["unedited", "L1", "L2"]
    # Two clusters of three equal answers are two answers.
    share = found["score_patterns"].rows[0]
    assert share["share_high"] - share["share_low"] > wilson(1, 2)[1] - wilson(1, 2)[0] - 1e-9


def test_scores_without_a_best_value_are_left_out_by_name() -> None:
    open_ = (*DEFINITIONS, definition("certainty", direction="none"))
    found = tables({"p": "1200", "q": "1010"}, definitions=open_)
    assert listed(found) == ["q"]
    assert any("certainty" in note for note in found["conflicting_scores"].notes)
    one = {"j": JudgeFacts("j", "llm", "g", {"faithfulness": "faithfulness"})}
    alone = tables({"p": "1010"}, judges=one)["conflicting_scores"]
    assert alone.rows == []
    assert "fewer than two" in alone.notes[-2]
    none = tables({"p": "1010"}, judges={"j": JudgeFacts("j", "llm", "g", {})})
    assert none["score_patterns"].rows == []


def test_the_order_of_rows_changes_nothing_and_columns_are_declared() -> None:
    answers = {"p": "1010", "q": "0210", "r": "1210", "s": "0-01"}
    assert tables(answers) == tables(answers, order=-1)
    for table in tables(answers).values():
        assert set().union(*table.rows) <= {column.name for column in table.columns}
