"""Ask a server by batches: rounds of requests, each request in exactly one batch.

Round after round: what every dialogue asks now goes into files, the files become batches, and
when a batch has ended its replies go to the dialogues, whose next questions make the next
round. Dialogues are taken in windows, so memory does not grow with their number.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from toolkit.ask.batch.book import BatchBook
from toolkit.ask.batch.flight import Flight, Landed
from toolkit.ask.batch.remote import RemoteBatches
from toolkit.ask.check import reply_of
from toolkit.ask.counts import AskCounts
from toolkit.ask.dialogue import Dialogue
from toolkit.ask.engine import Asked, AskSettings, budget_of, secret_of
from toolkit.errors import RunError, Stopped
from toolkit.models.base import Answer, ModelRequest, ServerModel
from toolkit.store.canonical import canonical_json
from toolkit.store.ledger import PICO, Claim, Ledger
from toolkit.store.ledger_batches import FOR_BATCH
from toolkit.store.ledger_types import LedgerRequest

__all__ = ["BatchLimits", "ask_batch"]

_WINDOW: Final = 100_000
"""Dialogues that are held at once."""

_CLAIMS: Final = 256
"""Requests that are claimed together: one commit of the ledger serves them all."""

_BUSY_S: Final = 2.0

_SENDS: Final = 3
"""Times in one asking that a request may be sent which a batch gave back unprocessed."""

_LONGEST_PAUSE_S: Final = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchLimits:
    """What one batch may hold; OpenAI takes 50,000 requests and 200 MB.

    Attributes:
        requests: requests of one file.
        size: bytes of one file.
        patience_s: how long a server's queue may be full before the asking ends, in seconds.
    """

    requests: int = 50_000
    size: int = 180 << 20
    patience_s: float = 86_400.0


def ask_batch(
    model: ServerModel,
    dialogues: Iterable[Dialogue],
    ledger: Ledger,
    *,
    settings: AskSettings,
    stop: threading.Event | None = None,
    on_progress: Callable[[AskCounts], None] | None = None,
    limits: BatchLimits = BatchLimits(),
) -> Iterator[Asked]:
    """Yield each dialogue once it is over; the twin of :func:`toolkit.ask.engine.ask_all`.

    A request whose call is finished in the ledger is not sent; one that stands in a batch which
    an earlier process submitted is waited for, never submitted a second time.

    Args:
        model: whom to ask.
        dialogues: read window by window.
        ledger: the workspace's ledger.
        settings: who pays, with which secrets, within which limits.
        stop: ends the waiting early when set; batches go on at the server.
        on_progress: hears the counts after each dialogue.
        limits: what one batch may hold.

    Raises:
        UserError: the server refuses key, model or parameters, with its words.
        RunError: some requests have no answer; raised after all that could be answered were
            yielded. Running again goes on.
        Stopped: the same because ``stop`` was set.
        StoreError: the ledger or a batch's note cannot be used.
    """
    source = enumerate(dialogues)
    with RemoteBatches(model, secret_of(model, settings.secrets)) as remote:
        flight = Flight(
            model,
            ledger,
            BatchBook(ledger.path),
            remote,
            settings,
            stop or threading.Event(),
        )
        asking = _Asking(model, ledger, settings, flight, limits)
        try:
            while window := list(islice(source, _WINDOW)):
                for asked in asking.window([_Held(index, dialogue) for index, dialogue in window]):
                    yield asked
                    if on_progress is not None:
                        on_progress(replace(flight.counts))
                asking.raise_problem()
        finally:
            asking.leave()


@dataclass(slots=True)
class _Held:
    """A dialogue that is not over.

    Attributes:
        index: its position.
        dialogue: the dialogue.
        reused: all of its calls so far were finished before.
        sends: times its current request was sent.
        made: a call of its current request was finished here.
    """

    index: int
    dialogue: Dialogue
    reused: bool = True
    sends: int = 0
    made: bool = False


@dataclass(slots=True)
class _Round:
    """What all dialogues of a window ask at one time.

    Attributes:
        waiting: dialogues by the key of the request they wait for.
        asked: (key, call, request) of what is sent now and is in no file yet.
        busy: dialogues whose request somebody else is at.
        answered: requests that have an answer by now.
        refused: requests that a full queue did not take.
    """

    waiting: dict[str, list[_Held]] = field(default_factory=dict)
    asked: list[tuple[str, int, LedgerRequest]] = field(default_factory=list)
    busy: list[_Held] = field(default_factory=list)
    answered: int = 0
    refused: int = 0


class _Asking:
    def __init__(
        self,
        model: ServerModel,
        ledger: Ledger,
        settings: AskSettings,
        flight: Flight,
        limits: BatchLimits,
    ) -> None:
        self._model = model
        self._ledger = ledger
        self._settings = settings
        self._budget = budget_of(model, settings.budget_usd)
        self._flight = flight
        self._limits = limits
        self._counts = flight.counts
        self._round = _Round()
        # Finished calls of requests whose refusal does not stand yet, by key.
        self._refusals: dict[str, int] = {}
        self._waited_s = 0.0
        self._pause_s = _BUSY_S
        self._reason = ""
        self._left = 0

    def window(self, held: list[_Held]) -> Iterator[Asked]:
        """Bring a window of dialogues to its end, yielding those that are over."""
        while held and not self._flight.ending():
            round_ = self._round = _Round()
            self._flight.pick_up()
            yield from self._claim(held, round_)
            self._submit(round_)
            going: list[_Held] = []
            for landed in self._flight.landings():
                for one in round_.waiting.pop(landed.key, []):
                    yield from self._land(one, landed, going)
            for rest in round_.waiting.values():
                for _ in rest:
                    self._give_up("its batch has not ended")
            held = going + round_.busy
            self._wait(round_, going)

    def _wait(self, round_: _Round, going: list[_Held]) -> None:
        """Wait for others: for their replies, or until a server's queue has room again."""
        if round_.refused and not round_.answered:
            # As large as it was it may never fit.
            self._limits = replace(
                self._limits, requests=max(1, min(self._limits.requests, round_.refused) // 2)
            )
            self._flight.wait(self._pause_s)
            self._waited_s += self._pause_s
            self._pause_s = min(_LONGEST_PAUSE_S, 2 * self._pause_s)
            return
        self._waited_s, self._pause_s = 0.0, _BUSY_S
        if round_.busy and not going and not round_.answered:
            self._flight.wait(_BUSY_S)

    def leave(self) -> None:
        """Give back what was claimed and is in no file; let go of batches that have not ended."""
        unsent = {key: call for key, call, _ in self._round.asked}
        self._round.asked.clear()
        self._flight.give_back(unsent, "asking ended before it was sent")
        self._flight.leave()

    def _claim(self, held: list[_Held], round_: _Round) -> Iterator[Asked]:
        """Answer dialogues from the ledger as far as that goes; claim what they ask then."""
        waiting = round_.waiting
        todo = held
        while todo:
            part, todo = todo[:_CLAIMS], todo[_CLAIMS:]
            claims: list[tuple[str, LedgerRequest, Future[Claim]]] = []
            for one in part:
                asked = one.dialogue.request()
                if asked is None:
                    yield Asked(one.index, one.dialogue, one.reused)
                    continue
                if impossible := self._model.impossible(asked):
                    self._take(one, Answer("error", reason=impossible))
                    todo = [*todo, one]
                    continue
                request = self._model.ledger_request(asked)
                key = request.key
                if key in waiting:
                    waiting[key].append(one)
                    continue
                waiting[key] = [one]
                claims.append((key, request, self._claimed(asked, request)))
            for key, request, future in claims:
                claim = future.result()
                if claim.kind == "send":
                    round_.asked.append((key, claim.call, request))
                else:
                    todo = [*todo, *self._not_sent(key, claim, waiting.pop(key), round_)]

    def _claimed(self, asked: ModelRequest, request: LedgerRequest) -> Future[Claim]:
        return self._ledger.claim(
            request,
            run=self._settings.run,
            reserve_pico_usd=self._model.cost_bound(asked),
            budget_pico_usd=self._budget,
            beyond=self._refusals.get(request.key, 0) if self._model.refusal_retries else None,
            reason=FOR_BATCH,
        )

    def _not_sent(self, key: str, claim: Claim, group: list[_Held], round_: _Round) -> list[_Held]:
        """Return the dialogues that go on at once: their call was finished before."""
        if claim.stored is not None:
            answer = reply_of(claim.stored)
            if answer.status == "refused" and claim.stored.calls <= self._model.refusal_retries:
                self._refusals[key] = claim.stored.calls
                return group
            self._refusals.pop(key, None)
            for one in group:
                self._counts.reused += not one.made
                self._take(one, answer)
            return group
        if claim.kind == "busy":
            # Another step or process waits for the same call; its reply will be in the ledger.
            round_.busy += group
            return []
        for _ in group:
            self._give_up(
                "the next call might exceed the budget of "
                f"${(self._budget or 0) / PICO:g}; raise execution.budget_usd"
            )
        return []

    def _submit(self, round_: _Round) -> None:
        path = f"/v1{self._model.path}"
        self._keep_off(round_)
        for part in list(_files(round_.asked, self._limits)):
            if self._flight.ending():
                return
            del round_.asked[: len(part)]
            self._flight.take_off(path, [(key, call, request.body) for key, call, request in part])

    def _keep_off(self, round_: _Round) -> None:
        """Leave to others what stands in their batches: it was let go of after we looked."""
        standing = self._flight.standing()
        theirs = {key: call for key, call, _ in round_.asked if key in standing}
        if theirs:
            self._flight.give_back(theirs, "it stands in a batch already")
            round_.asked[:] = [one for one in round_.asked if one[0] not in theirs]
            for key in theirs:
                round_.busy += round_.waiting.pop(key)

    def _land(self, one: _Held, landed: Landed, going: list[_Held]) -> Iterator[Asked]:
        one.reused = False
        if landed.answer is not None:
            self._round.answered += 1
            one.made, one.sends = True, 0
            if landed.answer.status == "refused" and self._model.refusal_retries:
                # The ledger knows how often it was refused before, by earlier runs too.
                going.append(one)
                return
            self._refusals.pop(landed.key, None)
            self._take(one, landed.answer)
            if one.dialogue.over:
                yield Asked(one.index, one.dialogue, one.reused)
            else:
                going.append(one)
            return
        if landed.queue_full and self._waited_s < self._limits.patience_s:
            self._round.refused += 1
            going.append(one)
            return
        one.sends += 1
        allowed = _SENDS if landed.unprocessed else 1 + self._model.max_unknown_retries
        if one.sends < allowed:
            going.append(one)
        elif not landed.unprocessed and self._model.on_unknown == "record":
            self._take(one, Answer("error", reason=f"outcome unknown: {landed.reason}"))
            going.append(one)
        else:
            self._give_up(landed.reason)

    def _take(self, one: _Held, answer: Answer) -> None:
        self._counts.failed += answer.status == "error"
        one.made = False
        one.dialogue.take(answer)

    def _give_up(self, reason: str) -> None:
        self._left += 1
        self._reason = self._reason or reason

    def raise_problem(self) -> None:
        """Raise what keeps dialogues from their end, if anything does."""
        if self._flight.problem is not None:
            raise self._flight.problem
        if self._flight.stopped:
            raise Stopped(
                f"waiting for batches was stopped ({self._counts.made:,} answered)",
                hint="run again to go on; batches go on at the server and are picked up",
            )
        if self._left:
            raise RunError(
                f"{self._left:,} requests have no answer: {self._reason}",
                hint="run again to ask only these; finished calls are not made again",
            )


def _files(
    asked: Sequence[tuple[str, int, LedgerRequest]], limits: BatchLimits
) -> Iterator[list[tuple[str, int, LedgerRequest]]]:
    """Cut requests into files within the limits."""
    part: list[tuple[str, int, LedgerRequest]] = []
    size = 0
    for one in asked:
        length = len(canonical_json(one[2].body).encode("utf-8")) + 200
        if part and (len(part) == limits.requests or size + length > limits.size):
            yield part
            part, size = [], 0
        part.append(one)
        size += length
    if part:
        yield part
