"""Every parser of a shipped recipe takes a well-formed reply to its prompt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import shipped
from hypothesis import given
from hypothesis import strategies as st

from toolkit.ask.parser import make_parser, parse_answer
from toolkit.models.base import Answer

REVIEW = {"A": ["llm"], "B": "We ...", "C": 7.5, "D": [{"subject": "Data", "detail": "few"}]}
FACTS = {
    "findings": [
        {
            "id": 1, "condition": "nodule", "location": "left upper lobe",
            "severity": "1.5 cm", "certainty": "likely",
        }
    ]
}  # fmt: skip
RADIOLOGY = {
    "factual_faithfulness": 1,
    "sensitivity": 2,
    "certainty_fidelity": 0,
    "hallucination": 1,
    "alterations": ["left -> right", "removed -> nodule"],
    "reasoning": {"sensitivity": "all edits are there"},
}
MEDCONCLUSION = {
    "semantic similarity": 81.5,
    "writing style similarity": 60,
    "contradiction rate": 100,
    "numeric consistency": 100,
    "formality similarity": 95,
}
INTRINSIC = "Citations: 2, 4\nKey phrases: dabrafenib; 150 mg, twice daily\nSummary: It works."
FIND = "Citations: 2-4\nKey phrases: dabrafenib; trametinib"

REPLIES: dict[str, tuple[str, Any]] = {
    "keywords.j2": ("peer review, llm", ["peer review", "llm"]),
    "compare.j2": ("B", "B"),
    "rate.j2": ("7.5", 7.5),
    "critique.j2": (
        "- Data: only one source.\n- Theory: none: at all.",
        [
            {"subject": "Data", "detail": "only one source."},
            {"subject": "Theory", "detail": "none: at all."},
        ],
    ),
    "review.j2": (json.dumps(REVIEW), REVIEW),
    "intrinsic.j2": (
        INTRINSIC,
        {
            "citations": [2, 4],
            "phrases": ["dabrafenib", "150 mg, twice daily"],
            "summary": "It works.",
        },
    ),
    "find.j2": (FIND, {"citations": [2, 3, 4], "phrases": ["dabrafenib", "trametinib"]}),
    "trace.j2": (FIND, {"citations": [2, 3, 4], "phrases": ["dabrafenib", "trametinib"]}),
    "draft.j2": ("Summary: It works.", {"summary": "It works."}),
    "write.j2": ("Summary: It works.", {"summary": "It works."}),
    "claims.j2": ('["It works.", "It is safe."]', ["It works.", "It is safe."]),
    "score.j2": (json.dumps(RADIOLOGY), RADIOLOGY),
    "facts.j2": (json.dumps(FACTS), FACTS),
    "reference.j2": (json.dumps(MEDCONCLUSION), MEDCONCLUSION),
}
"""A good reply to each prompt's file, and what is read; of all others, the text itself."""

ALL = [
    (f"{name}.{prompt_name}", prompt)
    for name in shipped.NAMES
    for prompt_name, prompt in shipped.prompts(shipped.recipe(name))
]


@pytest.mark.parametrize(("name", "prompt"), ALL, ids=[name for name, _ in ALL])
def test_a_good_reply_is_read(name, prompt):
    file = Path(prompt.file or prompt.user).name
    text, value = REPLIES.get(file, ("It works.", None))
    assert (value is None) == (prompt.parser == "text")
    read = parse_answer(
        Answer("ok", answer=f"<think>so</think>\n{text}\n"), make_parser(prompt.parser)
    )
    assert (read.status, read.reason, read.reasoning) == ("ok", "", "so")
    assert (None if read.parsed is None else json.loads(read.parsed)) == value


def test_every_reply_above_belongs_to_a_prompt():
    assert {Path(prompt.file or prompt.user).name for _, prompt in ALL} >= set(REPLIES)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("rate.j2", "11"),
        ("rate.j2", "Quality: 7"),
        ("critique.j2", "- a: b\n" * 4),
        ("review.j2", json.dumps(REVIEW | {"C": 11})),
        ("review.j2", json.dumps(REVIEW | {"D": REVIEW["D"] * 4})),
        ("score.j2", json.dumps(RADIOLOGY | {"sensitivity": 3})),
        ("facts.j2", json.dumps({"findings": [{"condition": "nodule", "certainty": "sure"}]})),
        ("score.j2", json.dumps(RADIOLOGY | {"sensitivity": "2"})),
        ("score.j2", json.dumps(RADIOLOGY | {"hallucination": True})),
        ("find.j2", "Citations: none\nKey phrases: none"),
        ("draft.j2", "It works."),
        ("claims.j2", '{"claims": []}'),
    ],
)
def test_a_bad_reply_is_refused(file, text):
    prompts = [prompt for _, prompt in ALL if Path(prompt.file or prompt.user).name == file]
    for prompt in prompts:
        read = parse_answer(Answer("ok", answer=text), make_parser(prompt.parser))
        assert (read.status, read.answer) == ("invalid", None)
        assert read.reason


@given(st.sampled_from([prompt.parser for _, prompt in ALL]), st.text(max_size=60))
def test_no_reply_is_an_error(declared, text):
    read = parse_answer(Answer("ok", answer=text), make_parser(declared))
    assert read.status in ("ok", "repaired", "invalid")
    assert (read.answer is None) == (read.status == "invalid")
