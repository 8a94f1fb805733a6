import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.ask.asking import PRICES
from toolkit.ask.client import Exchange
from toolkit.ask.outcome import judge_exchange
from toolkit.models.openai_compatible import OpenAICompatible, OpenAICompatibleParams

NOW = datetime(2026, 5, 1, tzinfo=UTC)
USAGE = {
    "prompt_tokens": 10,
    "completion_tokens": 5,
    "total_tokens": 15,
    "prompt_tokens_details": {"cached_tokens": 4},
    "completion_tokens_details": {"reasoning_tokens": 2},
}


def outcome(status=200, usage=None, body=None, prices=PRICES, kind="reply", **params):
    values = {"model": "m", "max_tokens": 10, "base_url": "http://127.0.0.1:8000/v1"}
    model = OpenAICompatible(
        OpenAICompatibleParams(**{**values, "prices": prices, **params}), Path()
    )
    choice = {"finish_reason": "stop", "message": {"role": "assistant", "content": "Yes."}}
    reply = {"choices": [choice], "usage": usage} if body is None else body
    exchange = Exchange(
        kind,
        reason="" if kind == "reply" else "torn",
        status=status,
        headers={"content-type": "application/json"},
        body=json.dumps(reply).encode(),
    )
    return judge_exchange(exchange, model, NOW)


def test_a_reply_is_priced_as_it_was_billed():
    from toolkit.models.openai_compatible import Prices

    prices = Prices(
        input_per_million=1,
        output_per_million=10,
        cached_input_per_million=0.1,
        reasoning_per_million=20,
    )
    found = outcome(usage=USAGE, prices=prices)
    assert found.settlement.outcome == "done"
    assert found.settlement.cost_pico_usd == 6 * 10**6 + 4 * 10**5 + 3 * 10**7 + 2 * 2 * 10**7
    assert (found.answer.cached_tokens, found.answer.reasoning_tokens) == (4, 2)
    half = outcome(usage=USAGE, prices=prices, execution="batch")
    assert half.settlement.cost_pico_usd * 2 == found.settlement.cost_pico_usd


def test_reasoning_that_is_left_out_of_the_completion_is_paid_all_the_same():
    usage = {"prompt_tokens": 20, "completion_tokens": 198, "total_tokens": 623}
    found = outcome(usage=usage)
    assert found.answer.completion_tokens == 603
    assert found.settlement.cost_pico_usd == 20 * 10**6 + 603 * 2 * 10**6


@pytest.mark.parametrize(("usage", "prices"), [(None, PRICES), (USAGE, None)])
def test_without_usage_or_prices_a_cost_is_unknown_and_not_zero(usage, prices):
    assert outcome(usage=usage, prices=prices).settlement.cost_pico_usd is None


@pytest.mark.parametrize("code", ["content_filter", "context_length_exceeded"])
def test_the_last_word_about_one_request_is_its_row(code):
    error = {"error": {"code": code, "message": "no"}}
    found = outcome(400, body=error)
    assert found.settlement.outcome == "failed"
    assert found.answer.status == ("refused" if code == "content_filter" else "error")
    assert "no" in found.answer.reason


@pytest.mark.parametrize(
    ("status", "kind", "outcome_is", "verdict"),
    [
        (429, "reply", "not_processed", "not_processed"),
        (503, "reply", "not_processed", "not_processed"),
        (500, "reply", "unknown", "unknown"),
        (401, "reply", "not_processed", "stop"),
        (0, "not_sent", "not_processed", "not_processed"),
        (0, "unknown", "unknown", "unknown"),
    ],
)
def test_what_brings_no_answer_is_never_a_row(status, kind, outcome_is, verdict):
    found = outcome(status, body={"error": {"message": "no"}}, kind=kind)
    assert found.answer is None
    assert (found.settlement.outcome, found.verdict.kind) == (outcome_is, verdict)


def test_what_comes_with_200_and_is_no_answer_is_a_row():
    found = outcome(body={})
    assert (found.settlement.outcome, found.answer.status) == ("failed", "error")
    assert found.settlement.cost_pico_usd is None
