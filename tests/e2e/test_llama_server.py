"""The true path: a real model behind a real OpenAI-compatible server on this machine."""

import json
from contextlib import contextmanager

import pytest

from toolkit.ask.dialogue import Dialogue, Stage
from toolkit.ask.engine import AskSettings, ask_all
from toolkit.ask.parser import make_parser
from toolkit.models.base import ModelRequest
from toolkit.models.openai_compatible import OpenAICompatible, OpenAICompatibleParams
from toolkit.models.weights.gguf import GgufFile
from toolkit.store.ledger import Ledger

SCHEMA = {
    "type": "object",
    "properties": {"similarity": {"type": "integer", "minimum": 0, "maximum": 100}},
    "required": ["similarity"],
}


@contextmanager
def llama_server():
    xllamacpp = pytest.importorskip("xllamacpp")
    settings = xllamacpp.CommonParams()
    settings.model.path = str(GgufFile("smollm2-135m-instruct", None).locate())
    settings.n_ctx, settings.n_parallel = 2048, 1
    settings.cache_prompt = False
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    settings.verbosity = 1
    settings.port = 0
    server = xllamacpp.Server(settings)
    yield server.listening_address
    del server


def dialogue(number, parser, text):
    stage = Stage("answer", lambda answers: [("user", text)], make_parser(parser))
    return Dialogue(ModelRequest(f"i{number}", 0), [stage])


@pytest.mark.slow
def test_answers_schemas_and_tokens_come_from_a_real_server(tmp_path):
    questions = [
        ("text", "Write one sentence about sleep."),
        ({"json": {"schema": SCHEMA}}, "How similar are 'sleep helps' and 'sleep is good'?"),
    ]
    with llama_server() as address, Ledger(tmp_path / "ledger.sqlite") as ledger:
        model = OpenAICompatible(
            OpenAICompatibleParams(
                model="smollm2",
                profile="llama_cpp",
                base_url=f"{address}/v1",
                max_tokens=40,
                temperature=0,
                extra_body={"cache_prompt": False},
            ),
            tmp_path,
        )
        asked = [
            [dialogue(n, parser, text) for n, (parser, text) in enumerate(questions)]
            for _ in range(2)
        ]
        for dialogues in asked:
            list(ask_all(model, dialogues, ledger, settings=AskSettings(run="r")))
        assert ledger.counts().calls == {"done": 2}
    text, scores = (d.answers["answer"] for d in asked[0])
    assert text.status in ("ok", "truncated")
    assert len(text.answer.split()) > 3
    assert scores.status == "ok"
    assert 0 <= json.loads(scores.parsed)["similarity"] <= 100
    assert text.prompt_tokens > 5
    assert text.completion_tokens > 3
    assert [d.answers for d in asked[1]] == [d.answers for d in asked[0]]
