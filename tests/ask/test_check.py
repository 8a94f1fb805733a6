import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.doubles.chat_server import good_reply
from toolkit.ask.check import BODY_LIMIT, read_reply, reply_of, words_of
from toolkit.models.base import RAW_LIMIT
from toolkit.store.ledger import StoredReply

BODY = {"model": "m", "messages": [{"role": "user", "content": "q"}]}
JSON = "application/json"


def reply(*, message=None, finish="stop", **patch):
    value = good_reply(BODY)
    value["choices"][0]["message"].update(message or {})
    value["choices"][0]["finish_reason"] = finish
    return json.dumps({**value, **patch}).encode()


def test_a_good_reply():
    answer = read_reply(f"{JSON}; charset=UTF-8", reply(message={"content": " Yes. "}))
    assert (answer.status, answer.answer, answer.raw) == ("ok", " Yes. ", " Yes. ")
    assert (answer.prompt_tokens, answer.completion_tokens) == (4, 8)
    assert answer.served_model == "m-served"
    assert answer.finish_reason == "stop"


@pytest.mark.parametrize(
    ("content_type", "body", "reason"),
    [
        ("text/html", b"<html>gateway</html>", "text/html"),
        (JSON, b"<html>gateway</html>", "not JSON"),
        (JSON, b"{}", "no choices"),
        (JSON, b"", "not JSON"),
        (JSON, b"[]", "no object"),
        (JSON, b'{"id": "x", "choi', "not JSON, or cut off"),
        (JSON, b"[" * 100_000, "not JSON"),
        (JSON, reply().replace(b"Treatment", b"caf\xe9"), "not UTF-8"),
        (f"{JSON}; charset=latin-1", reply(), "latin-1"),
        (JSON, b" " * (BODY_LIMIT + 1), "longer than 8 MiB"),
        (JSON, reply(choices=[]), "no choices"),
        (JSON, reply(choices=None), "no choices"),
        (JSON, reply(choices=[{}, {}]), "2 choices"),
        (JSON, reply(choices=["x"]), "1 choices"),
        (JSON, reply(choices=[{"finish_reason": "stop"}]), "no message"),
        (JSON, reply(message={"content": None}), "no content"),
        (JSON, reply(message={"content": [{"type": "image_url"}]}), "no text"),
        (JSON, reply(message={"content": {"text": "x"}}), "no text"),
        (JSON, reply(message={"content": "\ud800"}), "surrogate"),
        (JSON, reply(message={"role": "user"}), "assistant"),
        (JSON, reply(finish=None), "why it ended"),
        (JSON, reply(finish="tool_calls"), "tool_calls"),
        (JSON, reply(error={"message": "overloaded"}), "overloaded"),
        (JSON, reply(usage=float("nan")), "not JSON"),
    ],
)
def test_what_is_no_answer_is_an_error_with_its_bytes_kept(content_type, body, reason):
    answer = read_reply(content_type, body)
    assert answer.status == "error"
    assert reason in answer.reason
    assert answer.answer is None
    assert answer.raw[:20] == body[:20].decode("utf-8", "backslashreplace")
    assert len(answer.raw.encode()) <= RAW_LIMIT


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        (reply(finish="length", message={"content": "Half"}), "truncated", "Half"),
        (reply(finish="length", message={"content": None, "reasoning": "x"}), "truncated", None),
        (reply(finish="content_filter", message={"content": "Half"}), "refused", None),
        (reply(finish="content_filter", message={"content": None}), "refused", None),
        (reply(message={"content": None, "refusal": "I cannot."}), "refused", None),
        (reply(message={"content": ""}), "ok", ""),
    ],
)
def test_flags_are_kept(body, status, text):
    answer = read_reply(JSON, body)
    assert (answer.status, answer.answer) == (status, text)
    assert (answer.reason == "") == (status == "ok")


