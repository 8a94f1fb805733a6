import json

import pytest

from toolkit.errors import SourceError, UserError
from toolkit.models.base import Message, ModelRequest
from toolkit.models.replay import Replay, ReplayParams


@pytest.fixture
def write(tmp_path):
    def make(*lines):
        text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
        (tmp_path / "answers.jsonl").write_text(text + "\n")
        return Replay(ReplayParams(file="answers.jsonl"), tmp_path)

    return make


def ask(model, item_id="1", repeat=0, prompt="A"):
    request = ModelRequest(item_id, repeat, (Message("user", "q"),), prompt=prompt)
    return model.answer([request])[0]


def test_answers_are_looked_up_by_item_prompt_and_repeat(write):
    model = write(
        {"item_id": "1", "prompt": "A", "text": "a0"},
        {"item_id": "1", "prompt": "A", "repeat": 1, "text": "a1"},
        "",
        {"item_id": "1", "answer": "any prompt", "note": "ignored"},
        {"item_id": 2, "text": "number"},
    )
    assert ask(model).answer == "a0"
    assert ask(model, repeat=1).answer == "a1"
    assert ask(model, prompt="B").answer == "any prompt"
    assert ask(model, "2").answer == "number"
    missing = ask(model, "3")
    assert (missing.status, missing.answer) == ("error", None)
    assert "item 3, prompt A, repeat 0" in missing.reason


def test_what_else_a_line_says_is_kept(write):
    model = write(
        {
            "item_id": "1",
            "text": "half",
            "finish_reason": "length",
            "reasoning": "r",
            "prompt_tokens": 3,
            "completion_tokens": 4,
            "served_model": "m",
        },
        {"item_id": "2", "text": None},
    )
    answer = ask(model)
    assert (answer.status, answer.reason, answer.answer) == ("truncated", "length", "half")
    assert (answer.reasoning, answer.prompt_tokens, answer.served_model) == ("r", 3, "m")
    assert (ask(model, "2").status, ask(model, "2").answer) == ("error", None)


def test_two_answers_to_one_request_are_refused_with_both_lines(write):
    model = write(
        {"item_id": "1", "text": "a"},
        {"item_id": "2", "text": "b"},
        "",
        {"item_id": 1, "text": "c"},
    )
    with pytest.raises(UserError, match="lines 1 and 4 both answer item 1"):
        ask(model)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "not a line of JSON"),
        ("[]", "no.*JSON object|not a JSON object"),
        ('{"text": "x"}', "'item_id'"),
        ('{"item_id": true, "text": "x"}', "'item_id'"),
        ('{"item_id": "1"}', "exactly one"),
        ('{"item_id": "1", "text": "a", "answer": "b"}', "exactly one"),
        ('{"item_id": "1", "text": 3}', "'text' is no text"),
        ('{"item_id": "1", "text": "a", "repeat": -1}', "'repeat'"),
        ('{"item_id": "1", "text": "a", "prompt": 1}', "'prompt'"),
    ],
)
def test_a_damaged_line_is_named(write, line, words):
    model = write({"item_id": "0", "text": "x"}, line)
    with pytest.raises(SourceError, match=rf"answers.jsonl:2: .*({words})"):
        ask(model)


def test_the_fingerprint_is_that_of_the_content(write):
    first = write({"item_id": "1", "text": "a"}).fingerprint()
    assert first == write({"item_id": "1", "text": "a"}).fingerprint()
    changed = write({"item_id": "1", "text": "longer"})
    assert changed.fingerprint() != first
    assert ask(changed).answer == "longer"


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(SourceError, match=r"none\.jsonl"):
        Replay(ReplayParams(file="none.jsonl"), tmp_path).fingerprint()
