"""How often a judge's list of alterations lacks an edit."""

import json

import numpy as np
import pytest

from tests.analyses import edited
from tests.analyses.run_analysis import run
from toolkit.analyses.base import JudgeFacts
from toolkit.figures.draw import draw
from toolkit.records import to_arrow
from toolkit.statistics.intervals import clustered_wilson, wilson

JUDGES = {"j": JudgeFacts("j", "llm", "g", {"sensitivity": "sensitivity"})}
FIVE = [
    ("descriptors", "mild", "severe"), ("findings", "effusion", "mass"),
    ("location", "left", "right"), ("pathology", "adenoma", "adenocarcinoma"),
    ("descriptors", "suspicious", "benign"),
]  # fmt: skip
LISTED = ["Mild -> severe", "effusions -> masses", "adenoma → adenocarcinoma"]


def tables(replies, by_item, *, params=None, scores=None, order=1, levels=("TS", "IR")):
    return run(
        "edit_misses",
        {"judge": "j"} | (params or {}),
        scores or {},
        items=edited.items(levels),
        judgements=iter([to_arrow("judgements", replies[::order])]),
        edits=iter([edited.edits(by_item)]),
        judges=JUDGES,
        order=order,
    )


def counts(table, *by):
    return {tuple(row[name] for name in by): (row["count"], row["n"]) for row in table.rows}


def test_the_specification_counts_two_of_five() -> None:
    found = tables([edited.reply("a:TS", LISTED)], {"a:TS": FIVE})
    assert counts(found["edit_misses"], "category") == {
        ("all categories",): (2, 5), ("descriptors",): (1, 2), ("findings",): (0, 1),
        ("location",): (1, 1), ("pathology",): (0, 1),
    }  # fmt: skip
    assert counts(found["edit_misses_by_term"], "category", "term")["location", "left"] == (1, 1)
    alone = tables([edited.reply("a:TS", LISTED)], {"a:TS": FIVE}, params={"inflections": False})
    assert alone["edit_misses"].rows[0]["count"] == 3


def test_prompts_are_pooled_and_original_items_are_the_clusters() -> None:
    replies, missed, clusters = [], [], []
    by_item = {}
    for at in range(12):
        item = f"i{at}:TS"
        by_item[item] = [("c", "mild", "severe"), ("d", "left", "right")]
        for prompt in "AB":
            said = ["mild -> severe"] * (at % 3 > 0) + ["left -> right"] * (at % 2)
            replies.append(edited.reply(item, said, prompt=prompt))
            missed += [at % 3 == 0, at % 2 == 0]
            clusters += [at, at]
    items = edited.items(["TS"], [f"i{at}" for at in range(12)])
    found = run(
        "edit_misses", {"judge": "j"}, {}, items=items,
        judgements=[to_arrow("judgements", replies)], edits=[edited.edits(by_item)], judges=JUDGES,
    )  # fmt: skip
    row = found["edit_misses"].rows[0]
    assert (row["count"], row["n"], row["clusters"]) == (sum(missed), 48, 12)
    want = clustered_wilson(np.array(missed, float), np.array(clusters))
    assert (row["share_low"], row["share_high"]) == pytest.approx(want)
    naive = wilson(sum(missed), 48)
    assert row["share_high"] - row["share_low"] > naive[1] - naive[0]


def test_independent_edits_have_wilsons_interval() -> None:
    replies = [edited.reply(f"{name}:TS", ["mild -> severe"] if name == "a" else [])
               for name in "ab"]  # fmt: skip
    found = tables(replies, {f"{name}:TS": FIVE[:1] for name in "ab"})
    row = found["edit_misses"].rows[0]
    assert (row["share_low"], row["share_high"]) == pytest.approx(wilson(1, 2))


def test_models_have_tables_of_their_own_and_a_figure() -> None:
    replies = [edited.reply("a:TS", LISTED, model="m1"), edited.reply("a:TS", [], model="m2")]
    found = tables(replies, {"a:TS": FIVE})
    by = counts(found["edit_misses_by_model"], "model", "category")
    assert (by["m1", "all categories"], by["m2", "all categories"]) == ((2, 5), (5, 5))
    terms = counts(found["edit_misses_by_model_and_term"], "model", "category", "term")
    assert (terms["m1", "findings", "effusion"], terms["m2", "findings", "effusion"]) == (
        (0, 1), (1, 1),
    )  # fmt: skip
    (figure,) = found["edit_misses"].figures
    assert [len(panel.series) for panel in figure.panels] == [2, 1]
    assert draw(figure).svg.startswith(b"<?xml")


