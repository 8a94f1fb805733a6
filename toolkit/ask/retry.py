"""What a failed call means, and when the next one may be sent.

The rule: a request is sent again of its own accord only when it certainly was not processed.
Where nobody knows, it is *unknown*: counted, priced, and sent again only within the allowance
of the recipe. Where sending again cannot help, the run stops with the server's words.
"""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final, Literal, Protocol

from toolkit.ask.check import words_of
from toolkit.errors import RunError, ToolkitError, UserError

__all__ = [
    "ATTEMPTS",
    "ATTEMPTS_IN_ALL",
    "LONGEST_WAIT_S",
    "Clock",
    "SystemClock",
    "Verdict",
    "backoff_s",
    "judge_status",
    "reset_after_s",
    "retry_after_s",
]

ATTEMPTS: Final = 8
"""Calls of one request in a row, while no other was taken either, that a server may turn away
before the run gives up on the server."""

ATTEMPTS_IN_ALL: Final = 64
"""Calls of one request that a server may turn away before the run goes on without it."""

LONGEST_WAIT_S: Final = 120.0
"""Cap on what a server may make us wait before the next try, in seconds."""

_NO_MONEY: Final = frozenset(
    {"insufficient_quota", "billing_hard_limit_reached", "insufficient_credits"}
)
_TOO_LONG: Final = frozenset({"context_length_exceeded", "exceed_context_size_error"})
_FILTERED: Final = frozenset({"content_filter", "content_policy_violation"})
_TURNED_AWAY: Final = frozenset({425, 429, 503, 529})
_UNCLEAR: Final = frozenset({408, 409})
_QUOTAS: Final = (
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
    ("anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"),
)
_NUMBER: Final = r"(\d{1,9}(?:\.\d{1,9})?)"
_DURATION: Final = re.compile(
    rf"(?:{_NUMBER}h)?(?:{_NUMBER}m(?!s))?(?:{_NUMBER}s)?(?:{_NUMBER}ms)?", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an HTTP status other than 200 means.

    Attributes:
        kind: ``not_processed``, ``unknown``, ``row`` (a final word about this one request)
            or ``stop`` (no request can succeed).
        reason: in words, with the server's own.
        wait_s: what the server asked for, in seconds; None when it did not say.
        refused: for ``row``: the provider's filter refused the content.
        error: for ``stop``: what to raise.
        everybody: for ``stop``: no request with this key can succeed, of whatever model.
    """

    kind: Literal["not_processed", "unknown", "row", "stop"]
    reason: str
    wait_s: float | None = None
    refused: bool = False
    error: ToolkitError | None = None
    everybody: bool = False


class Clock(Protocol):
    """Time, so that tests need not wait."""

    def now(self) -> datetime:
        """Return the time in UTC."""

    def monotonic(self) -> float:
        """Return seconds from anywhere; they never go back."""

    def sleep(self, seconds: float) -> Coroutine[Any, Any, None]:
        """Wait."""


class SystemClock:
    """The real time."""

    def now(self) -> datetime:
        """Return the time in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds since this machine was started."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait without blocking the event loop."""
        await asyncio.sleep(seconds)


def judge_status(
    status: int, headers: Mapping[str, str], body: bytes, *, now: datetime, key_name: str | None
) -> Verdict:
    """Say what a reply with a status other than 200 means.

    Args:
        status: the HTTP status.
        headers: its headers, names in lower case.
        body: its body, possibly cut.
        now: for a Retry-After that is a date.
        key_name: the variable that holds the key, for the hint.
    """
    code, words = words_of(body)
    reason = f"HTTP {status}: {words}" if words else f"HTTP {status}"
    if code in _NO_MONEY or status == 402:
        return Verdict(
            "stop",
            reason,
            error=RunError(
                f"the provider says that the account has no money or quota left ({reason})",
                hint="top it up, then run again; finished calls are not made again",
            ),
            everybody=True,
        )
    if status in _TURNED_AWAY:
        return Verdict("not_processed", reason, wait_s=retry_after_s(headers, now))
    if status >= 500 or status in _UNCLEAR:
        return Verdict("unknown", reason)
    if code in _FILTERED:
        return Verdict("row", reason, refused=True)
    if code in _TOO_LONG or status == 413:
        return Verdict("row", reason)
    if 200 <= status < 300:
        return Verdict("row", f"{reason} where 200 was expected")
    error = _stop(status, reason, headers, key_name)
    return Verdict("stop", reason, error=error, everybody=status == 401)


def retry_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return how long the server asks to wait, in seconds from 0 to :data:`LONGEST_WAIT_S`.

    Reads ``retry-after-ms``, and ``retry-after`` as seconds or as an HTTP date; None when
    neither is there or neither makes sense.
    """
    for name, scale in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) * scale
        except (KeyError, ValueError):
            continue
        if math.isfinite(seconds):
            return _capped(seconds)
    try:
        date = parsedate_to_datetime(headers["retry-after"])
    except (KeyError, ValueError, TypeError, IndexError, OverflowError):
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return _capped((date - now).total_seconds())


def reset_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return how long a server has nothing left for us, in seconds; None while it has.

    Reads ``x-ratelimit-remaining-requests`` and ``-tokens`` with their ``x-ratelimit-reset-``
    twins (OpenAI and many others: ``1s``, ``6m0s``, ``12ms``, or plain seconds), and the
    ``anthropic-ratelimit-*`` ones (a date). What cannot be read is no reason to wait.

    Args:
        headers: of any reply, names in lower case.
        now: for a reset that is a date.
    """
    waits = []
    for left, reset in _QUOTAS:
        if headers.get(left) == "0" and (wait := _reset_s(headers.get(reset, ""), now)):
            waits.append(wait)
    return _capped(max(waits)) if waits else None


def backoff_s(attempt: int, key: str, told: float | None = None) -> float:
    """Return the wait before the next try, in seconds.

    Doubles from half a second up to 30; the jitter, from a half to the whole of it, comes
    from the request's key, so that a run repeats itself. The server's own word holds for
    the first try; after that the longer of the two.

    Args:
        attempt: tries that were turned away so far, from 1.
        key: the request's key, hexadecimal.
        told: what the server asked for, in seconds.
    """
    jitter = int(key[(attempt * 4) % 56 :][:4], 16) / 0xFFFF
    own = min(30.0, 0.5 * 2.0 ** (attempt - 1)) * (0.5 + jitter / 2)
    if told is None:
        return own
    return told if attempt == 1 else max(told, own)


def _reset_s(text: str, now: datetime) -> float | None:
    if re.fullmatch(_NUMBER, text.strip(), re.ASCII):
        return float(text)
    if match := _DURATION.fullmatch(text.strip()):
        hours, minutes, seconds, millis = (float(part or 0) for part in match.groups())
        return hours * 3600 + minutes * 60 + seconds + millis / 1000
    try:
        date = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return (date - now).total_seconds()


def _capped(seconds: float) -> float:
    return min(max(seconds, 0.0), LONGEST_WAIT_S)


def _stop(
    status: int, reason: str, headers: Mapping[str, str], key_name: str | None
) -> ToolkitError:
    if status in (401, 403):
        hint = (
            f"check the value of the environment variable {key_name}, and what it may do"
            if key_name
            else "this server wants a key: name its variable with api_key_env"
        )
        return UserError(f"the server refused access ({reason})", hint=hint)
    if status == 404:
        return UserError(
            f"the server knows no such model or address ({reason})",
            hint="check model and base_url; base_url often ends with /v1",
        )
    if 300 <= status < 400:
        return UserError(
            f"the server sends on to {headers.get('location', 'another address')!r} ({reason})",
            hint="write that address as base_url; requests are not sent on by themselves",
        )
    return UserError(
        f"the server refused the request ({reason})",
        hint="change the parameter it names; extra_body, temperature and profile are the usual "
        "suspects",
    )
