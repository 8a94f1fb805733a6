"""What goes into the ledger and what comes out of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

from toolkit.store.canonical import canonical_json, text_digest

__all__ = [
    "PICO",
    "Claim",
    "LedgerCounts",
    "LedgerRequest",
    "Outcome",
    "Settlement",
    "StoredReply",
]

Outcome = Literal["done", "failed", "not_processed", "unknown"]

PICO: Final = 10**12
"""Pico-dollars in a dollar. Money is counted in integers, so that sums are exact."""


# Without slots, because what is computed from it is kept: it is needed several times a call.
@dataclass(frozen=True)
class LedgerRequest:
    """A request as its server sees it; its body is never changed once it is here.

    Attributes:
        provider: the model member, e.g. ``openai_compatible``.
        base_url: address without a trailing slash.
        api_version: version of the API, empty where the provider has none.
        body: the whole request body: model, messages, every sampling parameter.
        repeat: 0-based repeat.
    """

    provider: str
    base_url: str
    api_version: str
    body: dict[str, Any]
    repeat: int

    @cached_property
    def content(self) -> str:
        """The canonical JSON text of the body: the very text that is sent."""
        return canonical_json(self.body)

    @cached_property
    def key(self) -> str:
        """The sha256 that stands for this request: 64 hex digits.

        It is the digest of the canonical JSON of all five values, put together around
        :attr:`content` so that a long body is written out only once.
        """
        before = canonical_json({"api_version": self.api_version, "base_url": self.base_url})
        after = canonical_json({"provider": self.provider, "repeat": self.repeat})
        return text_digest(f'{before[:-1]},"body":{self.content},{after[1:]}')


@dataclass(frozen=True, slots=True)
class StoredReply:
    """A finished call.

    Attributes:
        state: ``done`` for a valid reply, ``failed`` for one that was no answer.
        status: ``ok`` for a done call; the answer's status for a failed one.
        reason: why it failed; empty otherwise.
        content_type: Content-Type header of the reply.
        response: body of the reply; of a failed one at most the first 64 KiB.
        calls: finished calls of this request so far, over all runs; this reply is the last's.
    """

    state: Literal["done", "failed"]
    status: str
    reason: str
    content_type: str
    response: bytes
    calls: int = 1


@dataclass(frozen=True, slots=True)
class Claim:
    """What the ledger says to somebody who wants to send a request.

    Attributes:
        kind: ``send`` (you own it: send now), ``stored`` (finished before), ``busy``
            (somebody else is at it: ask again later) or ``budget`` (it might exceed the
            run's budget).
        call: id of the call row to settle, for ``send``.
        stored: the finished call, for ``stored``.
    """

    kind: Literal["send", "stored", "busy", "budget"]
    call: int = 0
    stored: StoredReply | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """How a call ended.

    Attributes:
        outcome: ``done``, ``failed`` (finished, but no answer), ``not_processed`` (it
            certainly was not, and costs nothing) or ``unknown`` (nobody knows).
        reason: why, in words; empty for ``done``.
        status: answer status stored with a ``failed`` call.
        http_status: status of the reply, None without one.
        content_type: header of the reply.
        response: body of the reply, for ``done`` and ``failed``.
        prompt_tokens: as reported, else None.
        completion_tokens: as reported, else None.
        reasoning_tokens: as reported, else None.
        cost_pico_usd: exact cost, None when it cannot be told (the reservation stays).
        keep: keep the claim, because the same owner sends it again.
    """

    outcome: Outcome
    reason: str = ""
    status: str = "error"
    http_status: int | None = None
    content_type: str = ""
    response: bytes = b""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_pico_usd: int | None = None
    keep: bool = False


@dataclass(frozen=True, slots=True)
class LedgerCounts:
    """What a ledger holds, over all runs or one.

    Attributes:
        requests: requests by state (``done failed unknown open claimed``).
        calls: calls by outcome (``sent done failed not_processed unknown``).
        prompt_tokens: sum over the calls that reported it.
        completion_tokens: sum over the calls that reported it.
        spent_pico_usd: known costs, plus the upper bounds of calls whose cost is not known.
    """

    requests: dict[str, int]
    calls: dict[str, int]
    prompt_tokens: int
    completion_tokens: int
    spent_pico_usd: int
