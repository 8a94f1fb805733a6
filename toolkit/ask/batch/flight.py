"""Batches on their way: files up, batches created, waited for, read, and settled call by call."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Final

from toolkit.ask.batch.book import BatchBook, BatchNote
from toolkit.ask.batch.remote import BatchesLost, BatchLine, BatchState, RemoteBatches
from toolkit.ask.client import Exchange
from toolkit.ask.counts import AskCounts
from toolkit.ask.engine import AskSettings
from toolkit.ask.outcome import judge_exchange
from toolkit.errors import ToolkitError, UserError
from toolkit.models.base import Answer, ServerModel
from toolkit.store.canonical import digest
from toolkit.store.ledger import Ledger, Settlement

__all__ = ["Flight", "Landed"]

_ENDED: Final = frozenset({"completed", "failed", "expired", "cancelled"})
_GIVEN_BACK: Final = frozenset({"batch_expired", "batch_cancelled"})
_FULL: Final = frozenset({"token_limit_exceeded"})
"""The whole batch was refused because too much is queued already; later it may be taken."""

_FIRST_S: Final = 2.0
_LONGEST_S: Final = 60.0
_PATIENCE: Final = 20
"""Times in a row that a server may be away while batches are waited for."""


@dataclass(frozen=True, slots=True)
class Landed:
    """What became of one request.

    Attributes:
        key: the ledger's key.
        answer: the reply; None when there is none.
        reason: why there is none.
        unprocessed: it certainly was not processed and may be sent again.
    """

    key: str
    answer: Answer | None
    reason: str = ""
    unprocessed: bool = False


@dataclass(slots=True)
class _Open:
    note: BatchNote
    left: set[str] = field(default_factory=set)
    strange: list[str] = field(default_factory=list)


class Flight:
    """All batches of one asking.

    Attributes:
        problem: what ends the asking; None while it may go on.
        stopped: the waiting was cut short.
    """

    def __init__(
        self,
        model: ServerModel,
        ledger: Ledger,
        book: BatchBook,
        remote: RemoteBatches,
        settings: AskSettings,
        stop: threading.Event,
        counts: AskCounts,
    ) -> None:
        self.problem: ToolkitError | None = None
        self.stopped = False
        self._model = model
        self._ledger = ledger
        self._book = book
        self._remote = remote
        self._settings = settings
        self._stop = stop
        self._counts = counts
        self._open: list[_Open] = []
        self._writes: list[Future[None]] = []
        # Whoever asks with the same parameters reads the replies in the same way, at one price.
        self._asker = digest([model.endpoint, model.fingerprint()])

    def pick_up(self) -> None:
        """Take over what an earlier process left: nothing is submitted that was submitted."""
        for note in list(self._book.open_notes(self._asker)):
            asked = {k: self._ledger.take_back(k, call) for k, call in note.calls.items()}
            states = {key: future.result() for key, future in asked.items()}
            taken = {key for key, state in states.items() if state == "taken"}
            if not taken:
                # Held by another step or process that waits for it, or settled before a kill.
                if "busy" not in states.values():
                    self._book.close(note)
                continue
            if note.state != "submitted":
                found = self._remote.find(note.name)
                if found is None:
                    self._give_back(note, taken, "its batch was never created")
                    self._book.close(note)
                    continue
                note = self._book.advance(note, "submitted", batch_id=found.id)
            self._open.append(_Open(note, taken))

    def take_off(self, path: str, requests: list[tuple[str, int, Mapping[str, Any]]]) -> None:
        """Write a file, upload it and create its batch; each step is noted before the next."""
        run = self._settings.run
        note = self._book.write(self._asker, run, path, requests)
        try:
            note = self._book.advance(
                note, "uploaded", file_id=self._remote.upload(self._book.file(note))
            )
            state = self._created(note, path)
            note = self._book.advance(note, "submitted", batch_id=state.id)
        except BatchesLost as error:
            # The batch may exist: the note stays, and the next asking looks for it.
            self.problem = self.problem or error
            return
        except ToolkitError as error:
            self._give_back(note, set(note.calls), error.message)
            self._book.close(note)
            self.problem = self.problem or error
            return
        self._open.append(_Open(note, set(note.calls)))

    def _created(self, note: BatchNote, path: str) -> BatchState:
        try:
            return self._remote.create(note.file_id, path, note.name)
        except BatchesLost:
            self.wait(_FIRST_S)
            found = self._remote.find(note.name)
            if found is None:
                raise
            return found

    def landings(self) -> Iterator[Landed]:
        """Yield what became of each request as its batch ends; ends when none is open."""
        wait_s, away = _FIRST_S, 0
        while self._open and not self.stopped:
            ended = 0
            for one in list(self._open):
                try:
                    state = self._remote.state(one.note.batch_id)
                    away = 0
                    if state.status in _ENDED:
                        ended += 1
                        landed = list(self._settle(one, state))
                        self._written()
                        self._open.remove(one)
                        self._book.close(one.note)
                        yield from landed
                except BatchesLost as error:
                    away += 1
                    if away >= _PATIENCE:
                        self.problem = self.problem or error
                        return
            if self._open:
                wait_s = _FIRST_S if ended else min(_LONGEST_S, 1.5 * wait_s)
                self.wait(wait_s)

    def _settle(self, one: _Open, state: BatchState) -> Iterator[Landed]:
        """Write down every line of an ended batch, then what became of the others."""
        lines, twice = self._lines(one, state)
        for key, line in lines.items():
            if key in twice:
                yield self._close(one, key, _failed("the batch answers this request twice"))
            else:
                yield self._judge(one, key, line)
        refused = state.status == "failed" and not lines
        if refused and not any(code in _FULL for code, _ in state.faults):
            words = "; ".join(f"{code}: {text}" for code, text in state.faults) or "no reason given"
            self.problem = self.problem or UserError(
                f"the server refused a batch ({words})",
                hint="mend what it names; nothing of it was processed or paid",
            )
        for key in sorted(one.left):
            if refused or state.status in ("expired", "cancelled"):
                yield self._unprocessed(one, key, f"its batch {state.status}")
            else:
                reason = "; ".join(["its batch has no line for it", *one.strange[:3]])
                settlement = Settlement(outcome="unknown", reason=reason)
                yield self._close(one, key, settlement)

    def _lines(self, one: _Open, state: BatchState) -> tuple[dict[str, BatchLine], set[str]]:
        found: dict[str, BatchLine] = {}
        twice: set[str] = set()
        for file_id in filter(None, (state.output, state.errors)):
            for line in self._remote.lines(file_id):
                if isinstance(line, str):
                    one.strange.append(line)
                elif line.custom_id not in one.note.calls:
                    one.strange.append("a line answers a request that was never in it")
                elif line.custom_id in found and found[line.custom_id] != line:
                    twice.add(line.custom_id)
                else:
                    found[line.custom_id] = line
        return {key: line for key, line in found.items() if key in one.left}, twice

    def _judge(self, one: _Open, key: str, line: BatchLine) -> Landed:
        if line.code in _GIVEN_BACK:
            return self._unprocessed(one, key, line.words or line.code)
        if line.body is None:
            why = line.words or line.code or "the line holds no reply"
            return self._close(one, key, _failed(f"{line.code}: {why}".strip(": ")))
        # As if it had come alone: the same check reads both.
        body = json.dumps(line.body, ensure_ascii=False).encode("utf-8", "surrogatepass")
        exchange = Exchange(
            "reply",
            status=line.status or 200,
            headers={"content-type": "application/json"},
            body=body,
        )
        outcome = judge_exchange(exchange, self._model, self._settings.clock.now())
        if outcome.verdict.kind == "stop":
            self.problem = self.problem or outcome.verdict.error
        return self._close(one, key, outcome.settlement, outcome.answer)

    def _unprocessed(self, one: _Open, key: str, reason: str) -> Landed:
        return self._close(one, key, Settlement(outcome="not_processed", reason=reason))

    def _close(
        self, one: _Open, key: str, settlement: Settlement, answer: Answer | None = None
    ) -> Landed:
        one.left.discard(key)
        self._writes.append(self._ledger.settle(one.note.calls[key], settlement))
        counts = self._counts
        counts.prompt_tokens += settlement.prompt_tokens or 0
        counts.completion_tokens += settlement.completion_tokens or 0
        counts.turned_away += settlement.outcome == "not_processed"
        counts.unknown += settlement.outcome == "unknown"
        counts.cost_pico_usd += settlement.cost_pico_usd or 0
        if settlement.outcome == "failed" and answer is None:
            answer = Answer("error", reason=settlement.reason)
        counts.made += answer is not None
        return Landed(
            key, answer, settlement.reason, unprocessed=settlement.outcome == "not_processed"
        )

    def _give_back(self, note: BatchNote, keys: set[str], reason: str) -> None:
        for key in sorted(keys):
            settlement = Settlement(outcome="not_processed", reason=reason)
            self._writes.append(self._ledger.settle(note.calls[key], settlement))
            self._counts.turned_away += 1
        self._written()

    def _written(self) -> None:
        """Wait until what was settled is durable: an answer is seen by nobody before that."""
        for write in self._writes:
            write.result()
        self._writes.clear()

    def wait(self, seconds: float) -> None:
        """Wait, but no longer than until asking is stopped."""
        while seconds > 0:
            if self._stop.is_set():
                self.stopped = True
                return
            step = min(1.0, seconds)
            asyncio.run(self._settings.clock.sleep(step))
            seconds -= step


def _failed(reason: str) -> Settlement:
    return Settlement(outcome="failed", reason=reason)
