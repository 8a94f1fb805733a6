"""Prompts that ship meet the requirements of their protocols, in words of our own."""

from __future__ import annotations

import re

import pytest
from shipped import NAMES, fill, prompts, recipe, render

ALL = [(name, key) for name in NAMES for key, _ in prompts(recipe(name))]


@pytest.mark.parametrize(("name", "key"), ALL)
def test_every_template_renders_and_ends_with_what_to_reply(name, key):
    prompt = dict(prompts(recipe(name)))[key]
    shown = render(prompt)
    filled = fill(prompt)
    for slot, value in prompt.slots.items():
        if isinstance(value, str) and value.startswith(("field:", "answer:", "judged:")):
            content = filled[slot]
            if isinstance(content, str):
                assert content in shown
    # The output instruction stands at the end, or right before the text of a one-sentence prompt.
    assert "reply" in shown.lower().rsplit("\n\n", 2)[-1] or "reply" in shown.lower()[-400:]
    assert "\n\n\n" not in shown
    assert "{%" not in shown
    assert not re.search(r"[ \t]+$", shown, re.MULTILINE)


@pytest.mark.parametrize(("name", "key"), ALL)
def test_other_peoples_text_stands_between_markers(name, key):
    prompt = dict(prompts(recipe(name)))[key]
    shown = render(prompt)
    filled = fill(prompt)
    for slot, value in prompt.slots.items():
        marked = isinstance(value, str) and value.startswith(
            ("field:", "answer:", "judged:", "run:")
        )
        content = filled[slot]
        # One-line facts about an aspect come from a table of ours, not from papers or models.
        if (
            not marked
            or not isinstance(content, str)
            or (name == "pcoa" and slot not in ("summary", "text"))
        ):
            continue
        assert re.search(rf"<(\w+)>\n[^<]*{re.escape(content)}[^>]*\n</\1>", shown), (slot, shown)


def missing(shown: str, *requirements: str) -> list[str]:
    """Return the requirements, each a list of words, none of whose words stands there."""
    folded = " ".join(shown.lower().split())
    return [
        requirement
        for requirement in requirements
        if not any(word in folded for word in requirement.split("|"))
    ]


def test_the_judge_sees_two_conclusions_and_gives_five_scores():
    judge = recipe("medconclusion").judges["primary"]
    shown = render(judge.params.prompt)
    assert (
        missing(
            shown,
            "you see nothing else",
            "0 to 100",
            "decimals are allowed",
            "json",
            "no explanation",
        )
        == []
    )
    assert (
        missing(shown, "100 means no contradiction", "neither text has a number", "do not follow")
        == []
    )
    assert set(judge.params.prompt.slots.values()) == {"judged:reference", "judged:output"}
    assert judge.params.scores["non_contradiction"].key == "contradiction rate"
    for score in judge.params.scores.values():
        assert score.range == (0.0, 100.0)
        assert f'"{score.key}"' in shown
    assert recipe("medconclusion").judges["secondary"].params.model == "judge_b"


PCOA = {
    "intrinsic_all": [
        "numbered from 1",
        "key phrases",
        "word for word",
        "one concise sentence",
        "in this order",
        "citations:",
        "summary:",
    ],
    "find": [
        "exactly as they stand",
        "short",
        "belongs to another aspect",
        "background",
        "leave both empty",
        "exactly these two sections",
    ],
    "write": [
        "all you have",
        "one coherent sentence",
        "as many of the key phrases as possible",
        "nothing that",
    ],
    "draft": ["one concise sentence", "only what the abstract says"],
    "trace": ["relevant to this summary", "key phrases", "exactly these two sections"],
}


@pytest.mark.parametrize("key", PCOA)
def test_prompts_about_aspects_state_their_requirements(key):
    assert missing(render(recipe("pcoa").prompts[key]), *PCOA[key]) == []


def test_sentences_are_numbered_and_only_those_found_are_shown_again():
    find, write = (render(recipe("pcoa").prompts[key]) for key in ("find", "write"))
    assert "[1] First {{ braces }}.\n[2] Second.\n[3] Third.\n</abstract>" in find
    assert "<sentences>\n[3] Third.\n[1] First {{ braces }}.\n</sentences>" in write
    assert "Second." not in write
    assert "phrase one; phrase two" in write


