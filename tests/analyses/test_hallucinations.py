"""Flagged answers and the types of what they made up."""

import numpy as np
import pytest
from scipy import stats

from tests.analyses import edited
from tests.analyses.run_analysis import definition, run
from toolkit.analyses.base import JudgeFacts, ModelFacts
from toolkit.analyses.hallucinations import HallucinationsParams
from toolkit.errors import UserError
from toolkit.recipe.params import path_values
from toolkit.registry import member
from toolkit.statistics.intervals import wilson

TYPES = ("recommendation", "reasoning", "qualifier", "detail", "descriptor", "location",
         "pathology", "anatomy")  # fmt: skip
COUNTS = (45, 15, 12, 11, 9, 6, 2, 0)
COLUMNS = {"main": "h", "ann": "ann.h", "bob": "bob.h"}
JUDGES = {name: JudgeFacts(name, "llm", None, {"h": column}) for name, column in COLUMNS.items()}
DEFINITIONS = tuple(definition(column, direction="lower") for column in COLUMNS.values())
PARAMS = {"judges": ("main", "ann", "bob"), "score": "h", "types": TYPES}


def tables(flags, params=None, *, definitions=DEFINITIONS, judges=JUDGES, **more):
    """Run on flags by item, a letter a judge: ``1``, ``0``, ``-`` for none, ``h`` for half."""
    value = {"1": 1.0, "0": 0.0, "-": None, "h": 0.5, "m": 2 / 3}
    scores = {
        column: {(item, "m", "A", 0): value[said[at]] for item, said in flags.items()}
        for at, column in enumerate(COLUMNS.values())
    }
    return run(
        "hallucinations", PARAMS | (params or {}), scores, judges=judges, definitions=definitions,
        **({"items": [{"item_id": item} for item in flags]} | more),
    )  # fmt: skip


def typed(path, rows, head="item_id,model,prompt,type,quote"):
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return str(path)


def test_two_of_three_must_flag() -> None:
    found = tables({"a": "110", "b": "100", "c": "1-1", "d": "111", "e": "-1-", "f": "hhm"})
    rows = found["hallucinations"].rows
    assert [(row["item_id"], row["flags"], row["rated"], row["flagged_by"]) for row in rows] == [
        ("a", 2, 3, "main, ann"), ("c", 2, 2, "main, bob"), ("d", 3, 3, "main, ann, bob"),
    ]  # fmt: skip
    assert "3 of 6 answers" in found["hallucinations"].notes[1]


def test_how_many_flag_how_many_answers() -> None:
    found = tables({"a": "110", "b": "100", "c": "1-1", "d": "111", "e": "-1-", "f": "000"})
    rows = found["hallucination_flags"].rows
    assert [(row["flags"], row["answers"], row["rated_by_all"], row["n"]) for row in rows] == [
        (0, 1, 1, 4), (1, 2, 1, 4), (2, 2, 1, 4), (3, 1, 1, 4),
    ]  # fmt: skip
    assert (rows[0]["share_low"], rows[0]["share_high"]) == pytest.approx(wilson(1, 4))


def test_without_typed_items_a_sentence_says_what_to_make() -> None:
    table = tables({"a": "110"})["hallucination_types"]
    assert table.rows == []
    (note,) = table.notes
    assert "item_id, model, prompt and type" in note
    assert "hallucinations.typed" in note


def test_the_papers_hundred_items_in_sixty_six_answers(tmp_path) -> None:
    flags = {f"i{at:02d}": "110" for at in range(66)} | {"other": "000"}
    # Answer by answer, so that every answer has one item and some two.
    listed = [name for name, count in zip(TYPES, COUNTS, strict=True) for _ in range(count)]
    rows = [f"i{at % 66:02d},m,A,{name}," for at, name in enumerate(listed)]
    params = {"typed": typed(tmp_path / "t.csv", rows)}
    total, *lines = tables(flags, params)["hallucination_types"].rows
    assert tuple(row["items"] for row in lines) == COUNTS
    assert [row["type"] for row in lines] == list(TYPES)
    assert (total["items"], total["answers"], total["n"]) == (100, 66, 66)
    assert total["per_answer"] == pytest.approx(1.515, abs=5e-4)
    counts = np.bincount([at % 66 for at in range(100)])
    interval = stats.ttest_1samp(counts, 0).confidence_interval()
    assert (total["per_answer_low"], total["per_answer_high"]) == pytest.approx(tuple(interval))
    assert (lines[0]["share"], lines[0]["answers"]) == (pytest.approx(45 / 66), 45)
    assert (lines[0]["share_low"], lines[0]["share_high"]) == pytest.approx(wilson(45, 66))
    assert (lines[-1]["share_low"], lines[-1]["share_high"]) == (0, pytest.approx(0.055, abs=5e-5))


