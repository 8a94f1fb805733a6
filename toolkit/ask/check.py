"""The strict check of a reply that calls itself a success.

Client libraries hand out an HTML page as text, an empty object as a completion, and a wrong
charset as a crash. Here a reply is an answer only when every part of it is what it must be.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message as Headers
from typing import Any, Final

from toolkit.models.base import RAW_LIMIT, Answer, cap_text
from toolkit.store.ledger_types import StoredReply
from toolkit.store.redact import redact

__all__ = ["BODY_LIMIT", "read_reply", "reply_of", "words_of"]

BODY_LIMIT: Final = 8 << 20
"""Bytes of a reply that are read; a longer one is no answer to a chat request."""

_COMPLETE: Final = frozenset({"stop", "eos", "eos_token", "end_turn", "stop_sequence"})
_CUT: Final = frozenset({"length", "max_tokens"})
_FILTERED: Final = frozenset({"content_filter", "refusal", "safety"})
_WORDS: Final = 500


class _BadReplyError(Exception):
    """A reply is no answer; the text says why."""


@dataclass(frozen=True, slots=True)
class _Message:
    content: str | None
    refusal: str | None
    reasoning: str | None


def read_reply(content_type: str, body: bytes) -> Answer:
    """Turn the body of a 200 into an answer, or into an ``error`` with the body kept.

    Args:
        content_type: the Content-Type header; empty when there was none.
        body: the whole body, at most :data:`BODY_LIMIT` bytes plus one.

    Returns:
        ``ok``, ``truncated`` or ``refused`` for a valid reply; ``error`` for any other.
    """
    try:
        reply = _json_object(content_type, body)
        return _answer(reply)
    except _BadReplyError as error:
        raw = body[:RAW_LIMIT].decode("utf-8", "backslashreplace")
        return Answer("error", reason=str(error), raw=cap_text(redact(raw)))


def reply_of(stored: StoredReply) -> Answer:
    """Return the answer of a finished call, exactly as it was when the call was made."""
    if stored.state == "done":
        return read_reply(stored.content_type, stored.response)
    raw = stored.response[:RAW_LIMIT].decode("utf-8", "backslashreplace")
    refused = stored.status == "refused"
    return Answer(
        "refused" if refused else "error",
        reason=stored.reason,
        raw=cap_text(redact(raw)),
        finish_reason="content_filter" if refused else None,
    )


def words_of(body: bytes) -> tuple[str, str]:
    """Return the (code, message) of an error body, cleaned for printing.

    A server's words are untrusted: control characters go, secrets it repeats are masked.
    """
    text = body[:RAW_LIMIT].decode("utf-8", "replace")
    code = ""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    if isinstance(data, dict):
        error = data.get("error", data)
        if isinstance(error, dict):
            code = str(error.get("code") or error.get("type") or "")
            text = str(error.get("message") or error.get("detail") or text)
        elif isinstance(error, str):
            text = error
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return code, redact(line)[:_WORDS]


def _json_object(content_type: str, body: bytes) -> dict[str, Any]:
    if len(body) > BODY_LIMIT:
        raise _BadReplyError(f"the reply is longer than {BODY_LIMIT >> 20} MiB")
    header = Headers()
    header["Content-Type"] = content_type or "application/json"
    kind = header.get_content_type()
    if kind != "application/json" and not kind.endswith("+json"):
        raise _BadReplyError(f"the reply is {kind}, not JSON")
    charset = str(header.get_content_charset() or "utf-8")
    if charset not in ("utf-8", "utf8", "us-ascii"):
        raise _BadReplyError(f"the reply says it is in {charset}; JSON is in UTF-8")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _BadReplyError(f"the reply is not UTF-8 (byte {error.start})") from error
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise _BadReplyError("the reply is not JSON, or cut off") from error
    if not isinstance(value, dict):
        raise _BadReplyError("the reply is JSON, but no object")
    return value


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _answer(reply: Mapping[str, Any]) -> Answer:
    if reply.get("error"):
        raise _BadReplyError(f"the reply holds an error: {words_of(json.dumps(reply).encode())[1]}")
    choice = _only_choice(reply)
    message = _message(choice)
    finish = choice.get("finish_reason")
    usage = reply.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    details = usage.get("completion_tokens_details")
    read = usage.get("prompt_tokens_details")
    served = reply.get("model")
    status, reason = _status(finish, message)
    kept = status in ("ok", "truncated")
    return Answer(
        status,
        reason=reason,
        answer=message.content if kept else None,
        raw=cap_text(message.content or message.refusal or ""),
        reasoning=message.reasoning,
        finish_reason=finish,
        prompt_tokens=_count(usage, "prompt_tokens"),
        completion_tokens=_written(usage),
        reasoning_tokens=_count(details, "reasoning_tokens"),
        cached_tokens=_count(read, "cached_tokens"),
        served_model=_served(served, reply.get("system_fingerprint")),
    )


def _only_choice(reply: Mapping[str, Any]) -> dict[str, Any]:
    choices = reply.get("choices")
    if not isinstance(choices, list) or not choices:
        raise _BadReplyError("the reply has no choices")
    if len(choices) != 1 or not isinstance(choices[0], dict):
        raise _BadReplyError(f"the reply has {len(choices)} choices where one was asked for")
    return choices[0]


def _message(choice: Mapping[str, Any]) -> _Message:
    if "message" not in choice and isinstance(choice.get("text"), str):
        # The completions endpoint.
        return _Message(_text(choice["text"]), None, None)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise _BadReplyError("the choice has no message")
    if message.get("role", "assistant") != "assistant":
        raise _BadReplyError("the message is not the assistant's")
    refusal = message.get("refusal")
    return _Message(
        _content(message.get("content")),
        refusal if isinstance(refusal, str) and refusal else None,
        _reasoning(message),
    )


def _content(content: Any) -> str | None:
    """Return the text of a message; its parts joined where it comes in parts."""
    if content is None or isinstance(content, str):
        return content if content is None else _text(content)
    if not isinstance(content, list):
        raise _BadReplyError("the message's content is no text")
    parts: list[str] = []
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind not in ("text", "output_text") or not isinstance(part.get("text"), str):
            raise _BadReplyError("the message's content holds a part that is no text")
        parts.append(part["text"])
    return _text("".join(parts))


def _text(text: str) -> str:
    if not _encodable(text):
        raise _BadReplyError("the message's content holds half a surrogate pair")
    return text


def _reasoning(message: Mapping[str, Any]) -> str | None:
    """Return the reasoning that a provider sends beside the answer, whatever it calls it."""
    for key in ("reasoning_content", "reasoning"):
        thought = message.get(key)
        if isinstance(thought, str) and thought and _encodable(thought):
            return thought
    details = message.get("reasoning_details")
    if isinstance(details, list):
        texts = [
            str(part.get("text") or part.get("summary") or "")
            for part in details
            if isinstance(part, dict)
        ]
        joined = "\n\n".join(text for text in texts if text)
        return joined if joined and _encodable(joined) else None
    return None


def _served(model: Any, fingerprint: Any) -> str | None:
    """Return the name the server answered with, with its own fingerprint where it tells one."""
    if not isinstance(model, str):
        return None
    return f"{model} ({fingerprint})" if isinstance(fingerprint, str) and fingerprint else model


def _status(finish: Any, message: _Message) -> tuple[Any, str]:
    if finish in _FILTERED:
        return "refused", "the provider's filter stopped it"
    if message.refusal is not None:
        return "refused", "the model refused"
    if finish in _CUT:
        return "truncated", "length"
    if finish not in _COMPLETE:
        raise _BadReplyError(
            "the reply does not say why it ended"
            if finish is None
            else f"the reply ended for a reason that is none of a text: {str(finish)[:40]!r}"
        )
    if message.content is None:
        raise _BadReplyError("the message has no content")
    return "ok", ""


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _written(usage: Mapping[str, Any]) -> int | None:
    """Return the tokens written, reasoning included.

    Gemini and some gateways leave reasoning out of ``completion_tokens`` but count it in
    ``total_tokens``, and bill it.
    """
    read, total = _count(usage, "prompt_tokens"), _count(usage, "total_tokens")
    written = _count(usage, "completion_tokens")
    if read is None or total is None or written is None:
        return written
    return max(written, total - read)


def _count(usage: Any, key: str) -> int | None:
    value = usage.get(key) if isinstance(usage, dict) else None
    valid = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
    return value if valid else None
