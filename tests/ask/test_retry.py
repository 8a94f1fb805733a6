import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.ask.retry import (
    LONGEST_WAIT_S,
    backoff_s,
    judge_status,
    reset_after_s,
    retry_after_s,
)
from toolkit.errors import RunError, UserError

NOW = datetime(2026, 5, 1, 12, 0, 0, tzinfo=UTC)
KEY = "0123456789abcdef" * 4


def judge(status, code="", headers=None, message="words"):
    body = json.dumps({"error": {"message": message, "code": code}}).encode()
    return judge_status(status, headers or {}, body, now=NOW, key_name="MY_KEY")


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (429, "rate_limit_exceeded", "not_processed"),
        (503, "", "not_processed"),
        (529, "overloaded_error", "not_processed"),
        (500, "", "unknown"),
        (502, "", "unknown"),
        (504, "", "unknown"),
        (408, "", "unknown"),
        (429, "insufficient_quota", "stop"),
        (402, "", "stop"),
        (400, "", "stop"),
        (401, "", "stop"),
        (403, "", "stop"),
        (404, "", "stop"),
        (422, "", "stop"),
        (307, "", "stop"),
        (400, "context_length_exceeded", "row"),
        (400, "content_filter", "row"),
        (413, "", "row"),
        (204, "", "row"),
    ],
)
def test_each_status_means_one_thing(status, code, kind):
    verdict = judge(status, code)
    assert verdict.kind == kind
    assert "words" in verdict.reason
    assert (verdict.error is not None) == (kind == "stop")


def test_a_stop_carries_the_words_of_the_server_and_a_remedy():
    no_money = judge(429, "insufficient_quota").error
    assert isinstance(no_money, RunError)
    assert "words" in no_money.message
    refused = judge(401).error
    assert isinstance(refused, UserError)
    assert "words" in refused.message
    assert "MY_KEY" in refused.hint
    moved = judge(308, headers={"location": "http://other/v1"}).error
    assert "http://other/v1" in moved.message


def test_the_provider_filter_is_a_refusal():
    assert judge(400, "content_filter").refused
    assert not judge(400, "context_length_exceeded").refused


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "86400"}, LONGEST_WAIT_S),
        ({"retry-after": "1e400"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Fri, 01 May 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Fri, 01 May 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "Fri, 01 May 2099 11:00:00 GMT"}, LONGEST_WAIT_S),
        ({"retry-after": "Fri, 99 May 2026 11:00:00 GMT"}, None),
    ],
)
def test_retry_after(headers, seconds):
    assert retry_after_s(headers, NOW) == seconds


@given(st.text())
def test_no_retry_after_raises_or_exceeds_the_cap(text):
    seconds = retry_after_s({"retry-after": text}, NOW)
    assert seconds is None or 0.0 <= seconds <= LONGEST_WAIT_S


@given(
    st.integers(1, 50),
    st.text("0123456789abcdef", min_size=64, max_size=64),
    st.none() | st.floats(0, LONGEST_WAIT_S),
)
def test_waits_are_bounded_and_at_least_what_was_told(attempt, key, told):
    wait = backoff_s(attempt, key, told)
    assert wait == backoff_s(attempt, key, told)
    assert 0.0 <= wait <= LONGEST_WAIT_S
    if told is not None:
        assert wait >= told


def test_waits_grow():
    waits = [backoff_s(attempt, KEY) for attempt in range(1, 8)]
    assert waits[0] < 1.0
    assert waits[-1] >= 15.0


def test_zero_is_believed_once():
    assert backoff_s(1, KEY, 0.0) == 0.0
    assert backoff_s(2, KEY, 0.0) > 0.0


@pytest.mark.parametrize(
    ("reset", "seconds"),
    [
        ("1s", 1.0),
        ("12ms", 0.012),
        ("1m3.5s", 63.5),
        ("6m0s", LONGEST_WAIT_S),
        ("1h0m0s", LONGEST_WAIT_S),
        ("2", 2.0),
        ("7.66s", 7.66),
        ("2026-05-01T12:00:30Z", 30.0),
        ("soon", None),
        ("", None),
        ("0s", None),
    ],
)
def test_a_server_that_has_nothing_left_says_for_how_long(reset, seconds):
    for left, until in (
        ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
        ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
        ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
    ):
        assert reset_after_s({left: "0", until: reset}, NOW) == seconds
        assert reset_after_s({left: "1", until: reset}, NOW) is None
        assert reset_after_s({until: reset}, NOW) is None


@given(st.dictionaries(st.sampled_from(["x-ratelimit-reset-requests"]), st.text()))
def test_whatever_a_server_says_of_its_rates_is_a_wait_within_bounds(headers):
    wait_s = reset_after_s({"x-ratelimit-remaining-requests": "0", **headers}, NOW)
    assert wait_s is None or 0.0 <= wait_s <= LONGEST_WAIT_S