def test_two_items_of_a_type_are_one_answer_and_an_answer_may_have_none(tmp_path) -> None:
    # Titles stand in the table that people work from; the recipe's name is good, too.
    rows = ["a,Model M,A,detail,x", 'a,m,A,detail,"said, twice"']
    models = {"m": ModelFacts(name="m", title="Model M")}
    found = tables(
        {"a": "110", "b": "111"}, {"typed": typed(tmp_path / "t.csv", rows)}, models=models
    )["hallucination_types"]
    (detail,) = [row for row in found.rows if row["type"] == "detail"]
    assert (detail["items"], detail["answers"], detail["per_answer"]) == (2, 1, 1.0)
    assert "1 of these have none" in found.notes[1]


def test_faulty_rows_are_named_all_at_once(tmp_path) -> None:
    rows = ["a,m,A,detail,", "b,m,A,detail,", "a,m,A,nonsense,", "zz,m,A,oops,", "a,n,A,detail,"]
    with pytest.raises(UserError) as caught:
        tables({"a": "110", "b": "100"}, {"typed": typed(tmp_path / "t.csv", rows)})
    lines = caught.value.message.splitlines()
    assert [line.partition("t.csv:")[2] for line in lines] == [
        "3: 'b m A' is no flagged answer",
        "4: 'nonsense' is no listed type",
        "5: 'zz m A' is no flagged answer",
        "5: 'oops' is no listed type",
        "6: 'a n A' is no flagged answer",
    ]
    assert "recommendation" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"item_id,model,type\n", "no column prompt"),
        (b"\xff\xfe\n", "cannot be read"),
        (None, "cannot be read"),
        (b"item_id,model,prompt,type,repeat\na,m,A,detail,x\n", "repeat x is no flagged answer"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(tmp_path, text, words) -> None:
    file = tmp_path / "t.csv"
    if text is not None:
        file.write_bytes(text)
    with pytest.raises(UserError, match=words):
        tables({"a": "110"}, {"typed": str(file)})


def test_a_score_that_is_best_when_high_flags_nothing() -> None:
    odd = (definition("h"), *DEFINITIONS[1:])
    judges = JUDGES | {"bob": JudgeFacts("bob", "human", None, {"other": "bob.h"})}
    with pytest.raises(UserError) as caught:
        tables({"a": "110"}, definitions=odd, judges=judges)
    assert "'h' of 'main' is best when high" in caught.value.message
    assert "the judge 'bob' gives no score 'h'" in caught.value.message


@pytest.mark.parametrize(
    "wrong",
    [{"judges": ("main", "main")}, {"at_least": 4}, {"types": ()}, {"types": ("x", "x")}],
)
def test_parameters_that_make_no_sense_are_refused(wrong) -> None:
    with pytest.raises(UserError, match="hallucinations"):
        member("analyses", "hallucinations")(HallucinationsParams(**(PARAMS | wrong)))


def test_the_file_is_a_path_of_the_recipe() -> None:
    assert list(path_values(HallucinationsParams, {"typed": "t.csv"})) == [(("typed",), "t.csv")]


def test_levels_stand_beside_and_the_order_of_rows_changes_nothing() -> None:
    rows = edited.items(["L1"], ["a", "b"])
    flags = {row["item_id"]: "110" if row["original_id"] == "a" else "000" for row in rows}
    found = tables(flags, items=rows)
    assert [row["level"] for row in found["hallucinations"].rows] == ["unedited", "L1"]
    assert found == tables(flags, items=rows, order=-1)
    for table in found.values():
        assert set().union(*table.rows, set()) <= {column.name for column in table.columns}
