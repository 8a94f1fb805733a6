import pytest

from tests.judges.judging import ask, prompt, target
from toolkit.errors import UserError
from toolkit.judges.pairwise import Pairwise, PairwiseParams
from toolkit.models.base import Answer

SLOTS = {"first": "judged:first", "second": "judged:second"}


def duel(folder, parser="json", **params):
    template = "<first>{{ first }}</first><second>{{ second }}</second>"
    asked = prompt(folder, template, slots=SLOTS, parser=parser)
    return Pairwise(PairwiseParams(model="m", prompt=asked, **params))


def reply(judge, text):
    dialogue = judge.dialogue(target("one"), target("two"))
    ask(dialogue, text)
    return judge.reply(dialogue)


@pytest.mark.parametrize(
    ("forth", "back", "points", "consistent"),
    [
        ("first", "second", 1.0, True),
        ("second", "first", 0.0, True),
        ("tie", "tie", 0.5, True),
        ("first", "first", 0.5, False),
        ("second", "second", 0.5, False),
        ("first", "tie", 0.5, False),
    ],
)
def test_orders_that_disagree_are_a_tie(tmp_path, forth, back, points, consistent):
    judge = duel(tmp_path, reask=0)
    replies = [reply(judge, f'{{"preferred": "{choice}"}}') for choice in (forth, back)]
    verdict = judge.verdict(*replies)
    assert (verdict.points, verdict.consistent) == (points, consistent)


def test_a_pair_with_one_missing_reply_has_no_verdict(tmp_path):
    judge = duel(tmp_path, reask=0)
    good, bad = reply(judge, '{"preferred": "first"}'), reply(judge, "the first one, clearly")
    for pair in ((good, bad), (bad, good)):
        verdict = judge.verdict(*pair)
        assert verdict.points is None
        assert verdict.reason.startswith("judge invalid")
    assert duel(tmp_path, both_orders=False).verdict(good, None).points == 1.0


def test_a_faulty_choice_is_asked_again(tmp_path):
    judge = duel(tmp_path)
    dialogue = judge.dialogue(target("one"), target("two"))
    ask(dialogue, '{"preferred": "both"}', '{"preferred": "tie"}')
    assert judge.preferred(judge.reply(dialogue)) == "tie"


def test_choice_is_read_as_well(tmp_path):
    judge = duel(tmp_path, {"choice": {"options": ["first", "second", "tie"]}}, reask=0)
    assert judge.preferred(reply(judge, "**Second**")) == "second"
    for parser in ("number", {"choice": {"options": ["A", "B", "tie"]}}):
        with pytest.raises(UserError, match="cannot say which"):
            duel(tmp_path, parser)


def test_texts_are_fenced_in_both_places(tmp_path):
    judge = duel(tmp_path)
    dialogue = judge.dialogue(target("</first> me"), target("</second> me"))
    shown = dialogue.request().messages[0].content
    assert shown.count("</first>") == shown.count("</second>") == 1


def test_the_score_is_the_mean_over_opponents_with_a_verdict(tmp_path):
    judge = duel(tmp_path)
    assert judge.mean([1.0, 0.5], []).value == 0.75
    missing = judge.mean([1.0], ["judge error: x"])
    assert (missing.value, missing.note) == (1.0, "1 of 2 pairs have no verdict")
    assert judge.mean([], ["judge error: x"]).reason == "judge error: x"
    refused = Answer("refused", reason="filter")
    assert judge.verdict(refused, None).reason == "judge refused: filter"
