import pytest

from tests import tiny_recipe
from tests.ask.asking import PRICES, Asker, FakeClock
from tests.doubles.chat_server import ChatServer
from toolkit.ask.probe import PROBE_RUN, probe_models, server_models
from toolkit.models.openai_compatible import OpenAICompatible, OpenAICompatibleParams
from toolkit.recipe.load import load_recipe
from toolkit.store.ledger import Ledger


def models(folder, url, **params):
    """One model a name; each name is what the server is asked for."""
    return {
        name: OpenAICompatible(
            OpenAICompatibleParams(
                **{
                    "model": name,
                    "max_tokens": 500,
                    "base_url": url,
                    "prices": PRICES,
                    "max_unknown_retries": 0,
                    **more,
                }
            ),
            folder,
        )
        for name, more in (params or {"a": {}}).items()
    }


def probe(folder, asked, secrets=None):
    with Ledger(folder / "ledger.sqlite") as ledger:
        return probe_models(asked, ledger, secrets=secrets or {}, clock=FakeClock())


def test_one_token_a_model_proves_it_and_is_never_paid_twice(tmp_path):
    usage = {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}
    rule = {"times": 0, "finish": "length", "patch": {"usage": usage}}
    with ChatServer(tmp_path, script=[rule]) as server:
        asked = models(tmp_path, server.url, b={}, a={})
        first = probe(tmp_path, asked)
        second = probe(tmp_path, asked)
        calls = server.calls
    assert sorted(call["body"]["model"] for call in calls) == ["a", "b"]
    assert {call["body"]["max_tokens"] for call in calls} == {1}
    assert [found.name for found in first] == ["b", "a"]
    for found in first:
        assert found.error is None
        assert found.answer.served_model == f"{found.name}-served"
        assert found.cost_pico_usd == 9 * 1_000_000 + 1 * 2_000_000
        assert not found.reused
    assert [(found.name, found.reused, found.cost_pico_usd) for found in second] == [
        ("b", True, 11_000_000),
        ("a", True, 11_000_000),
    ]
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        assert ledger.counts(PROBE_RUN).calls["done"] == 2
        assert ledger.counts(PROBE_RUN).spent_pico_usd == 22_000_000


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"status": 401, "body": {"error": {"message": "bad key"}}}, "refused access.*bad key"),
        ({"status": 404, "body": {"error": {"message": "no m"}}}, "knows no such model.*no m"),
        ({"status": 400, "body": {"error": {"message": "top_p?"}}}, "refused the request.*top_p"),
        ({"status": 402, "body": {"error": {"message": "pay"}}}, "no money.*pay"),
        ({"body": "<html>", "headers": {"Content-Type": "text/html"}}, "no answer.*text/html"),
        ({"status": 500, "body": {"error": {"message": "oops"}}}, "oops"),
    ],
)
def test_what_is_wrong_stands_in_the_probe(tmp_path, rule, words):
    with ChatServer(tmp_path, script=[{"times": 0, **rule}]) as server:
        (found,) = probe(tmp_path, models(tmp_path, server.url))
        assert len(server.calls) == 1
    assert found.error is not None
    with pytest.raises(type(found.error), match=words):
        raise found.error


def test_a_server_that_turns_it_away_is_tried_once_more(tmp_path):
    rule = {"times": 0, "status": 503, "body": {"error": {"message": "loading"}}}
    with ChatServer(tmp_path, script=[rule]) as server:
        (found,) = probe(tmp_path, models(tmp_path, server.url))
        assert len(server.calls) == 2
    assert "loading" in str(found.error)


def test_a_server_that_is_away_spoils_no_other(tmp_path):
    with ChatServer(tmp_path) as server:
        asked = models(tmp_path, server.url, away={"base_url": "http://127.0.0.1:9/v1"}, here={})
        away, here = probe(tmp_path, asked)
    assert "no connection to http://127.0.0.1:9/v1" in str(away.error)
    assert here.error is None


def test_a_model_that_reasons_gets_room_for_it(tmp_path):
    with ChatServer(tmp_path) as server:
        asked = models(tmp_path, server.url, **{"gpt-5-mini": {"profile": "openai"}})
        (found,) = probe(tmp_path, asked)
        (call,) = server.calls
    assert call["body"]["max_completion_tokens"] == found.most_tokens == 16


def test_the_key_of_azure_has_a_header_of_its_own(tmp_path):
    params = {"profile": "azure", "api_key_env": "K", "api_version": "2024-10-21"}
    with ChatServer(tmp_path) as server:
        probe(tmp_path, models(tmp_path, server.url, a=params), {"K": "sesame"})
        (call,) = server.calls
    assert "api-key" in call["headers"]
    assert call["authorization"] is None
    assert call["path"].endswith("?api-version=2024-10-21")


def test_a_prompt_that_cannot_fit_is_not_sent(tmp_path):
    asker = Asker(tmp_path)
    with ChatServer(tmp_path) as server:
        long, short = asker.ask(server, ["x" * 3000, "x"], context_length=100)
        assert len(server.calls) == 1
    assert (long.status, long.prompt_tokens) == ("error", None)
    assert "the context only 100" in long.reason
    assert short.status == "ok"


def recipe(folder, server_url, **sections):
    entry = {"provider": "openai_compatible", "max_tokens": 50, "base_url": server_url}
    data = tiny_recipe.data(**sections)
    for name in ("answers", "judges", "idle"):
        data["models"][name] = {**entry, "model": name, "execution": "batch"}
    data["generate"] = {**data["generate"], "models": ["first", "answers"], "prompts": ["ask"]}
    data["prompts"] = {"ask": {"file": "ask.j2", "slots": {"text": "field:input"}}}
    (folder / "ask.j2").write_text("Sum up: {{ text }}", encoding="utf-8")
    return load_recipe(str(tiny_recipe.write(folder, data)))


def test_only_models_on_servers_that_the_recipe_uses_are_asked(tmp_path):
    (tmp_path / "judge.j2").write_text("Rate {{ output }}", encoding="utf-8")
    judge = {
        "type": "llm",
        "model": "judges",
        "prompt": {"file": "judge.j2", "slots": {"output": "judged:output"}},
        "scores": {"good": {"range": [0, 10]}},
    }
    found = server_models(recipe(tmp_path, "http://127.0.0.1:9/v1", judges={"j": judge}))
    assert list(found) == ["answers", "judges"]
    assert {model.execution for model in found.values()} == {"interactive"}