def test_replies_that_cannot_be_read_are_left_out_never_missed() -> None:
    odd = [
        edited.reply("b:TS", None, prompt="A"),
        edited.reply("b:TS", [], prompt="B", parsed=json.dumps({"alterations": "none"})),
        edited.reply("b:TS", [], prompt="C", parsed=json.dumps({"alterations": [1]})),
        edited.reply("b:TS", [], prompt="D", status="truncated"),
        edited.reply("b:TS", None, prompt="E", stage="facts", status="ok"),
    ]
    found = tables([edited.reply("a:TS", LISTED), *odd], {"a:TS": FIVE, "b:TS": FIVE})
    assert found["edit_misses"].rows[0]["n"] == 5
    assert "1 of 6 replies" in found["edit_misses"].notes[1]
    (row,) = found["edit_misses_extra"].rows
    assert (row["read"], row["unread"]) == (1, 5)


def test_stages_of_one_reply_are_one_reply() -> None:
    facts = edited.reply("a:TS", [], stage="facts", parsed=None)
    found = tables([facts, edited.reply("a:TS", LISTED)], {"a:TS": FIVE})
    assert found["edit_misses"].rows[0]["n"] == 5
    assert found["edit_misses_extra"].rows[0]["unread"] == 0


def test_removals_take_no_part_and_sizes_are_one_term() -> None:
    by_item = {
        "a:IR": [("point", "point", "2. Mass.", None)],
        "a:TS": [("measurement", "measurements", "1.5 cm", "3.3 mm"),
                 ("measurement", "measurements", "2 x 3 cm", "4 x 6 cm")],
    }  # fmt: skip
    replies = [
        edited.reply("a:IR", ["removed -> mass"]),
        edited.reply("a:TS", ["a 2x3cm cyst -> a 4x6cm cyst"]),
    ]
    found = tables(replies, by_item)
    assert counts(found["edit_misses_by_term"], "category", "term") == {
        ("measurements", "any size"): (1, 2)
    }
    assert [row["level"] for row in found["edit_misses_extra"].rows] == ["TS"]


def test_what_a_list_holds_beside_the_edits_is_counted_by_level() -> None:
    replies = [
        edited.reply("a:TS", [*LISTED, "small -> large", "something else"]),
        edited.reply("a", ["old -> new"]),
        edited.reply("b", []),
    ]
    found = tables(replies, {"a:TS": FIVE})
    extra = {row["level"]: row for row in found["edit_misses_extra"].rows}
    assert (extra["TS"]["count"], extra["TS"]["n"]) == (2, 5)
    assert (extra["unedited"]["count"], extra["unedited"]["n"], extra["unedited"]["read"]) == (
        1, 1, 2,
    )  # fmt: skip


def test_edits_that_answers_carry_stand_beside() -> None:
    scores = {
        "edits_carried": {
            ("a:TS", "m", "A", 0): 0.5, ("a:TS", "m", "B", 0): 1.0, ("b:TS", "m", "A", 0): 0.0,
            ("a", "m", "A", 0): None, ("a:IR", "m", "A", 0): None,
        },
        "sensitivity": {("a:TS", "m", "A", 0): 1.0},
    }  # fmt: skip
    found = tables([edited.reply("a:TS", LISTED)], {"a:TS": FIVE}, scores=scores)
    (row,) = found["edit_misses_carried"].rows
    assert (row["model"], row["level"], row["n"], row["clusters"]) == ("m", "TS", 3, 2)
    assert row["share"] == pytest.approx(0.5)
    without = tables([edited.reply("a:TS", LISTED)], {"a:TS": FIVE})["edit_misses_carried"]
    assert without.rows == []
    assert "add the metric edit_misses" in without.notes[0]


def test_a_judge_without_lists_is_told_what_to_ask_for() -> None:
    found = tables([edited.reply("a:TS", None)], {"a:TS": FIVE})
    assert found["edit_misses"].rows == []
    assert "ask it for a list called alterations" in found["edit_misses"].notes[-1]
    assert found["edit_misses"].figures == ()


def test_the_order_of_rows_changes_nothing_and_columns_are_declared() -> None:
    replies = [edited.reply(f"{name}:TS", LISTED, model=m) for name in "ab" for m in ("x", "y")]
    by_item = {"a:TS": FIVE, "b:TS": FIVE[:2]}
    assert tables(replies, by_item) == tables(replies, by_item, order=-1)
    for table in tables(replies, by_item).values():
        assert set().union(*table.rows) <= {column.name for column in table.columns}