def test_claims_are_split_by_the_rules():
    judge = recipe("pcoa").judges["claims"]
    shown = render(judge.params.prompt)
    assert (
        missing(
            shown,
            "single fact",
            "without the other claims",
            "infer nothing",
            "an example",
            "json list",
            "[]",
        )
        == []
    )
    assert judge.params.on == ("reference", "output")
    assert recipe("pcoa").judges["nli"].params.threshold == 0.5


ACADEMIC = {
    "E1_0": [
        "introduction:",
        "conclusion:",
        "only keywords that are necessary",
        "separated by commas",
    ],
    "E1_1": ["introduction:", "!conclusion:"],
    "E1_2": ["conclusion:", "!introduction:"],
    "E1_3": ["title:"],
    "E1_4": ["exactly 2 of them"],
    "E1_5": ["ordered by importance"],
    "E2_0": ["one paragraph", "at most 300 words", "abstract alone", "!keywords:"],
    "E2_1": ["introduction:", "!conclusion:"],
    "E2_2": ["conclusion:", "!introduction:"],
    "E2_3": ["keywords:", "alpha, beta"],
    "E2_4": ["keywords:"],
    "E2_5": ["about 2 words", "!300"],
    "E3_0": ["better quality", "a or b"],
    "E3_1": ["information density", "!quality"],
    "E3_2": ["scientific value", "!quality"],
    "E3_3": ["comprehension difficulty", "!quality"],
    "E4_0": ["from 1, the worst, to 10, the best", "quality", "number alone", "!steps"],
    "E4_1": ["information density", "!quality"],
    "E4_2": ["scientific value", "!quality"],
    "E4_3": ["comprehension difficulty", "!quality"],
    "E4_4": ["abstract:"],
    "E4_5": ["steps of 0.1"],
    "E5_0": ["at most three", "content", "bullet points", "a colon"],
    "review": [
        "four tasks",
        "a. list the keywords",
        "b. write its abstract",
        "c. score",
        "d. criticise",
        "json",
    ],
}


@pytest.mark.parametrize("key", ACADEMIC)
def test_prompts_about_articles_state_their_requirements(key):
    shown = render(recipe("academic").prompts[key])
    assert missing(shown, "in the field of information systems") == []
    assert missing(shown, *(words for words in ACADEMIC[key] if not words.startswith("!"))) == []
    for words in ACADEMIC[key]:
        assert not words.startswith("!") or words[1:] not in shown.lower()


def test_prompts_of_radiology_state_their_requirements():
    loaded = recipe("radiology")
    detailed, concise = (render(loaded.prompts[key]) for key in ("detailed", "concise"))
    assert (
        missing(
            detailed,
            "medical communicator",
            "without medical training",
            "explain each",
            "what each finding means",
        )
        == []
    )
    assert (
        missing(
            detailed,
            "do not alarm",
            "honest",
            "reassuring",
            "completeness",
            "conciseness",
            "accuracy",
            "hallucination",
        )
        == []
    )
    assert detailed.endswith("Summary:")
    assert missing(concise, "patient-friendly") == []
    assert concise.split("<impression>")[0].count(".") == 0


def test_the_judge_of_radiology_works_in_stages():
    loaded = recipe("radiology")
    main = loaded.judges["main"].params
    facts = render(main.stages["facts_original"])
    assert (
        missing(
            facts,
            "condition",
            "not specified",
            "not applicable",
            "without a finding the list is empty",
            "without comments",
        )
        == []
    )
    assert (
        missing(
            facts,
            "no evidence, possible, likely, confirmed, uncertain",
            "only when the text names them",
        )
        == []
    )
    score = render(main.stages["score"], edits="mild -> severe", reasoning=True)
    assert (
        missing(
            score,
            "judge summary b",
            "by meaning",
            "paraphrase",
            "old -> new",
            "reasoning",
            "<edits> mild -> severe",
        )
        == []
    )
    assert (
        missing(
            score,
            "hallucination, 0 or 1: 1 if summary b has no invented content",
            "neither impression.",
        )
        == []
    )
    assert "<edits>" not in render(main.stages["score"], edits="")
    assert missing(render(main.stages["score"], sources="all_versions"), "nor in summary a") == []
    assert main.stages["facts_original"].file == main.stages["facts_edited"].file
    assert main.scores["hallucination"].invert
    assert (
        not recipe("radiology_credentialed")
        .judges["reader_a"]
        .params.scores["hallucination"]
        .invert
    )
    assert main.scores["sensitivity"].range == (0.0, 2.0)
