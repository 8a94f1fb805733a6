"""Ask a server many requests: at most so many at once, none twice, none lost.

The event loop lives in a thread that all who ask through one ledger share. Whoever iterates
gets finished calls as they come; leaving the iteration early lets calls in flight end and be
written down.
"""

from __future__ import annotations

import asyncio
import math
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Final

from toolkit.ask.counts import AskCounts
from toolkit.ask.dialogue import Dialogue
from toolkit.ask.loop import loop_of
from toolkit.ask.retry import ATTEMPTS, Clock, SystemClock
from toolkit.ask.sender import Sender
from toolkit.errors import MissingError, RunError, Stopped, UserError
from toolkit.models.base import ServerModel
from toolkit.store.ledger import PICO, Ledger

__all__ = ["AskCounts", "AskSettings", "Asked", "ask_all", "budget_of", "secret_of"]

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
        concurrency: requests in flight to all servers of all who ask through the same ledger;
            None for what the models say.
        attempts: times in a row that a server may turn a request away.
        clock: time.
    """

    run: str
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    budget_usd: float | None = None
    concurrency: int | None = None
    attempts: int = ATTEMPTS
    clock: Clock = field(default_factory=SystemClock)


@dataclass(frozen=True, slots=True)
class Asked:
    """A dialogue that is over.

    Attributes:
        index: its 0-based position.
        dialogue: with all of its answers.
        reused: every call it took was finished before this asking.
    """

    index: int
    dialogue: Dialogue
    reused: bool


def ask_all(
    model: ServerModel,
    dialogues: Iterable[Dialogue],
    ledger: Ledger,
    *,
    settings: AskSettings,
    stop: threading.Event | None = None,
    on_progress: Callable[[AskCounts], None] | None = None,
) -> Iterator[Asked]:
    """Yield each dialogue once it is over, in the order in which they end.

    A request whose call is finished in the ledger is not sent. The first call to a server goes
    alone, so that a wrong key or parameter costs one call and not as many as fit at once.
    Several threads may ask through one ledger at once: a server (base URL and key) then has in
    flight, from all of them together, at most the smallest concurrency of the models that it
    is asked for, and nothing while it has told any of them to wait.

    Args:
        model: whom to ask.
        dialogues: read as they are needed, in the thread that sends; slow ones hold it up.
        ledger: the workspace's ledger.
        settings: who pays, with which secrets, within which limits.
        stop: ends the asking early when set; calls in flight are awaited for a while.
        on_progress: hears the counts after each answer, in the reader's thread.

    Raises:
        UserError: the server refuses key, model or parameters, with its words.
        RunError: some dialogues are not over (server away, outcome unknown, budget);
            raised after all that could be answered were yielded. Running again goes on.
        Stopped: the same because ``stop`` was set.
        StoreError: the ledger cannot be used.
    """
    engine = _Engine(model, ledger, settings)
    engine.start(dialogues)
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
    """The asking has ended; ``error`` is what nobody expected, or None."""

    error: BaseException | None = None


class _Engine:
    def __init__(self, model: ServerModel, ledger: Ledger, settings: AskSettings) -> None:
        self.counts = AskCounts()
        self._total = settings.concurrency
        self._workers = min(model.concurrency, settings.concurrency or model.concurrency)
        self._secret = secret_of(model, settings.secrets)
        self._queue: queue.SimpleQueue[Asked | _End] = queue.SimpleQueue()
        # Counted by the loop and by the reader, each its own: a word to the loop for each
        # dialogue that is read would wake it more often than all replies together.
        self._begun = 0
        self._read = 0
        self._full = False
        self._space = asyncio.Event()
        self._sender = Sender(
            model,
            ledger,
            run=settings.run,
            budget_pico_usd=budget_of(model, settings.budget_usd),
            counts=self.counts,
            clock=settings.clock,
        )
        self._sender.attempts = settings.attempts
        self._exhausted = False
        self._ended = threading.Event()
        self._task: asyncio.Task[None] | None = None
        self._shared = loop_of(ledger)
        self._stack = ExitStack()

    def start(self, dialogues: Iterable[Dialogue]) -> None:
        self._loop = self._stack.enter_context(self._shared.running())
        asyncio.run_coroutine_threadsafe(self._run(dialogues), self._loop)

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
            self._read += 1
            if self._full:
                self._call(self._make_space)
            yield item

    def finish(self) -> None:
        """Stop sending, wait for calls in flight; an interrupt meanwhile cuts them off."""
        self._call(self._sender.stop)
        try:
            self._ended.wait(_GRACE_S)
        finally:
            if not self._ended.is_set():
                self._call(self._cancel)
                self._ended.wait()
            self._stack.close()

    def raise_problem(self, *, stopped: bool) -> None:
        sender = self._sender
        if sender.problem is not None:
            raise sender.problem
        if sender.unanswered or not self._exhausted:
            raise _incomplete(self.counts, sender.reason, stopped=stopped)

    def _call(self, action: Callable[[], object]) -> None:
        self._loop.call_soon_threadsafe(action)

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _run(self, dialogues: Iterable[Dialogue]) -> None:
        self._task = asyncio.current_task()
        error: BaseException | None = None
        try:
            await self._main(dialogues)
        except asyncio.CancelledError:
            # Cut off on purpose; the requests it was at count as without an answer.
            self._exhausted = False
        except BaseExceptionGroup as group:
            error = group.exceptions[0]
        except BaseException as problem:  # noqa: BLE001 - raised again in the reader's thread
            error = problem
        finally:
            self._queue.put(_End(error))
            self._ended.set()

    async def _main(self, dialogues: Iterable[Dialogue]) -> None:
        source = iter(enumerate(dialogues))
        work = self._sender.at_work(self._shared.limiter, self._secret, self._total)
        async with work, asyncio.TaskGroup() as group:
            for _ in range(self._workers):
                group.create_task(self._worker(source))

    async def _worker(self, source: Iterator[tuple[int, Dialogue]]) -> None:
        while True:
            await self._have_space()
            # Looked at after the wait: a dialogue taken now would be taken and lost.
            if self._sender.stopping:
                return
            position = next(source, None)
            if position is None:
                self._exhausted = True
                return
            self._begun += 1
            await self._hold(*position)

    async def _have_space(self) -> None:
        """Wait until the reader has caught up."""
        while self._begun - self._read >= _AHEAD + self._workers:
            # Said first, looked at second: the reader counts before it looks.
            self._full = True
            if self._begun - self._read >= _AHEAD + self._workers:
                await self._space.wait()

    def _make_space(self) -> None:
        self._full = False
        self._space.set()
        self._space.clear()

    async def _hold(self, index: int, dialogue: Dialogue) -> None:
        """Bring a dialogue to its end, or leave it where a request has no answer."""
        reused = True
        while (request := dialogue.request()) is not None:
            reply = await self._sender.ask(request)
            if reply is None:
                self._begun -= 1
                return
            reused = reused and reply.reused
            dialogue.take(reply.answer)
        self._queue.put(Asked(index, dialogue, reused))


def secret_of(model: ServerModel, secrets: Mapping[str, str]) -> str | None:
    """Return the value of a model's key, None where it has none.

    Raises:
        MissingError: its variable is not set.
    """
    name = model.secret_name
    if name is None:
        return None
    if name not in secrets:
        raise MissingError(
            f"environment variable not set: {name}", hint=f"export {name}=..., then run again"
        )
    secret = secrets[name]
    if not (secret.isascii() and secret.isprintable()) or " " in secret or not secret:
        # The value is not repeated, not even in part.
        raise UserError(
            f"the environment variable {name} holds no key: it is empty, or has a blank, a line "
            "end or a letter outside ASCII in it",
            hint=f"export {name}=... again, without what came along when it was copied",
        )
    return secret


def budget_of(model: ServerModel, budget_usd: float | None) -> int | None:
    """Return a run's budget in pico-dollars, None for none.

    Raises:
        UserError: there is one, and the model has no prices.
    """
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
        return Stopped(
            f"asking was stopped ({done})",
            hint="run again to go on; finished calls are not made again",
        )
    return RunError(
        f"not every request has an answer ({done}): {reason or 'asking ended early'}",
        hint="run again to ask only the others; finished calls are not made again",
    )