def test_reasoning_of_the_provider_stands_apart():
    answer = read_reply(
        JSON,
        reply(
            message={"content": "Yes.", "reasoning_content": "because"},
            usage={
                "prompt_tokens": 1,
                "completion_tokens": 9,
                "completion_tokens_details": {"reasoning_tokens": 7},
            },
        ),
    )
    assert (answer.answer, answer.reasoning, answer.reasoning_tokens) == ("Yes.", "because", 7)


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": True}, {"prompt_tokens": -1}, "x"])
def test_usage_that_makes_no_sense_is_missing_and_never_zero(usage):
    answer = read_reply(JSON, reply(usage=usage))
    assert answer.status == "ok"
    assert answer.prompt_tokens is None


@given(st.binary(max_size=300))
def test_no_bytes_raise_and_none_is_an_answer_by_chance(body):
    assert read_reply(JSON, body).status == "error"


def test_a_stored_reply_reads_as_it_did():
    body = reply(message={"content": "Yes."})
    stored = StoredReply("done", "ok", "", JSON, body)
    assert reply_of(stored) == read_reply(JSON, body)
    failed = reply_of(StoredReply("failed", "error", "no choices", JSON, b"{}"))
    assert (failed.status, failed.reason, failed.raw) == ("error", "no choices", "{}")
    refused = reply_of(StoredReply("failed", "refused", "HTTP 400: no", JSON, b"{}"))
    assert (refused.status, refused.finish_reason) == ("refused", "content_filter")


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (b'{"error": {"message": "no", "code": "c"}}', "c", "no"),
        (b'{"error": {"message": "no", "type": "t"}}', "t", "no"),
        (b'{"error": "plain"}', "", "plain"),
        (b'{"detail": "fast"}', "", "fast"),
        (b"<b>\x1b[31mred\n</b>", "", "<b> [31mred </b>"),
        (b"", "", ""),
        (b'{"error": {"message": "key sk-abcdefgh12345678 bad"}}', "", "key [redacted] bad"),
    ],
)
def test_the_words_of_a_server_are_cleaned(body, code, words):
    assert words_of(body) == (code, words)


def test_the_text_of_the_completions_endpoint():
    body = json.dumps({"choices": [{"text": " and so on", "finish_reason": "length"}]}).encode()
    answer = read_reply(JSON, body)
    assert (answer.status, answer.answer) == ("truncated", " and so on")


def test_text_in_parts_is_one_text():
    parts = [{"type": "text", "text": "Yes"}, {"type": "text", "text": ", it is."}]
    assert read_reply(JSON, reply(message={"content": parts})).answer == "Yes, it is."


@pytest.mark.parametrize(
    "message",
    [
        {"reasoning": "because"},
        {"reasoning_content": "because"},
        {"reasoning_details": [{"type": "reasoning.text", "text": "because"}]},
        {"reasoning_details": [{"type": "reasoning.summary", "summary": "because"}, "x"]},
        {"reasoning": None, "reasoning_content": "because"},
    ],
)
def test_reasoning_is_kept_apart_whatever_it_is_called(message):
    answer = read_reply(JSON, reply(message={"content": "Yes.", **message}))
    assert (answer.answer, answer.reasoning) == ("Yes.", "because")


def test_encrypted_reasoning_is_no_text():
    details = [{"type": "reasoning.encrypted", "data": "AAAA"}]
    assert read_reply(JSON, reply(message={"reasoning_details": details})).reasoning is None


def test_the_fingerprint_of_the_server_stands_beside_its_model():
    answer = read_reply(JSON, reply(system_fingerprint="fp_1"))
    assert answer.served_model == "m-served (fp_1)"


def test_filter_results_on_a_good_reply_do_not_spoil_it():
    results = [{"prompt_index": 0, "content_filter_results": {"hate": {"filtered": False}}}]
    assert read_reply(JSON, reply(prompt_filter_results=results)).status == "ok"


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
def test_tokens_written_are_never_fewer_than_reported(read, written, total):
    usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": total}
    answer = read_reply(JSON, reply(usage=usage))
    assert answer.completion_tokens == max(written, total - read)
