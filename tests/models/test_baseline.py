from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.models.base import Message, ModelRequest, WorkerModel
from toolkit.models.baseline import Baseline, BaselineParams
from toolkit.models.blocks import central, read_blocks

ITEM = {
    "input": "BACKGROUND: Falls are common (about 30%). They cost much.\n"
    "METHODS: We enrolled 54 adults, mean age 71.3 years.\n"
    "MAIN RESULTS: Exercise lowered falls, P < .05. No harm was seen in Fig. 2.",
    "conclusion": "Exercise works.",
}


def ask(variant, item=ITEM, **request):
    model = Baseline(BaselineParams(variant=variant), Path())
    (answer,) = model.answer([ModelRequest("1", 0, item=item, **request)])
    return answer


@pytest.mark.parametrize(
    ("variant", "text"),
    [
        ("first_sentence", "Falls are common (about 30%)."),
        ("last_result_sentence", "No harm was seen in Fig. 2."),
        ("reference", "Exercise works."),
    ],
)
def test_texts(variant, text):
    answer = ask(variant)
    assert (answer.status, answer.answer, answer.raw) == ("ok", text, text)


def test_a_random_conclusion_is_the_other_reference():
    assert ask("random_conclusion", other_reference="Other.").answer == "Other."
    missing = ask("random_conclusion")
    assert (missing.status, missing.answer) == ("error", None)
    assert missing.reason


@pytest.mark.parametrize(
    ("variant", "item", "reason"),
    [
        ("first_sentence", {"input": ""}, "no input"),
        ("first_sentence", {}, "no input"),
        ("central_sentence", {"input": " \n"}, "no input"),
        ("last_result_sentence", {"input": ""}, "no input"),
        ("reference", {"conclusion": None}, "'conclusion'"),
    ],
)
def test_what_cannot_be_answered_says_why(variant, item, reason):
    answer = ask(variant, item)
    assert (answer.status, answer.answer) == ("error", None)
    assert reason in answer.reason


def test_labels_come_from_the_sections_where_there_are_any():
    item = {
        "input": "AIM: IL-6: what is it?\nWHAT WE'VE FOUND: It rose. HDL: it fell.",
        "sections": [
            {"label": "Aim", "category": "OBJECTIVE", "text": "IL-6: what is it?"},
            {
                "label": "What we’ve  found:",
                "category": "RESULTS",
                "text": "It rose. HDL: it fell.",
            },
            {"label": "So", "category": "CONCLUSIONS", "text": "Measure it."},
        ],
    }
    assert [block.label for block in read_blocks(item)] == ["AIM", "WHAT WE'VE FOUND"]
    assert ask("first_sentence", item).answer == "IL-6: what is it?"
    assert ask("last_result_sentence", item).answer == "HDL: it fell."


def test_the_label_counts_before_the_category():
    item = {
        "input": "OUTCOMES: A fell.\nRESULTS: B rose.\nREMARKS: C.",
        "sections": [
            {"label": "OUTCOMES", "category": "METHODS", "text": "A fell."},
            {"label": "RESULTS", "category": "METHODS", "text": "B rose."},
            {"label": "REMARKS", "category": "RESULTS", "text": "C."},
        ],
    }
    assert ask("last_result_sentence", item).answer == "B rose."


def test_an_outcome_measure_is_no_result():
    text = "RESULTS: Pain fell.\nMAIN OUTCOME MEASURES: Pain."
    assert ask("last_result_sentence", {"input": text}).answer == "Pain fell."


def test_without_a_results_label_the_last_section_counts():
    text = "AIM: To see.\nWHAT WE SAW: Sleep grew. Pain fell."
    assert ask("last_result_sentence", {"input": text}).answer == "Pain fell."


def test_an_input_without_labels_is_one_text():
    item = {"input": "We saw E. coli in 12 samples. S. aureus was absent."}
    assert ask("first_sentence", item).answer == "We saw E. coli in 12 samples."


def test_the_central_sentence_is_the_one_like_the_others():
    item = {
        "input": "AIMS: Exercise lowers falls. B was not here.\n"
        "METHODS: Exercise lowers falls in adults.\nRESULTS: Adults like exercise."
    }
    assert ask("central_sentence", item).answer == "Exercise lowers falls in adults."


def test_of_equally_central_sentences_the_first_is_taken():
    assert central(["a b", "c d", "e f"]) == 0
    assert central(["", ""]) == 0


@given(st.lists(st.text(alphabet="abc é", max_size=12), min_size=1, max_size=8))
def test_centrality_does_not_depend_on_the_order_of_the_sentences(texts):
    chosen = texts[central(texts)]
    turned = list(reversed(texts))
    words = {frozenset(text.split()) for text in texts}
    # With ties the first in order wins; without them the sentence is the same.
    if len(words) == len(texts) and turned[central(turned)] != chosen:
        pair = sorted([chosen, turned[central(turned)]])
        alone = [text for text in texts if text in pair]
        assert len(alone) >= 2


def test_kinds_and_needs():
    assert Baseline(BaselineParams(variant="reference"), Path()).kind == "reference"
    assert Baseline(BaselineParams(variant="first_sentence"), Path()).kind == "baseline"
    random = Baseline(BaselineParams(variant="random_conclusion"), Path())
    assert random.needs == {"other_reference"}
    assert isinstance(random, WorkerModel)


def test_fingerprints_tell_variants_apart():
    variants = [
        "first_sentence",
        "last_result_sentence",
        "central_sentence",
        "random_conclusion",
        "reference",
    ]
    prints = [str(Baseline(BaselineParams(variant=v), Path()).fingerprint()) for v in variants]
    assert len(set(prints)) == 5


def test_the_prompt_is_not_looked_at():
    request = ModelRequest("1", 0, (Message("user", "ignore"),), ITEM)
    model = Baseline(BaselineParams(variant="first_sentence"), Path())
    assert model.answer([request, request])[1].answer == "Falls are common (about 30%)."
