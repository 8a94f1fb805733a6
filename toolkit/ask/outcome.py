"""What one exchange with a server amounts to: what the ledger writes, what the table gets."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from toolkit.ask.check import read_reply, reply_of
from toolkit.ask.client import Exchange
from toolkit.ask.retry import Verdict, judge_status
from toolkit.models.base import RAW_LIMIT, Answer, ServerModel, Status
from toolkit.store.ledger import Settlement, StoredReply

__all__ = ["CallOutcome", "cost_of", "judge_exchange"]

_NoReply = Literal["not_processed", "unknown"]


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """How a call ended.

    Attributes:
        settlement: what the ledger writes down.
        answer: the final answer; None when there is none.
        verdict: what to do when there is none.
    """

    settlement: Settlement
    answer: Answer | None
    verdict: Verdict


def judge_exchange(exchange: Exchange, model: ServerModel, now: datetime) -> CallOutcome:
    """Say how a call ended.

    Args:
        exchange: what came back, or did not.
        model: who was asked; for its price and the name of its key.
        now: for a Retry-After that is a date.
    """
    if exchange.kind != "reply":
        outcome: _NoReply = "not_processed" if exchange.kind == "not_sent" else "unknown"
        return _unfinished(outcome, Verdict(outcome, exchange.reason), None)
    if exchange.status == 200:
        return _judge_200(exchange, model)
    verdict = judge_status(
        exchange.status, exchange.headers, exchange.body, now=now, key_name=model.secret_name
    )
    if verdict.kind == "row":
        return _failed(exchange, "refused" if verdict.refused else "error", verdict.reason)
    unclear = verdict.kind == "unknown"
    return _unfinished("unknown" if unclear else "not_processed", verdict, exchange.status)


def _unfinished(outcome: _NoReply, verdict: Verdict, status: int | None) -> CallOutcome:
    settlement = Settlement(outcome=outcome, reason=verdict.reason, http_status=status)
    return CallOutcome(settlement, None, verdict)


def _judge_200(exchange: Exchange, model: ServerModel) -> CallOutcome:
    content_type = exchange.headers.get("content-type", "")
    if exchange.stranger:
        return _failed(exchange, "error", "the reply names another request than ours")
    answer = read_reply(content_type, exchange.body)
    if answer.status == "error":
        return _failed(exchange, "error", answer.reason)
    settlement = Settlement(
        outcome="done",
        http_status=200,
        content_type=content_type,
        response=exchange.body,
        prompt_tokens=answer.prompt_tokens,
        completion_tokens=answer.completion_tokens,
        reasoning_tokens=answer.reasoning_tokens,
        cost_pico_usd=cost_of(answer, model),
    )
    return CallOutcome(settlement, answer, Verdict("row", answer.reason))


def cost_of(answer: Answer, model: ServerModel) -> int | None:
    """Return what a reply cost in pico-dollars; None without prices or without its usage."""
    price, read, written = model.price, answer.prompt_tokens, answer.completion_tokens
    if price is None or read is None or written is None:
        return None
    return price.cost(
        read,
        written,
        cached_tokens=answer.cached_tokens or 0,
        reasoning_tokens=answer.reasoning_tokens or 0,
        batch=model.execution == "batch",
    )


def _failed(exchange: Exchange, status: Status, reason: str) -> CallOutcome:
    settlement = Settlement(
        outcome="failed",
        status=status,
        reason=reason,
        http_status=exchange.status,
        content_type=exchange.headers.get("content-type", ""),
        response=exchange.body[:RAW_LIMIT],
    )
    # Read back as a later run will read it, so that both write the same row.
    stored = StoredReply("failed", status, reason, settlement.content_type, settlement.response)
    return CallOutcome(settlement, reply_of(stored), Verdict("row", reason))
