import pytest

from tests.analyses.judged import inputs
from toolkit.analyses.base import JudgeFacts
from toolkit.analyses.statuses import Statuses, StatusesParams
from toolkit.records import to_arrow
from toolkit.statistics.intervals import wilson


def answers(*statuses):
    return to_arrow(
        "generations",
        [
            {"model": "m", "prompt": "A", "status": status, "asked": asked}
            for status, asked in statuses
        ],
    )


def test_answers_and_judgements_are_counted_with_the_calls_they_took():
    judgements = to_arrow(
        "judgements",
        [
            {"judge": "j", "stage": "", "model": "m", "prompt": "A", "status": s, "asked": 2}
            for s in ("ok", "invalid")
        ],
    )
    found = Statuses(StatusesParams()).run(
        inputs(
            [],
            {"j": JudgeFacts("j", "llm", "x", {})},
            answers=[answers(("ok", 1), ("refused", 1)), answers(("truncated", 2), ("error", 1))],
            judgements=[judgements],
        )
    )
    of_answers, of_judgements = (table.rows for table in found)
    (row,) = of_answers
    assert (row["n"], row["calls"], row["ok"], row["truncated"]) == (4, 5, 1, 1)
    assert row["failed"] == 0.5
    for status in ("truncated", "refused", "error"):
        assert row[f"{status}_share"] == 0.25
        assert (row[f"{status}_share_low"], row[f"{status}_share_high"]) == wilson(1, 4)
    assert (row["invalid_share"], row["invalid_share_low"]) == (0, 0)
    assert row["invalid_share_high"] == pytest.approx(wilson(0, 4)[1])
    assert of_judgements[0]["calls"] == 4
    assert (of_judgements[0]["invalid"], of_judgements[0]["failed"]) == (1, 0.5)


def test_invalid_answers_as_zero_stand_beside_the_others():
    rows = [
        {
            "item_id": f"i{n}", "model": "m", "prompt": "A", "repeat": 0, "metric": "x",
            "score": "x", "value": value, "reason": reason,
        }
        for n, (value, reason) in enumerate(
            [(0.8, ""), (0.6, ""), (None, "answer invalid"), (None, "answer refused")]
        )
    ]  # fmt: skip
    params = StatusesParams(of=("answers",), invalid_as_zero=True)
    (_, table) = Statuses(params).run(inputs([rows], {}, answers=[answers(("ok", 1))]))
    (row,) = table.rows
    assert (row["n"], row["n_missing"], row["n_invalid"]) == (2, 2, 1)
    assert row["mean"] == pytest.approx(0.7)
    assert row["mean_with_zeros"] == pytest.approx(1.4 / 3)


def test_the_order_of_the_columns_in_a_recipe_changes_nothing():
    made = []
    for by in (("model", "prompt"), ("prompt", "model")):
        analysis = Statuses(StatusesParams(of=("answers",), by=by))
        made.append(
            (analysis.fingerprint(), analysis.run(inputs([], {}, answers=[answers(("ok", 1))])))
        )
    assert made[0] == made[1]
