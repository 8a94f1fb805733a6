import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.store.redact import RedactingFilter, looks_secret, redact, register_secret

CANARY = "sk-canary-0123456789abcdef"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"key {CANARY} was refused", "key [redacted] was refused"),
        ("token hf_abcdefghijklmnopqrstuvwxyz", "token [redacted]"),
        ("Authorization: Bearer abcdefgh12345678", "Authorization: Bearer [redacted]"),
        ("GET https://h/v1?api_key=abc123&x=1", "GET https://h/v1?api_key=[redacted]&x=1"),
        ("https://me:pass@host/v1", "https://[redacted]@host/v1"),
        ("{'x-api-key': 'abcdef123'}", "{'x-api-key': '[redacted]'}"),
        ("AIzaSyA-1234567890abcdefghij", "[redacted]"),
    ],
)
def test_known_shapes_are_masked(text, kept):
    assert redact(text) == kept


@pytest.mark.parametrize(
    "text",
    [
        "risk-adjusted models; task-based; the basic idea",
        "we asked whether token counts matter",
        "https://example.org/v1?page=2",
        "disk-0123456789abcdef",
    ],
)
def test_ordinary_text_stays(text):
    assert redact(text) == text


def test_registered_values_are_masked_whatever_they_look_like():
    register_secret("correct horse battery")
    assert redact("got 'correct horse battery' back") == "got '[redacted]' back"
    assert looks_secret("correct horse battery")


def test_short_values_are_not_registered():
    register_secret("the")
    assert redact("the end") == "the end"


@given(st.text(), st.text())
def test_redaction_is_idempotent_and_leaves_no_canary(before, after):
    once = redact(f"{before} {CANARY} {after}")
    assert CANARY not in once
    assert redact(once) == once


def test_log_records_are_masked_in_message_arguments_and_traceback(caplog):
    logger = logging.getLogger("redact-test")
    logger.addFilter(RedactingFilter())
    try:
        raise ValueError(CANARY)
    except ValueError:
        logger.exception("failed with %s", CANARY)
    text = caplog.text + str(caplog.records[0].exc_text)
    assert "[redacted]" in text
    assert CANARY not in text
