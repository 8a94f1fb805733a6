"""Ask a server many requests: at most so many at once, none twice, none lost.

The event loop lives in a thread of its own. Whoever iterates gets finished calls as they
come; leaving the iteration early lets calls in flight end and be written down.
"""

from __future__ import annotations

import asyncio
import math
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from toolkit.ask.retry import Clock, SystemClock
from toolkit.ask.sender import AskCounts, Asked, Sender, Task
from toolkit.errors import MissingError, RunError, UserError
from toolkit.models.base import ModelRequest, ServerModel
from toolkit.store.ledger import PICO, Ledger

__all__ = ["AskCounts", "AskSettings", "Asked", "ask_all"]

_AHEAD: Final = 256
"""Finished calls that may wait for the reader; the rest is not asked before it catches up."""

_POLL_S: Final = 0.2
_GRACE_S: Final = 20.0
"""How long calls in flight may take to end after the reader has left, in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskSettings:
    """Who pays, with which secrets, within which limits. None of it changes an answer.

    Attributes:
        run: name of the run that pays.
        secrets: values of environment variables, from :func:`toolkit.ask.secrets.take_secrets`.
        budget_usd: what the run may spend over all its resumes; needs the model's prices.
        concurrency: requests in flight at most; None for what the model says.
        clock: time.
    """

    run: str
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    budget_usd: float | None = None
    concurrency: int | None = None
    clock: Clock = field(default_factory=SystemClock)


def ask_all(
    model: ServerModel,
    requests: Iterable[ModelRequest],
    ledger: Ledger,
    *,
    settings: AskSettings,
    stop: threading.Event | None = None,
    on_progress: Callable[[AskCounts], None] | None = None,
) -> Iterator[Asked]:
    """Yield the answer to each request, in the order in which they come.

    A request whose call is finished in the ledger is not sent. The first call goes alone, so
    that a wrong key or parameter costs one call and not as many as fit at once. Answers are
    unparsed: see :func:`toolkit.ask.parser.parse_answer`.

    Args:
        model: whom to ask.
        requests: read as they are needed, in a thread of the engine.
        ledger: the workspace's ledger.
        settings: who pays, with which secrets, within which limits.
        stop: ends the asking early when set; calls in flight are awaited for a while.
        on_progress: hears the counts after each answer, in the reader's thread.

    Raises:
        UserError: the server refuses key, model or parameters, with its words.
        RunError: some requests have no answer (server away, outcome unknown, budget, stop);
            raised after all that could be answered were yielded. Running again goes on.
        StoreError: the ledger cannot be used.
    """
    engine = _Engine(model, ledger, settings)
    engine.start(requests)
    try:
        for asked in engine.results(stop):
            yield asked
            if on_progress is not None:
                on_progress(replace(engine.counts))
    finally:
        engine.finish()
    engine.raise_problem(stopped=stop is not None and stop.is_set())


@dataclass(frozen=True, slots=True)
class _End:
    """The loop has ended; ``error`` is what nobody expected, or None."""

    error: BaseException | None = None


class _Engine:
    def __init__(self, model: ServerModel, ledger: Ledger, settings: AskSettings) -> None:
        self.counts = AskCounts()
        self._workers = min(model.concurrency, settings.concurrency or model.concurrency)
        self._secret = _secret(model, settings.secrets)
        self._queue: queue.SimpleQueue[Asked | _End] = queue.SimpleQueue()
        self._room = asyncio.Semaphore(_AHEAD + self._workers)
        self._sender = Sender(
            model,
            ledger,
            run=settings.run,
            budget_pico_usd=_budget(model, settings.budget_usd),
            counts=self.counts,
            clock=settings.clock,
            deliver=self._queue.put,
        )
        self._exhausted = False
        self._thread: threading.Thread | None = None
        self._main_task: asyncio.Task[None] | None = None
        # Last: what was refused above must leave no open loop behind.
        self._loop = asyncio.new_event_loop()

    def start(self, requests: Iterable[ModelRequest]) -> None:
        # A daemon: should the interpreter be ended by force, calls in flight must not hold it;
        # the ledger's own thread still writes down what it was given.
        self._thread = threading.Thread(
            target=self._thread_main, args=(requests,), name="ask", daemon=True
        )
        self._thread.start()

    def results(self, stop: threading.Event | None) -> Iterator[Asked]:
        cut_off_at = math.inf
        while True:
            if stop is not None and stop.is_set() and cut_off_at == math.inf:
                self._call(self._sender.stop)
                cut_off_at = time.monotonic() + _GRACE_S
            if time.monotonic() > cut_off_at:
                self._call(self._cancel)
            try:
                item = self._queue.get(timeout=_POLL_S)
            except queue.Empty:
                continue
            if isinstance(item, _End):
                if item.error is not None:
                    raise item.error
                return
            self._call(self._room.release)
            yield item

    def finish(self) -> None:
        """Stop sending, wait for calls in flight; an interrupt meanwhile cuts them off."""
        assert self._thread is not None
        self._call(self._sender.stop)
        try:
            self._thread.join(_GRACE_S)
        finally:
            if self._thread.is_alive():
                self._call(self._cancel)
                self._thread.join()

    def raise_problem(self, *, stopped: bool) -> None:
        sender = self._sender
        if sender.problem is not None:
            raise sender.problem
        if sender.unanswered or not self._exhausted:
            raise _incomplete(self.counts, sender.reason, stopped=stopped)

    def _call(self, action: Callable[[], object]) -> None:
        if not self._loop.is_closed():
            try:
                self._loop.call_soon_threadsafe(action)
            except RuntimeError:
                # Closed between the two lines: the loop had ended by itself.
                return

    def _cancel(self) -> None:
        if self._main_task is not None:
            self._main_task.cancel()

    def _thread_main(self, requests: Iterable[ModelRequest]) -> None:
        error: BaseException | None = None
        try:
            asyncio.set_event_loop(self._loop)
            self._main_task = self._loop.create_task(self._main(requests))
            self._loop.run_until_complete(self._main_task)
        except asyncio.CancelledError:
            # Cut off on purpose; the requests it was at count as without an answer.
            self._exhausted = False
        except BaseExceptionGroup as group:
            error = group.exceptions[0]
        except BaseException as problem:  # noqa: BLE001 - raised again in the reader's thread
            error = problem
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()
            self._queue.put(_End(error))

    async def _main(self, requests: Iterable[ModelRequest]) -> None:
        source = iter(enumerate(requests))
        async with self._sender.client(self._secret), asyncio.TaskGroup() as group:
            for number in range(self._workers):
                group.create_task(self._worker(source, first=number == 0))

    async def _worker(self, source: Iterator[tuple[int, ModelRequest]], *, first: bool) -> None:
        if not first:
            await self._sender.opened.wait()
        try:
            while True:
                await self._room.acquire()
                # Looked at after the wait: a request taken now would be taken and lost.
                if self._sender.stopping:
                    return
                position = next(source, None)
                if position is None:
                    self._exhausted = True
                    return
                await self._sender.handle(Task(*position))
        finally:
            if first:
                self._sender.opened.set()


def _secret(model: ServerModel, secrets: Mapping[str, str]) -> str | None:
    name = model.secret_name
    if name is None:
        return None
    if name not in secrets:
        raise MissingError(
            f"environment variable not set: {name}", hint=f"export {name}=..., then run again"
        )
    return secrets[name]


def _budget(model: ServerModel, budget_usd: float | None) -> int | None:
    if budget_usd is None:
        return None
    if model.price is None:
        raise UserError(
            "a budget needs the model's prices",
            hint="add prices: {input_per_million: ..., output_per_million: ...} to the model",
        )
    return round(budget_usd * PICO)


def _incomplete(counts: AskCounts, reason: str, *, stopped: bool) -> RunError:
    done = f"{counts.made + counts.reused} answered, {counts.unknown} calls of unknown outcome"
    if stopped:
        return RunError(
            f"asking was stopped ({done})",
            hint="run again to go on; finished calls are not made again",
        )
    return RunError(
        f"not every request has an answer ({done}): {reason or 'asking ended early'}",
        hint="run again to ask only the others; finished calls are not made again",
    )
