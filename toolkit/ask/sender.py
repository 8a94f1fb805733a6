"""One request from claim to settlement: the only place where a paid call is made."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from toolkit.ask.check import reply_of
from toolkit.ask.client import ChatClient
from toolkit.ask.outcome import CallOutcome, judge_exchange
from toolkit.ask.retry import ATTEMPTS, Clock, Verdict, backoff_s
from toolkit.errors import RunError, ToolkitError
from toolkit.models.base import Answer, ModelRequest, ServerModel
from toolkit.store.ledger import PICO, Claim, Ledger, LedgerRequest, Settlement

__all__ = ["AskCounts", "Asked", "Sender", "Task"]

T = TypeVar("T")

_GIVE_UP: Final = 20
"""Requests in a row that may end without an outcome before the server counts as broken."""

_BUSY_S: Final = 0.1
"""How often to look at a request that somebody else has claimed, in seconds."""


@dataclass(slots=True)
class AskCounts:
    """What was done so far in one asking.

    Attributes:
        made: calls made here that are finished.
        reused: requests whose call was finished before.
        failed: of made and reused, those whose reply was no answer.
        turned_away: calls that were certainly not processed.
        unknown: calls whose outcome nobody knows.
        prompt_tokens: tokens read in calls made here, as reported.
        completion_tokens: tokens written in calls made here, as reported.
        cost_pico_usd: cost of calls made here, upper bounds where it is not known.
    """

    made: int = 0
    reused: int = 0
    failed: int = 0
    turned_away: int = 0
    unknown: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_pico_usd: int = 0


@dataclass(frozen=True, slots=True)
class Task:
    """A request and its 0-based position."""

    index: int
    request: ModelRequest


@dataclass(frozen=True, slots=True)
class Asked:
    """An answered request.

    Attributes:
        index: 0-based position of the request.
        request: the request.
        answer: the reply, unparsed.
        reused: the call was finished before this asking.
    """

    index: int
    request: ModelRequest
    answer: Answer
    reused: bool


class Sender:
    """Sends requests of one model; lives in one event loop."""

    def __init__(
        self,
        model: ServerModel,
        ledger: Ledger,
        *,
        run: str,
        budget_pico_usd: int | None,
        counts: AskCounts,
        clock: Clock,
        deliver: Callable[[Asked], None],
    ) -> None:
        """Keep whom to ask, where to write it down, and where answers go."""
        self.problem: ToolkitError | None = None
        self.stopping = False
        self.unanswered = 0
        self.reason = ""
        self.opened = asyncio.Event()
        self._model = model
        self._ledger = ledger
        self._run = run
        self._budget = budget_pico_usd
        self._counts = counts
        self._clock = clock
        self._deliver = deliver
        self._client: ChatClient | None = None
        self._in_flight = 0
        self._in_a_row = 0
        self._waiting = 0
        self._gate = asyncio.Event()
        self._gate.set()
        self._stopped = asyncio.Event()

    def client(self, secret: str | None) -> ChatClient:
        """Make the client that this sender uses; the caller opens and closes it."""
        self._client = ChatClient(self._model, secret)
        return self._client

    def stop(self, problem: ToolkitError | None = None) -> None:
        """Send nothing more; keep the first problem that anybody had."""
        if problem is not None and self.problem is None:
            self.problem = problem
        self.stopping = True
        self._stopped.set()
        self._gate.set()
        self.opened.set()

    async def handle(self, task: Task) -> None:
        """Bring one request to an answer, or note that it has none."""
        try:
            await self._handle(task)
        except ToolkitError as error:
            self.unanswered += 1
            self.stop(error)

    async def _handle(self, task: Task) -> None:
        request = self._model.ledger_request(task.request)
        bound = self._model.cost_bound(task.request)
        await self._gate.wait()
        claim = await self._claim(request, bound)
        if claim is None:
            self._no_answer("")
        elif claim.stored is not None:
            self._counts.reused += 1
            self._hand_out(task, reply_of(claim.stored), reused=True)
        else:
            try:
                await self._call_until_settled(task, request, bound, claim.call)
            except asyncio.CancelledError:
                # Queued behind the call's own end; without it the claim would stay with this
                # ledger for as long as the ledger is open.
                self._ledger.release(request)
                raise

    async def _claim(self, request: LedgerRequest, bound: int) -> Claim | None:
        """Return a claim to send or a finished call; None when asking was stopped meanwhile."""
        while not self.stopping:
            claim = await self._granted(
                self._ledger.claim(
                    request,
                    run=self._run,
                    reserve_pico_usd=bound,
                    budget_pico_usd=self._budget,
                )
            )
            if claim.kind in ("send", "stored"):
                return claim
            if claim.kind == "budget" and self._in_flight == 0:
                self.stop(self._over_budget())
                return None
            await self._pause(_BUSY_S)
        return None

    async def _granted(self, future: Future[Claim]) -> Claim:
        """Wait for a claim; one that is granted after a cancellation is given back."""

        def give_back(done: Future[Claim]) -> None:
            if done.exception() is None and done.result().kind == "send":
                settlement = Settlement(outcome="not_processed", reason="stopped before sending")
                with suppress(RuntimeError):
                    self._ledger.settle(done.result().call, settlement)

        try:
            return await asyncio.shield(asyncio.wrap_future(future))
        except asyncio.CancelledError:
            future.add_done_callback(give_back)
            raise

    async def _call_until_settled(
        self, task: Task, request: LedgerRequest, bound: int, call: int
    ) -> None:
        turned_away = unknown = 0
        while True:
            outcome = await self._one_call(request, call)
            settlement, verdict = outcome.settlement, outcome.verdict
            if outcome.answer is not None:
                await self._write(call, settlement, bound)
                self._in_a_row = 0
                self._counts.made += 1
                self.opened.set()
                self._hand_out(task, outcome.answer, reused=False)
                return
            turned_away += verdict.kind == "not_processed"
            unknown += verdict.kind == "unknown"
            again = (
                not self.stopping
                and verdict.kind != "stop"
                and turned_away < ATTEMPTS
                and unknown <= self._model.max_unknown_retries
            )
            await self._write(call, settlement, bound, keep=again)
            if verdict.kind == "unknown":
                self.opened.set()
            if not again:
                self._give_up(task, verdict)
                return
            wait_s = backoff_s(turned_away + unknown, request.key, verdict.wait_s)
            await self._wait_turn(wait_s, everybody=verdict.wait_s is not None)
            next_call = await self._send_again(request, bound)
            if next_call is None:
                self._no_answer(verdict.reason)
                return
            call = next_call

    async def _one_call(self, request: LedgerRequest, call: int) -> CallOutcome:
        assert self._client is not None
        self._in_flight += 1
        try:
            exchange = await self._client.exchange(request)
        except asyncio.CancelledError:
            # Queued, not awaited: closing the ledger writes down what was queued before.
            self._ledger.settle(
                call, Settlement(outcome="unknown", reason="the run was stopped while it ran")
            )
            raise
        finally:
            self._in_flight -= 1
        return judge_exchange(exchange, self._model, self._clock.now())

    async def _write(
        self, call: int, settlement: Settlement, bound: int, *, keep: bool = False
    ) -> None:
        counts = self._counts
        counts.prompt_tokens += settlement.prompt_tokens or 0
        counts.completion_tokens += settlement.completion_tokens or 0
        counts.turned_away += settlement.outcome == "not_processed"
        counts.unknown += settlement.outcome == "unknown"
        if settlement.outcome != "not_processed":
            cost = settlement.cost_pico_usd
            counts.cost_pico_usd += bound if cost is None else cost
        # Shielded: a cancellation now must not lose an answer that has come.
        await asyncio.shield(_await(self._ledger.settle(call, replace(settlement, keep=keep))))

    async def _send_again(self, request: LedgerRequest, bound: int) -> int | None:
        while not self.stopping:
            claim = await self._granted(
                self._ledger.send_again(
                    request,
                    run=self._run,
                    reserve_pico_usd=bound,
                    budget_pico_usd=self._budget,
                )
            )
            if claim.kind == "send":
                return claim.call
            if self._in_flight == 0:
                self.stop(self._over_budget())
                break
            await self._pause(_BUSY_S)
        await _await(self._ledger.release(request))
        return None

    async def _wait_turn(self, seconds: float, *, everybody: bool) -> None:
        """Wait before the next try; new requests wait too when the server said for how long."""
        if not everybody:
            await self._pause(seconds)
            return
        self._waiting += 1
        self._gate.clear()
        try:
            await self._pause(seconds)
        finally:
            self._waiting -= 1
            if self._waiting == 0 or self.stopping:
                self._gate.set()

    async def _pause(self, seconds: float) -> None:
        """Wait, but no longer than until asking is stopped."""
        sleep = asyncio.ensure_future(self._clock.sleep(seconds))
        stopped = asyncio.ensure_future(self._stopped.wait())
        try:
            await asyncio.wait({sleep, stopped}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            sleep.cancel()
            stopped.cancel()

    def _give_up(self, task: Task, verdict: Verdict) -> None:
        if verdict.kind == "unknown" and self._model.on_unknown == "record" and not self.stopping:
            self._hand_out(
                task, Answer("error", reason=f"outcome unknown: {verdict.reason}"), reused=False
            )
            return
        self._no_answer(verdict.reason)
        self._in_a_row += 1
        if verdict.kind == "stop":
            self.stop(verdict.error)
        elif verdict.kind == "not_processed" or self._in_a_row >= _GIVE_UP:
            self.stop()

    def _no_answer(self, reason: str) -> None:
        self.unanswered += 1
        self.reason = self.reason or reason

    def _hand_out(self, task: Task, answer: Answer, *, reused: bool) -> None:
        self._counts.failed += answer.status == "error"
        self._deliver(Asked(task.index, task.request, answer, reused))

    def _over_budget(self) -> RunError:
        budget = (self._budget or 0) / PICO
        return RunError(
            f"the next call might exceed the budget of ${budget:g}",
            hint="raise execution.budget_usd and run again; finished calls are not made again",
        )


async def _await(future: Future[T]) -> T:
    return await asyncio.wrap_future(future)
