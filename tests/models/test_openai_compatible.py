from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.errors import UserError
from toolkit.models.base import Message, ModelRequest, Price, ServerModel
from toolkit.models.openai_compatible import OpenAICompatible, OpenAICompatibleParams, Prices


def model(**params):
    values = {"model": "m", "max_tokens": 10, "base_url": "http://127.0.0.1:8000/v1"}
    return OpenAICompatible(OpenAICompatibleParams(**{**values, **params}), Path())


def body(repeat=0, **params):
    asked = ModelRequest("1", repeat, (Message("system", "s"), Message("user", "u")))
    return model(**params).ledger_request(asked).body


def test_only_what_the_recipe_says_is_sent():
    assert body() == {
        "model": "m",
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
        "max_tokens": 10,
    }
    assert body(temperature=0.0, top_p=0.5, stop=("x",), reasoning_effort="low", seed=7) == {
        **body(),
        "temperature": 0.0,
        "top_p": 0.5,
        "stop": ["x"],
        "reasoning_effort": "low",
        "seed": 7,
    }


def test_the_profile_spells_the_limit():
    spelled = body(profile="openai")
    assert spelled["max_completion_tokens"] == 10
    assert "max_tokens" not in spelled


def test_a_seed_differs_between_repeats():
    assert body(1, seed=7)["seed"] == 8
    assert "seed" not in body(1)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"profile": "opnai"}, "unknown profile 'opnai'"),
        ({"base_url": "ftp://h/v1"}, "no http"),
        ({"base_url": "api.example.org/v1"}, "no http"),
        ({"base_url": "https:///v1"}, "no http"),
        ({"base_url": "https://h:99999/v1"}, "no http"),
        ({"base_url": "https://u:p@h/v1"}, "more than an address"),
        ({"base_url": "https://h/v1?key=abc"}, "more than an address"),
        ({"base_url": "https://h/v1/chat/completions"}, "ends with /chat/completions"),
        ({"base_url": "https://api.openai.com/v1/"}, "needs a key"),
        ({"api_key_env": "sk-abcdefgh12345678"}, "no name of an environment variable"),
        ({"api_key_env": "hf_abcdefghijklmnopqrstuv"}, "no name of an environment variable"),
        ({"api_key_env": "MY KEY"}, "no name of an environment variable"),
        ({"extra_body": {"max_tokens": 1}}, "repeats max_tokens"),
        ({"extra_body": {"max_completion_tokens": 1}}, "repeats max_completion_tokens"),
        ({"extra_body": {"stream": True}}, "may not hold stream"),
        ({"extra_body": {"n": 2}}, "may not hold n"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"concurrency": 0}, "concurrency"),
    ],
)
def test_what_cannot_be_used_is_refused(params, words):
    with pytest.raises(UserError, match=words) as caught:
        model(**params)
    assert caught.value.hint
    for secret in ("sk-abcdefgh", "hf_abcdef", "u:p@", "key=abc"):
        assert secret not in str(caught.value)


@pytest.mark.parametrize("same", [{"timeout_s": 1.0}, {"concurrency": 3}, {"api_key_env": "K"}])
def test_what_changes_no_answer_changes_no_fingerprint(same):
    assert model(**same).fingerprint() == model().fingerprint()


@pytest.mark.parametrize(
    "other",
    [
        {"model": "n"},
        {"max_tokens": 11},
        {"temperature": 0.0},
        {"top_p": 1.0},
        {"seed": 0},
        {"stop": ("x",)},
        {"reasoning_effort": "low"},
        {"extra_body": {"a": 1}},
        {"base_url": "http://127.0.0.1:8001/v1"},
        {"api_version": "2026-01-01"},
        {"profile": "openai"},
        {"on_unknown": "record"},
    ],
)
def test_what_can_change_an_answer_changes_the_fingerprint(other):
    assert model(**other).fingerprint() != model().fingerprint()


def test_a_trailing_slash_is_no_other_server():
    assert model(base_url="http://127.0.0.1:8000/v1/").endpoint == "http://127.0.0.1:8000/v1"


def test_prices_become_exact_integers():
    priced = model(prices=Prices(input_per_million=0.0375, output_per_million=15))
    assert priced.price == Price(37_500, 15_000_000, batch_permille=500)
    assert model().price is None
    assert model().cost_bound(ModelRequest("1", 0)) == 0


@given(st.text(max_size=50))
def test_the_bound_holds_for_one_token_a_byte(text):
    priced = model(prices=Prices(input_per_million=1, output_per_million=1))
    asked = ModelRequest("1", 0, (Message("user", text),))
    worst = len(text.encode("utf-8", "surrogatepass")) + 10
    assert priced.cost_bound(asked) > priced.price.cost(worst, 0)


def test_it_is_a_server_model_and_travels():
    import pickle

    copy = pickle.loads(pickle.dumps(model(temperature=0.0)))
    assert isinstance(copy, ServerModel)
    assert copy.fingerprint() == model(temperature=0.0).fingerprint()
