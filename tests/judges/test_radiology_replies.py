"""What the judge of the radiology recipes replies becomes scores and named edits."""

import json

import pytest

from tests.judges.judging import ask, target
from toolkit.data import data_dir
from toolkit.judges.base import Target
from toolkit.judges.llm import Llm
from toolkit.perturb.named_edits import named_edits
from toolkit.recipe.load import load_recipe

FACTS = json.dumps({"findings": [
    {"id": 1, "condition": "effusion", "location": "not specified", "severity": "mild",
     "certainty": "no evidence"},
]})  # fmt: skip
PAIRS = [("mild", "severe"), ("no evidence", "cannot exclude")]
SCORES = {
    "factual_faithfulness": 1,
    "sensitivity": 2,
    "certainty_fidelity": 1,
    "hallucination": 1,
    "alterations": [f"{old} -> {new}" for old, new in PAIRS],
    "reasoning": {"hallucination": "nothing is invented"},
}


@pytest.fixture(scope="module", params=["radiology", "radiology_credentialed"])
def judge(request):
    loaded = load_recipe(data_dir("recipes") / f"{request.param}.yaml")
    return Llm(loaded.judges["main"].params)


def replied(judge, score):
    """Return the dialogue of one answer, whose last question is asked again as often as it may."""
    base = target(impression="Mild effusion.")
    extra = {"variant": "Severe effusion.", "original_output": "A little fluid.", "edits": ""}
    dialogue = judge.dialogue(Target(base.item, base.answer, base.reference, extra), 0)
    faulty = score.get("hallucination") not in (0, 1)
    ask(dialogue, FACTS, FACTS, *[json.dumps(score)] * (1 + faulty * judge.params.reask))
    return dialogue


@pytest.mark.parametrize(("raw", "present"), [(1, 0), (0, 1)])
def test_the_reply_says_1_for_none_and_tables_say_1_for_present(judge, raw, present):
    values = judge.values(replied(judge, SCORES | {"hallucination": raw}).answers)
    assert {name: value.value for name, value in values.items()} == {
        "factual_faithfulness": 1,
        "sensitivity": 2,
        "certainty_fidelity": 1,
        "hallucination": present,
    }


@pytest.mark.parametrize("raw", [2, None])
def test_another_number_and_none_at_all_are_missing_with_the_reason(judge, raw):
    without = {name: value for name, value in SCORES.items() if name != "hallucination"}
    dialogue = replied(judge, without if raw is None else SCORES | {"hallucination": raw})
    values = judge.values(dialogue.answers)
    assert values["hallucination"].value is None
    assert "hallucination" in values["hallucination"].reason
    assert dialogue.answers["score"].status == "invalid"


def test_alterations_are_read_as_pairs(judge):
    parsed = json.loads(replied(judge, SCORES).answers["score"].parsed)
    named = named_edits(parsed["alterations"])
    assert [(" ".join(one.old), " ".join(one.new)) for one in named] == PAIRS
    for at, pair in enumerate(PAIRS):
        assert [one.holds(*pair) for one in named] == [at == 0, at == 1]
