from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.errors import UserError
from toolkit.models.base import Message, ModelRequest, Price
from toolkit.models.openai_compatible import OpenAICompatible, OpenAICompatibleParams, Prices
from toolkit.models.profiles import PROFILES, profile_named

SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "integer"}},
    "required": ["score"],
}
CLOSED = {**SCHEMA, "additionalProperties": False}
BY_SCHEMA = {
    "response_format": {
        "type": "json_schema",
        "json_schema": {"name": "reply", "strict": True, "schema": CLOSED},
    }
}
MESSAGES = [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]


def made(**params):
    values = {"model": "m", "max_tokens": 10, "base_url": "http://127.0.0.1:8000/v1"}
    return OpenAICompatible(OpenAICompatibleParams(**{**values, **params}), Path())


def body(*, schema=None, max_tokens=None, **params):
    messages = (Message("system", "s"), Message("user", "u"))
    asked = ModelRequest("1", 0, messages, schema=schema, max_tokens=max_tokens)
    return made(**params).ledger_request(asked).body


@pytest.mark.parametrize(
    ("profile", "limit", "off", "structured"),
    [
        ("anthropic", "max_tokens", {}, {}),
        ("azure", "max_completion_tokens", {"reasoning_effort": "none"}, BY_SCHEMA),
        ("gemini", "max_tokens", {"reasoning_effort": "none"}, BY_SCHEMA),
        ("generic", "max_tokens", None, {}),
        (
            "llama_cpp",
            "max_tokens",
            {"chat_template_kwargs": {"enable_thinking": False}},
            BY_SCHEMA,
        ),
        ("ollama", "max_tokens", {"reasoning_effort": "none"}, BY_SCHEMA),
        ("openai", "max_completion_tokens", {"reasoning_effort": "none"}, BY_SCHEMA),
        ("openrouter", "max_tokens", {"reasoning": {"enabled": False}}, BY_SCHEMA),
        ("vllm", "max_tokens", {"chat_template_kwargs": {"enable_thinking": False}}, BY_SCHEMA),
    ],
)
def test_the_body_of_every_profile(profile, limit, off, structured):
    plain = {"model": "m", "messages": MESSAGES, limit: 10}
    assert body(profile=profile) == plain
    assert body(profile=profile, schema=SCHEMA) == {**plain, **structured}
    assert body(profile=profile, schema=SCHEMA, structured="off") == plain
    assert body(profile=profile, max_tokens=99) == {**plain, limit: 99}
    if off is None:
        with pytest.raises(UserError, match="does not know how to switch thinking off"):
            body(profile=profile, thinking="off")
    else:
        assert body(profile=profile, thinking="off") == {**plain, **off}


def test_the_test_above_knows_every_profile():
    marks = test_the_body_of_every_profile.pytestmark[0].args[1]
    assert sorted(mark[0] for mark in marks) == sorted(PROFILES)


def test_effort_is_spelled_as_the_server_wants_it():
    assert body(profile="openai", reasoning_effort="low")["reasoning_effort"] == "low"
    assert body(profile="openrouter", reasoning_effort="low")["reasoning"] == {"effort": "low"}


def test_a_text_is_completed_with_the_names_of_that_endpoint():
    assert body(profile="openai", endpoint="completions") == {
        "model": "m",
        "prompt": "s\n\nu",
        "max_tokens": 10,
    }
    assert made(endpoint="completions").path == "/completions"


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        (SCHEMA, True),
        ({**SCHEMA, "required": []}, False),
        ({**SCHEMA, "additionalProperties": {"type": "string"}}, False),
        ({"type": "object"}, False),
        ({**SCHEMA, "properties": {"score": {"type": "object", "properties": {}}}}, True),
        ({**SCHEMA, "properties": {"score": {"anyOf": [{"type": "object"}]}}}, False),
    ],
)
def test_a_schema_is_strict_only_where_all_of_it_can_be_kept(schema, strict):
    asked = body(profile="openai", schema=schema)["response_format"]["json_schema"]
    assert asked["strict"] is strict


