"""One request from claim to settlement: the only place where a paid call is made."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from toolkit.ask.check import reply_of
from toolkit.ask.client import ChatClient
from toolkit.ask.limiter import Ended, Limiter, Seat, Slot
from toolkit.ask.outcome import CallOutcome, judge_exchange
from toolkit.ask.retry import ATTEMPTS, Clock, Verdict, backoff_s
from toolkit.errors import RunError, ToolkitError
from toolkit.models.base import Answer, ModelRequest, ServerModel
from toolkit.store.ledger import PICO, Claim, Ledger, LedgerRequest, Settlement

__all__ = ["AskCounts", "Reply", "Sender"]

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
class Reply:
    """The answer to one request, unparsed.

    Attributes:
        answer: the reply.
        reused: the call was finished before this asking.
    """

    answer: Answer
    reused: bool


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
        self._model = model
        self._ledger = ledger
        self._run = run
        self._budget = budget_pico_usd
        self._counts = counts
        self._clock = clock
        self._client: ChatClient | None = None
        self._seat: Seat | None = None
        self._in_a_row = 0
        self._stopped = asyncio.Event()

    @asynccontextmanager
    async def at_work(
        self, limiter: Limiter, secret: str | None, total: int | None
    ) -> AsyncIterator[None]:
        """Hold connections and a place at the server for the length of the block.

        Args:
            limiter: who may send now in this run.
            secret: the key, None for a server without one.
            total: requests in flight to all servers; None for no limit.
        """
        model = self._model
        seat = limiter.join(
            model.endpoint, model.secret_name, at_once=model.concurrency, total=total
        )
        self._seat = seat
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

    async def ask(self, request: ModelRequest) -> Reply | None:
        """Return the answer to one request; None, and a note of it, when it has none."""
        assert self._seat is not None
        try:
            with self._seat.slot() as slot:
                return await self._ask(request, self._seat, slot)
        except ToolkitError as error:
            self.unanswered += 1
            self.stop(error)
            return None

    async def _ask(self, asked: ModelRequest, seat: Seat, slot: Slot) -> Reply | None:
        request = self._model.ledger_request(asked)
        bound = self._model.cost_bound(asked)
        claim = await self._claim(seat, slot, request, bound)
        if claim is None:
            self._no_answer("")
            return None
        if claim.stored is not None:
            self._counts.reused += 1
            return self._reply(reply_of(claim.stored), reused=True)
        try:
            return await self._call_until_settled(seat, slot, request, bound, claim.call)
        except asyncio.CancelledError:
            # Queued behind the call's own end; without it the claim would stay with this
            # ledger for as long as the ledger is open.
            self._ledger.release(request)
            raise

    async def _claim(
        self, seat: Seat, slot: Slot, request: LedgerRequest, bound: int
    ) -> Claim | None:
        """Return a claim to send or a finished call; None when asking was stopped meanwhile.

        The slot comes first: a call that is claimed and still waits would count as of unknown
        outcome if the process were killed.
        """
        while await self._turn(seat, slot):
            claim = await self._granted(
                self._ledger.claim(
                    request,
                    run=self._run,
                    reserve_pico_usd=bound,
                    budget_pico_usd=self._budget,
                )
            )
            if claim.kind == "send":
                slot.reserve()
            if claim.kind in ("send", "stored"):
                return claim
            await self._step_back(seat, slot, claim)
        return None

    async def _turn(self, seat: Seat, slot: Slot) -> bool:
        """Wait for the slot; False when nothing more is to be sent."""
        if await slot.take():
            return True
        if seat.ended is not None:
            self.reason = self.reason or seat.ended.reason
            self.stop(seat.ended.error)
        return False

    async def _step_back(self, seat: Seat, slot: Slot, claim: Claim) -> None:
        """Let others go first when a call may not be made now; stop when that cannot help."""
        slot.give_back()
        if claim.kind == "budget" and seat.nothing_reserved:
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
            return await asyncio.shield(asyncio.wrap_future(future))
        except asyncio.CancelledError:
            future.add_done_callback(give_back)
            raise

    async def _call_until_settled(
        self, seat: Seat, slot: Slot, request: LedgerRequest, bound: int, call: int
    ) -> Reply | None:
        turned_away = unknown = 0
        while True:
            outcome = await self._one_call(request, call)
            settlement, verdict = outcome.settlement, outcome.verdict
            if outcome.answer is not None:
                await self._write(call, settlement, bound)
                self._in_a_row = 0
                self._counts.made += 1
                seat.open()
                return self._reply(outcome.answer, reused=False)
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
                seat.open()
            if not again:
                return self._give_up(seat, verdict)
            wait_s = backoff_s(turned_away + unknown, request.key, verdict.wait_s)
            await self._wait_turn(seat, slot, wait_s, everybody=verdict.wait_s is not None)
            next_call = await self._send_again(seat, slot, request, bound)
            if next_call is None:
                self._no_answer(verdict.reason)
                return None
            call = next_call

    async def _one_call(self, request: LedgerRequest, call: int) -> CallOutcome:
        assert self._client is not None
        try:
            exchange = await self._client.exchange(request)
        except asyncio.CancelledError:
            # Queued, not awaited: closing the ledger writes down what was queued before.
            self._ledger.settle(
                call, Settlement(outcome="unknown", reason="the run was stopped while it ran")
            )
            raise
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

    async def _send_again(
        self, seat: Seat, slot: Slot, request: LedgerRequest, bound: int
    ) -> int | None:
        while await self._turn(seat, slot):
            claim = await self._granted(
                self._ledger.send_again(
                    request,
                    run=self._run,
                    reserve_pico_usd=bound,
                    budget_pico_usd=self._budget,
                )
            )
            if claim.kind == "send":
                slot.reserve()
                return claim.call
            await self._step_back(seat, slot, claim)
        await _await(self._ledger.release(request))
        return None

    async def _wait_turn(self, seat: Seat, slot: Slot, seconds: float, *, everybody: bool) -> None:
        """Wait before the next try; everybody does when the server said for how long."""
        # Held before the slot is free: whoever waits for it would send at once.
        wait = self._clock.sleep(seconds)
        over = seat.hold(wait) if everybody else asyncio.create_task(wait)
        if seat.opened:
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

    def _give_up(self, seat: Seat, verdict: Verdict) -> Reply | None:
        if verdict.kind == "unknown" and self._model.on_unknown == "record" and not self.stopping:
            return self._reply(
                Answer("error", reason=f"outcome unknown: {verdict.reason}"), reused=False
            )
        self._no_answer(verdict.reason)
        self._in_a_row += 1
        if verdict.everybody or (verdict.kind == "not_processed" and not seat.opened):
            seat.end(Ended(verdict.reason, verdict.error))
        if verdict.kind == "stop":
            self.stop(verdict.error)
        elif verdict.kind == "not_processed" or self._in_a_row >= _GIVE_UP:
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


async def _await(future: Future[T]) -> T:
    return await asyncio.wrap_future(future)
