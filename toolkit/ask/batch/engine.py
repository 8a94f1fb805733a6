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
from toolkit.store.ledger_types import LedgerRequest

__all__ = ["ask_batch"]

_WINDOW: Final = 100_000
"""Dialogues that are held at once."""

_FILE_REQUESTS: Final = 50_000
_FILE_BYTES: Final = 180 << 20
"""Limits of a file: OpenAI takes 50,000 requests and 200 MB."""

_CLAIMS: Final = 256
"""Requests that are claimed together: one commit of the ledger serves them all."""

_BUSY_S: Final = 2.0

_SENDS: Final = 3
"""Times in one asking that a request may be sent which a batch gave back unprocessed."""


def ask_batch(
    model: ServerModel,
    dialogues: Iterable[Dialogue],
    ledger: Ledger,
    *,
    settings: AskSettings,
    stop: threading.Event | None = None,
    on_progress: Callable[[AskCounts], None] | None = None,
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

    Raises:
        UserError: the server refuses key, model or parameters, with its words.
        RunError: some requests have no answer; raised after all that could be answered were
            yielded. Running again goes on.
        Stopped: the same because ``stop`` was set.
        StoreError: the ledger or a batch's note cannot be used.
    """
    source = enumerate(dialogues)
    with RemoteBatches(model, secret_of(model, settings.secrets)) as remote:
        asking = _Asking(model, ledger, settings, remote, stop or threading.Event())
        asking.pick_up()
        while window := list(islice(source, _WINDOW)):
            for asked in asking.window([_Held(index, dialogue) for index, dialogue in window]):
                yield asked
                if on_progress is not None:
                    on_progress(replace(asking.counts))
            asking.raise_problem()


@dataclass(slots=True)
class _Held:
    """A dialogue that is not over.

    Attributes:
        index: its position.
        dialogue: the dialogue.
        reused: all of its calls so far were finished before.
        sends: times its current request was sent.
    """

    index: int
    dialogue: Dialogue
    reused: bool = True
    sends: int = 0


@dataclass(slots=True)
class _Round:
    """What all dialogues of a window ask at one time.

    Attributes:
        waiting: dialogues by the key of the request they wait for.
        asked: (key, call, request) of what is sent now.
        busy: dialogues whose request somebody else is at.
    """

    waiting: dict[str, list[_Held]] = field(default_factory=dict)
    asked: list[tuple[str, int, LedgerRequest]] = field(default_factory=list)
    busy: list[_Held] = field(default_factory=list)


class _Asking:
    def __init__(
        self,
        model: ServerModel,
        ledger: Ledger,
        settings: AskSettings,
        remote: RemoteBatches,
        stop: threading.Event,
    ) -> None:
        self.counts = AskCounts()
        self._model = model
        self._ledger = ledger
        self._settings = settings
        self._budget = budget_of(model, settings.budget_usd)
        self._flight = Flight(
            model, ledger, BatchBook(ledger.path), remote, settings, stop, self.counts
        )
        self._reason = ""
        self._left = 0

    def pick_up(self) -> None:
        """Wait for batches that an earlier process submitted; their replies go to the ledger."""
        self._flight.pick_up()
        for _ in self._flight.landings():
            pass

    def window(self, held: list[_Held]) -> Iterator[Asked]:
        """Bring a window of dialogues to its end, yielding those that are over."""
        while held:
            round_ = _Round()
            yield from self._claim(held, round_)
            self._submit(round_.asked)
            going: list[_Held] = []
            for landed in self._flight.landings():
                for one in round_.waiting.pop(landed.key, []):
                    yield from self._land(one, landed, going)
            for rest in round_.waiting.values():
                for _ in rest:
                    self._give_up("its batch has not ended")
            if round_.busy and not round_.asked:
                self._flight.wait(_BUSY_S)
            if self._flight.problem is not None or self._flight.stopped:
                return
            held = going + round_.busy

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
                    todo = [*todo, *self._not_sent(claim, waiting.pop(key), round_)]

    def _claimed(self, asked: ModelRequest, request: LedgerRequest) -> Future[Claim]:
        return self._ledger.claim(
            request,
            run=self._settings.run,
            reserve_pico_usd=self._model.cost_bound(asked),
            budget_pico_usd=self._budget,
        )

    def _not_sent(self, claim: Claim, group: list[_Held], round_: _Round) -> list[_Held]:
        """Return the dialogues that go on at once: their call was finished before."""
        if claim.stored is not None:
            for one in group:
                self.counts.reused += 1
                self._take(one, reply_of(claim.stored))
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

    def _submit(self, asked: list[tuple[str, int, LedgerRequest]]) -> None:
        path = f"/v1{self._model.path}"
        for part in _files(asked):
            self._flight.take_off(path, [(key, call, request.body) for key, call, request in part])

    def _land(self, one: _Held, landed: Landed, going: list[_Held]) -> Iterator[Asked]:
        one.reused = False
        if landed.answer is not None:
            self._take(one, landed.answer)
            one.sends = 0
            if one.dialogue.over:
                yield Asked(one.index, one.dialogue, one.reused)
            else:
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
        self.counts.failed += answer.status == "error"
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
                f"waiting for batches was stopped ({self.counts.made:,} answered)",
                hint="run again to go on; batches go on at the server and are picked up",
            )
        if self._left:
            raise RunError(
                f"{self._left:,} requests have no answer: {self._reason}",
                hint="run again to ask only these; finished calls are not made again",
            )


def _files(
    asked: Sequence[tuple[str, int, LedgerRequest]],
) -> Iterator[list[tuple[str, int, LedgerRequest]]]:
    """Cut requests into files within the limits."""
    part: list[tuple[str, int, LedgerRequest]] = []
    size = 0
    for one in asked:
        length = len(canonical_json(one[2].body).encode("utf-8")) + 200
        if part and (len(part) == _FILE_REQUESTS or size + length > _FILE_BYTES):
            yield part
            part, size = [], 0
        part.append(one)
        size += length
    if part:
        yield part
