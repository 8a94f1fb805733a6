"""One request from claim to settlement: the only place where a paid call is made."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Final

from toolkit.ask.bridge import LoopBridge
from toolkit.ask.check import reply_of
from toolkit.ask.client import ChatClient
from toolkit.ask.counts import AskCounts
from toolkit.ask.limiter import Limiter, Seat, Slot
from toolkit.ask.outcome import CallOutcome, judge_exchange
from toolkit.ask.pace import Rates
from toolkit.ask.retry import ATTEMPTS, Clock, Verdict, backoff_s, reset_after_s
from toolkit.ask.server import Ended
from toolkit.ask.tries import Tries
from toolkit.errors import RunError, ToolkitError
from toolkit.models.base import Answer, ModelRequest, ServerModel
from toolkit.store.ledger import PICO, Claim, Ledger, LedgerRequest, Settlement

__all__ = ["Reply", "Sender"]

_GIVE_UP: Final = 20
"""Requests in a row that may end without an outcome before the server counts as broken."""

_BUSY_S: Final = 0.1
"""How often to look at a request that somebody else has claimed, in seconds."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to one request, unparsed.

    Attributes:
        answer: the reply.
        reused: the call was finished before this asking.
    """

    answer: Answer
    reused: bool


@dataclass(frozen=True, slots=True)
class _Row:
    """One request on its way: what is sent, the most it can cost, the slot it is sent in."""

    request: LedgerRequest
    bound: int
    slot: Slot


class Sender:
    """Sends requests of one model, in the event loop of all who ask in its run."""

    def __init__(
        self,
        model: ServerModel,
        ledger: Ledger,
        *,
        run: str,
        budget_pico_usd: int | None,
        counts: AskCounts,
        clock: Clock,
    ) -> None:
        """Keep whom to ask and where to write it down."""
        self.problem: ToolkitError | None = None
        self.stopping = False
        self.unanswered = 0
        self.reason = ""
        self.attempts = ATTEMPTS
        self._model = model
        self._ledger = ledger
        self._run = run
        self._budget = budget_pico_usd
        self._counts = counts
        self._clock = clock
        self._in_a_row = 0
        self._stopped = asyncio.Event()
        self._seat: Seat | None = None

    @asynccontextmanager
    async def at_work(
        self, limiter: Limiter, secret: str | None, total: int | None
    ) -> AsyncIterator[None]:
        """Hold connections and a place at the server for the length of the block.

        Args:
            limiter: who may send now in this run.
            secret: the key, None for a server without one.
            total: requests in flight to all servers; None for no limit.

        Raises:
            UserError: this process may not have that many connections.
        """
        model = self._model
        seat = limiter.join(
            model.endpoint,
            model.secret_name,
            at_once=model.concurrency if total is None else min(model.concurrency, total),
            total=total,
            rates=Rates(model.requests_per_minute, model.tokens_per_minute),
            clock=self._clock,
        )
        self._seat = seat
        self._bridge = LoopBridge(asyncio.get_running_loop())
        if self.stopping:
            seat.close()
        try:
            async with ChatClient(model, secret) as self._client:
                yield
        finally:
            seat.leave()

    def stop(self, problem: ToolkitError | None = None) -> None:
        """Send nothing more; keep the first problem that anybody had."""
        if problem is not None and self.problem is None:
            self.problem = problem
        self.stopping = True
        self._stopped.set()
        if self._seat is not None:
            self._seat.close()

    async def ask(self, asked: ModelRequest) -> Reply | None:
        """Return the answer to one request; None, and a note of it, when it has none."""
        if reason := self._model.impossible(asked):
            return self._reply(Answer("error", reason=reason), reused=False)
        try:
            tokens = self._model.token_bound(asked) if self._at.counts_tokens else 0
            with self._at.slot(tokens) as slot:
                request, bound = self._model.ledger_request(asked), self._model.cost_bound(asked)
                return await self._until_it_stands(_Row(request, bound, slot))
        except ToolkitError as error:
            self.unanswered += 1
            self.stop(error)
            return None

    @property
    def _at(self) -> Seat:
        assert self._seat is not None
        return self._seat

    async def _until_it_stands(self, row: _Row) -> Reply | None:
        """Ask until there is an answer that may stand: a refusal may have to be repeated.

        How often is counted in the ledger, over all runs, so that the outcome is the same
        however often a run was killed.
        """
        retries = self._model.refusal_retries
        beyond = 0 if retries else None
        made = False
        while True:
            claim = await self._claim(row, beyond)
            if claim is None:
                self._no_answer("")
                return None
            if claim.stored is not None:
                answer: Answer | None = reply_of(claim.stored)
            else:
                answer = await self._called(row, claim.call)
                made = True
            if answer is None:
                return None
            if beyond is None or answer.status != "refused":
                break
            if claim.stored is not None:
                if claim.stored.calls > retries:
                    break
                beyond = claim.stored.calls
        self._counts.reused += not made
        return self._reply(answer, reused=not made)

    async def _claim(self, row: _Row, beyond: int | None) -> Claim | None:
        """Return a claim to send or a finished call; None when asking was stopped meanwhile.

        The slot comes first: a call that is claimed and still waits would count as of unknown
        outcome if the process were killed. What is finished waits for no slot.
        """
        ledger, slot = self._ledger, row.slot
        if not slot.take_now():
            stored = await self._bridge.wait(ledger.find(row.request, count=beyond is not None))
            if stored is not None and (beyond is None or stored.calls > beyond):
                return Claim("stored", stored=stored)
        while await self._turn(slot):
            claim = await self._granted(
                ledger.claim(
                    row.request,
                    run=self._run,
                    reserve_pico_usd=row.bound,
                    budget_pico_usd=self._budget,
                    beyond=beyond,
                )
            )
            if claim.kind == "send":
                slot.reserve()
            if claim.kind in ("send", "stored"):
                return claim
            await self._step_back(slot, claim)
        return None

    async def _turn(self, slot: Slot) -> bool:
        """Wait for the slot; False when nothing more is to be sent."""
        if await slot.take():
            return True
        if (ended := self._at.ended) is not None:
            self.reason = self.reason or ended.reason
            self.stop(ended.error)
        return False

    async def _step_back(self, slot: Slot, claim: Claim) -> None:
        """Let others go first when a call may not be made now; stop when that cannot help."""
        slot.give_back()
        if claim.kind == "budget" and self._at.nothing_reserved:
            # No reservation is left that could still turn out to be more than was needed.
            self.stop(self._over_budget())
            return
        await self._pause(_BUSY_S)

    async def _granted(self, future: Future[Claim]) -> Claim:
        """Wait for a claim; one that is granted after a cancellation is given back."""

        def give_back(done: Future[Claim]) -> None:
            if done.exception() is None and done.result().kind == "send":
                settlement = Settlement(outcome="not_processed", reason="stopped before sending")
                with suppress(RuntimeError):
                    self._ledger.settle(done.result().call, settlement)

        try:
            return await self._bridge.wait(future)
        except asyncio.CancelledError:
            future.add_done_callback(give_back)
            raise

    async def _called(self, row: _Row, call: int) -> Answer | None:
        try:
            return await self._call_until_settled(row, call)
        except asyncio.CancelledError:
            # Queued behind the call's own end; without it the claim would stay with this
            # ledger for as long as the ledger is open.
            self._ledger.release(row.request)
            raise

    async def _call_until_settled(self, row: _Row, call: int) -> Answer | None:
        tries = Tries(self.attempts)
        while True:
            outcome = await self._one_call(row, call)
            verdict = outcome.verdict
            if outcome.answer is not None:
                await self._write(row, call, outcome.settlement)
                self._in_a_row = 0
                self._counts.made += 1
                self._at.open()
                return outcome.answer
            tries.note(verdict, self._at.accepted)
            again = not self.stopping and tries.may_go_on(self._model.max_unknown_retries)
            await self._write(row, call, replace(outcome.settlement, keep=again))
            if verdict.kind == "unknown":
                self._at.open()
            if not again:
                return self._give_up(tries, verdict)
            tried = tries.turned_away + tries.unknown
            wait_s = backoff_s(tried, row.request.key, verdict.wait_s)
            await self._wait_turn(row.slot, wait_s, everybody=verdict.wait_s is not None)
            next_call = await self._send_again(row)
            if next_call is None:
                self._no_answer(verdict.reason)
                return None
            call = next_call

    async def _one_call(self, row: _Row, call: int) -> CallOutcome:
        try:
            exchange = await self._client.exchange(row.request)
        except asyncio.CancelledError:
            # Queued, not awaited: closing the ledger writes down what was queued before.
            self._ledger.settle(
                call, Settlement(outcome="unknown", reason="the run was stopped while it ran")
            )
            raise
        now = self._clock.now()
        outcome = judge_exchange(exchange, self._model, now)
        if outcome.answer is not None:
            row.slot.accepted(_tokens(outcome.answer))
        elif outcome.verdict.kind == "not_processed":
            row.slot.turned_away()
        wait_s = reset_after_s(exchange.headers, now)
        if wait_s and not self._at.held:
            self._at.hold(self._clock.sleep(wait_s))
        return outcome

    async def _write(self, row: _Row, call: int, settlement: Settlement) -> None:
        counts = self._counts
        counts.prompt_tokens += settlement.prompt_tokens or 0
        counts.completion_tokens += settlement.completion_tokens or 0
        counts.turned_away += settlement.outcome == "not_processed"
        counts.unknown += settlement.outcome == "unknown"
        if settlement.outcome != "not_processed":
            cost = settlement.cost_pico_usd
            counts.cost_pico_usd += row.bound if cost is None else cost
        # A cancellation now ends the wait and not the writing: an answer that has come stays.
        await self._bridge.wait(self._ledger.settle(call, settlement))

    async def _send_again(self, row: _Row) -> int | None:
        while await self._turn(row.slot):
            claim = await self._granted(
                self._ledger.send_again(
                    row.request,
                    run=self._run,
                    reserve_pico_usd=row.bound,
                    budget_pico_usd=self._budget,
                )
            )
            if claim.kind == "send":
                row.slot.reserve()
                return claim.call
            await self._step_back(row.slot, claim)
        await self._bridge.wait(self._ledger.release(row.request))
        return None

    async def _wait_turn(self, slot: Slot, seconds: float, *, everybody: bool) -> None:
        """Wait before the next try; everybody does when the server said for how long."""
        # Held before the slot is free: whoever waits for it would send at once.
        wait = self._clock.sleep(seconds)
        over = self._at.hold(wait) if everybody else asyncio.create_task(wait)
        if self._at.opened:
            # Before that the first request keeps its slot, so that no other one takes the risk.
            slot.give_back()
        try:
            await self._until(over)
        finally:
            if not everybody:
                over.cancel()

    async def _pause(self, seconds: float) -> None:
        """Wait, but no longer than until asking is stopped."""
        sleep = asyncio.create_task(self._clock.sleep(seconds))
        try:
            await self._until(sleep)
        finally:
            sleep.cancel()

    async def _until(self, over: asyncio.Task[None]) -> None:
        stopped = asyncio.ensure_future(self._stopped.wait())
        try:
            await asyncio.wait({over, stopped}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopped.cancel()

    def _give_up(self, tries: Tries, verdict: Verdict) -> Answer | None:
        if verdict.kind == "unknown" and self._model.on_unknown == "record" and not self.stopping:
            return Answer("error", reason=f"outcome unknown: {verdict.reason}")
        self._no_answer(verdict.reason)
        self._in_a_row += 1
        if verdict.everybody or (tries.server_is_away and not self._at.opened):
            self._at.end(Ended(verdict.reason, verdict.error))
        if verdict.kind == "stop":
            self.stop(verdict.error)
        elif tries.server_is_away or self._in_a_row >= _GIVE_UP:
            self.stop()
        return None

    def _no_answer(self, reason: str) -> None:
        self.unanswered += 1
        self.reason = self.reason or reason

    def _reply(self, answer: Answer, *, reused: bool) -> Reply:
        self._counts.failed += answer.status == "error"
        return Reply(answer, reused)

    def _over_budget(self) -> RunError:
        budget = (self._budget or 0) / PICO
        return RunError(
            f"the next call might exceed the budget of ${budget:g}",
            hint="raise execution.budget_usd and run again; finished calls are not made again",
        )


def _tokens(answer: Answer) -> int | None:
    if answer.prompt_tokens is None or answer.completion_tokens is None:
        return None
    return answer.prompt_tokens + answer.completion_tokens
