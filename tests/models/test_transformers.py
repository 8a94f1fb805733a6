"""The real library on tiny models with random weights: their texts mean nothing, and vary."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.models.tiny_models import causal
from toolkit.errors import MissingError, UserError
from toolkit.models.base import Message, ModelRequest
from toolkit.models.transformers import Transformers, TransformersParams

ROOT = Path(__file__).parents[2]
PROMPTS = [f"Summarise trial {n}: " + "walking to school " * (n % 5) for n in range(10)]


def request(n, text, repeat=0, **more):
    return ModelRequest(f"i{n}", repeat, (Message("user", text),), **more)


REQUESTS = [request(n, text) for n, text in enumerate(PROMPTS)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return causal(tmp_path_factory.mktemp("causal"))


def model(folder, **params):
    values = {"dtype": "float32", "max_tokens": 12, "batch_size": 4, **params}
    return Transformers(TransformersParams(model="tiny", folder=str(folder), **values), folder)


def texts(answers):
    return [answer.answer for answer in answers]


def test_every_request_gets_its_answer(folder):
    answers = model(folder).answer(REQUESTS)
    assert len(answers) == 10
    assert len(set(texts(answers))) > 5
    for answer in answers:
        assert answer.status in ("ok", "truncated")
        assert answer.completion_tokens <= 12
        assert answer.prompt_tokens > 5
        assert (answer.finish_reason == "length") == (answer.status == "truncated")


def test_in_float32_texts_do_not_depend_on_batch_or_order(folder):
    one = texts(model(folder, batch_size=1).answer(REQUESTS))
    assert texts(model(folder, batch_size=4).answer(REQUESTS)) == one
    turned = model(folder, batch_size=4).answer(REQUESTS[::-1])
    assert texts(turned)[::-1] == one
    assert texts(model(folder, deterministic=True, dtype="bfloat16").answer(REQUESTS)) == one


def test_the_same_in_another_process(folder):
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from tests.models.test_transformers import REQUESTS, Path, model, texts\n"
        f"print(texts(model(Path({str(folder)!r})).answer(REQUESTS)))"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    assert found.strip().splitlines()[-1] == str(texts(model(folder).answer(REQUESTS)))


def test_sampling_draws_each_row_with_its_own_seed(folder):
    sampled = model(folder, temperature=1.0, seed=3)
    all_at_once = texts(sampled.answer(REQUESTS))
    assert texts(sampled.answer(REQUESTS[4:6])) == all_at_once[4:6]
    again = sampled.answer([request(0, PROMPTS[0], repeat=1)])
    assert texts(again) != all_at_once[:1]


def test_a_prompt_that_does_not_fit_is_an_error_and_never_cut(folder):
    short = model(folder)
    answers = short.answer([request(0, "walking " * 500), REQUESTS[1]])
    assert answers[0].status == "error"
    assert "the context only 256" in answers[0].reason
    assert answers[1].status in ("ok", "truncated")


def test_a_request_s_own_limit_wins(folder):
    (answer,) = model(folder).answer([request(0, PROMPTS[0], max_tokens=3)])
    assert answer.completion_tokens <= 3


def test_thinking_is_switched_off_through_the_template(folder):
    usual, off = (
        model(folder, thinking=thinking).answer(REQUESTS[:1])[0] for thinking in ("default", "off")
    )
    assert off.prompt_tokens > usual.prompt_tokens


def test_a_model_without_a_template_needs_one(tmp_path):
    folder = causal(tmp_path / "m", template=None)
    with pytest.raises(UserError, match="no chat template"):
        model(folder).answer(REQUESTS[:1])
    (tmp_path / "t.jinja").write_text("{{ messages[0].content }}:")
    own = model(folder, chat_template=str(tmp_path / "t.jinja"))
    assert own.answer(REQUESTS[:1])[0].completion_tokens > 0


def test_code_of_a_repository_needs_a_commit(tmp_path):
    with pytest.raises(UserError, match="trust_remote_code"):
        Transformers(TransformersParams(model="a/b", trust_remote_code=True), tmp_path)


def test_weights_that_are_not_here_are_named(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(MissingError, match="language model 'a/b'") as caught:
        Transformers(TransformersParams(model="a/b"), tmp_path).fingerprint()
    assert "folder" in caught.value.hint


def test_what_can_change_a_token_is_in_the_fingerprint(folder):
    base = model(folder).fingerprint()
    for change in (
        {"batch_size": 2},
        {"dtype": "bfloat16"},
        {"threads": 2},
        {"temperature": 1.0},
        {"max_tokens": 13},
        {"deterministic": True},
        {"thinking": "off"},
    ):
        assert model(folder, **change).fingerprint() != base, change