@pytest.mark.parametrize(
    "model",
    ["o1", "o3-mini-2025-01-31", "o4-mini", "gpt-5", "gpt-5-mini", "gpt-5-2025-08-07"],
)
def test_models_that_always_reason_take_no_sampling(model):
    for parameter in ({"temperature": 0.0}, {"top_p": 0.5}):
        with pytest.raises(
            UserError, match=f"'{model}' does not take {next(iter(parameter))}"
        ) as no:
            made(profile="openai", model=model, **parameter)
        assert "remove" in no.value.hint
    with pytest.raises(UserError, match="always reasons"):
        made(profile="azure", model=model, thinking="off")
    assert made(profile="openai", model=model).least_tokens == 16


@pytest.mark.parametrize(
    "model", ["gpt-4o", "gpt-4.1-mini", "my-o1", "o1ly", "gpt-50", "gpt-5-chat-latest", "xo3-mini"]
)
def test_a_name_that_only_looks_alike_is_no_member_of_a_family(model):
    assert made(profile="openai", model=model, temperature=0.0, stop=("x",)).least_tokens == 1


def test_a_newer_model_takes_sampling_where_it_does_not_reason():
    for free in ({}, {"reasoning_effort": "none"}, {"thinking": "off"}):
        assert made(profile="openai", model="gpt-5.4", temperature=0.0, **free)
    with pytest.raises(UserError, match="only with reasoning_effort: none"):
        made(profile="openai", model="gpt-5.4", temperature=0.0, reasoning_effort="low")


def test_all_faults_of_a_model_are_told_at_once():
    with pytest.raises(UserError) as caught:
        made(profile="anthropic", seed=1, temperature=1.5, reasoning_effort="low")
    for words in ("ignores seed", "1.5 to 1", "ignores reasoning_effort"):
        assert words in caught.value.message


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"profile": "openai", "model": "o3", "stop": ("x",)}, "'o3' does not take stop"),
        ({"profile": "openrouter", "execution": "batch"}, "no batch endpoint"),
        ({"profile": "gemini", "endpoint": "completions"}, "no completions endpoint"),
        ({"profile": "vllm", "thinking": "off", "reasoning_effort": "low"}, "says otherwise"),
        ({"base_url": "http://127.0.0.1:1/v1/completions"}, "ends with /completions"),
    ],
)
def test_what_a_server_would_not_keep_is_refused(params, words):
    with pytest.raises(UserError, match=words) as caught:
        made(**params)
    assert caught.value.hint


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_a_profile_with_an_address_names_the_variable_of_its_key(profile):
    known = profile_named(profile)
    if known.base_url is None:
        with pytest.raises(UserError, match="no address of its own"):
            made(profile=profile, base_url=None)
    else:
        with pytest.raises(UserError, match="needs a key") as caught:
            made(profile=profile, base_url=None)
        assert known.api_key_env in caught.value.hint
        assert made(profile=profile, base_url=None, api_key_env="K").endpoint == known.base_url


CENTS = st.integers(0, 10**6).map(lambda n: n / 1000)
TOKENS = st.integers(0, 10**6)


@given(
    st.builds(
        Prices,
        input_per_million=CENTS,
        output_per_million=CENTS,
        cached_input_per_million=st.none() | CENTS,
        reasoning_per_million=st.none() | CENTS,
        batch_discount=st.integers(0, 100).map(lambda n: n / 100),
    ),
    st.text(max_size=40),
    st.booleans(),
    st.data(),
)
def test_no_reply_within_the_limits_costs_more_than_the_bound(prices, text, batch, data):
    asked = ModelRequest("1", 0, (Message("user", text),))
    model = made(prices=prices, execution="batch" if batch else "interactive")
    read = data.draw(st.integers(0, len(text.encode("utf-8", "surrogatepass"))))
    written = data.draw(st.integers(0, 10))
    cost = model.price.cost(
        read,
        written,
        cached_tokens=data.draw(TOKENS),
        reasoning_tokens=data.draw(TOKENS),
        batch=batch,
    )
    assert 0 <= cost <= model.cost_bound(asked)
    assert read + written <= model.token_bound(asked)


def test_cached_and_reasoning_tokens_have_their_own_price():
    price = Price(10, 100, cached_pico_usd=1, reasoning_pico_usd=50, batch_permille=500)
    assert price.cost(8, 6, cached_tokens=3, reasoning_tokens=2) == 5 * 10 + 3 + 4 * 100 + 2 * 50
    assert price.cost(1, 0, cached_tokens=1, batch=True) == 1
    assert Price(10, 100).cost(8, 6, cached_tokens=3, reasoning_tokens=2) == 680
