"""Batches on their way: files up, batches created, waited for, read, and settled call by call."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from toolkit.ask.batch.book import BatchBook, BatchNote
from toolkit.ask.batch.remote import BatchesLost, BatchLine, BatchState, RemoteBatches
from toolkit.ask.client import Exchange
from toolkit.ask.counts import AskCounts
from toolkit.ask.engine import AskSettings
from toolkit.ask.outcome import judge_exchange
from toolkit.errors import ToolkitError, UserError
from toolkit.models.base import Answer, ModelRequest, ServerModel
from toolkit.store.canonical import digest
from toolkit.store.ledger import Ledger, Settlement
from toolkit.store.ledger_batches import claimed_and_left, give_back_unsent

__all__ = ["Flight", "Landed"]

_ENDED: Final = frozenset({"completed", "failed", "expired", "cancelled"})
_GIVEN_BACK: Final = frozenset({"batch_expired", "batch_cancelled"})
_FULL: Final = frozenset({"token_limit_exceeded"})
"""The whole batch was refused because too much is queued already; later it may be taken."""

_FIRST_S: Final = 2.0
_LONGEST_S: Final = 60.0
_LOOKS_S: Final = (0.0, 2.0, 8.0, 30.0)
"""Waits before each look for a batch whose making was not answered, in seconds."""

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
        queue_full: the server has too much in its queue to take its batch now.
    """

    key: str
    answer: Answer | None
    reason: str = ""
    unprocessed: bool = False
    queue_full: bool = False


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
        counts: calls, tokens and money so far.
    """

    def __init__(
        self,
        model: ServerModel,
        ledger: Ledger,
        book: BatchBook,
        remote: RemoteBatches,
        settings: AskSettings,
        stop: threading.Event,
    ) -> None:
        self.problem: ToolkitError | None = None
        self.stopped = False
        self._model = model
        self._ledger = ledger
        self._book = book
        self._remote = remote
        self._settings = settings
        self._stop = stop
        self.counts = AskCounts()
        self._open: list[_Open] = []
        self._writes: list[Future[None]] = []
        # No parameter of sampling: what was paid is read, whatever a recipe has changed since.
        example = model.ledger_request(ModelRequest("", 0))
        self._asker = digest(
            [example.provider, model.endpoint, model.api_version, model.path, example.body["model"]]
        )

    def pick_up(self) -> None:
        """Take over what an earlier process left: nothing is submitted that was submitted."""
        self._book.sweep()
        left = self._ledger.submit(claimed_and_left).result()
        if left:
            # Looked at in this order: whoever claimed them is gone and writes no more notes.
            noted = {call for note in self._book.open_notes() for call in note.calls.values()}
            unsent = set(left) - noted
            self._ledger.submit(lambda db: give_back_unsent(db, unsent)).result()
        for note in self._others():
            asked = {k: self._ledger.take_back(k, call) for k, call in note.calls.items()}
            states = {key: future.result() for key, future in asked.items()}
            taken = {key for key, state in states.items() if state == "taken"}
            if taken:
                self._take_over(_Open(note, taken))
            elif "busy" not in states.values():
                # Settled before a kill; else another step or process waits for it.
                self._book.close(note)

    def ending(self) -> bool:
        """Look whether nothing more is to be sent."""
        self.stopped = self.stopped or self._stop.is_set()
        return self.stopped or self.problem is not None

    def standing(self) -> set[str]:
        """Return the keys of requests that stand in batches of others."""
        return {key for note in self._others() for key in note.calls}

    def _others(self) -> list[BatchNote]:
        mine = {one.note.name for one in self._open}
        return [note for note in self._book.open_notes(self._asker) if note.name not in mine]

    def _take_over(self, one: _Open) -> None:
        note = one.note
        self._open.append(one)
        if note.state == "submitted":
            return
        # Of a file that was only written no batch was ever asked for.
        found = self._search(note.name) if note.state == "uploaded" else None
        if found is not None:
            one.note = self._book.advance(note, "submitted", batch_id=found.id)
        elif not self.stopped:
            self._open.remove(one)
            self.give_back({key: note.calls[key] for key in one.left}, "no batch was made of it")
            self._book.close(note)

    def _search(self, name: str) -> BatchState | None:
        """Look for a batch that was asked for; the request may still be on its way."""
        for wait_s in _LOOKS_S:
            self.wait(wait_s)
            if self.stopped:
                break
            found = self._remote.find(name)
            if found is not None:
                return found
        return None

    def take_off(self, path: str, requests: list[tuple[str, int, Mapping[str, Any]]]) -> None:
        """Write a file, upload it and create its batch; each step is noted before the next."""
        one = _Open(self._book.write(self._asker, self._settings.run, path, requests))
        one.left = set(one.note.calls)
        self._open.append(one)
        try:
            file_id = self._uploaded(self._book.file(one.note))
            one.note = self._book.advance(one.note, "uploaded", file_id=file_id)
            state = self._created(one.note, path)
            one.note = self._book.advance(one.note, "submitted", batch_id=state.id)
        except BatchesLost as error:
            # The batch may exist: the note stays, and the next asking looks for it.
            self.problem = self.problem or error
        except ToolkitError as error:
            self._open.remove(one)
            self.give_back(one.note.calls, error.message)
            self._book.close(one.note)
            self.problem = self.problem or error

    def _uploaded(self, file: Path) -> str:
        """Upload a file; again where that failed: a file that no batch is made of costs nothing."""
        for wait_s in _LOOKS_S[1:]:
            try:
                return self._remote.upload(file)
            except BatchesLost:
                self.wait(wait_s)
                if self.stopped:
                    raise
        return self._remote.upload(file)

    def _created(self, note: BatchNote, path: str) -> BatchState:
        try:
            return self._remote.create(note.file_id, path, note.name)
        except BatchesLost:
            found = self._search(note.name)
            if found is None:
                raise
            return found

    def landings(self) -> Iterator[Landed]:
        """Yield what became of each request as its batch ends; ends when none is open."""
        wait_s, away = _FIRST_S, 0
        while self._open and not self.stopped and self.problem is None:
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
        full = refused and any(code in _FULL for code, _ in state.faults)
        if refused and not full:
            words = "; ".join(f"{code}: {text}" for code, text in state.faults) or "no reason given"
            self.problem = self.problem or UserError(
                f"the server refused a batch ({words})",
                hint="mend what it names; nothing of it was processed or paid",
            )
        for key in sorted(one.left):
            if refused or state.status in ("expired", "cancelled"):
                yield self._unprocessed(one, key, f"its batch {state.status}", queue_full=full)
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

    def _unprocessed(
        self, one: _Open, key: str, reason: str, *, queue_full: bool = False
    ) -> Landed:
        landed = self._close(one, key, Settlement(outcome="not_processed", reason=reason))
        return replace(landed, queue_full=queue_full)

    def _close(
        self, one: _Open, key: str, settlement: Settlement, answer: Answer | None = None
    ) -> Landed:
        one.left.discard(key)
        self._writes.append(self._ledger.settle(one.note.calls[key], settlement))
        counts = self.counts
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

    def give_back(self, calls: Mapping[str, int], reason: str) -> None:
        """Settle calls that were claimed and certainly not processed."""
        for key in sorted(calls):
            settlement = Settlement(outcome="not_processed", reason=reason)
            self._writes.append(self._ledger.settle(calls[key], settlement))
            self.counts.turned_away += 1
        self._written()

    def leave(self) -> None:
        """Let go of batches that have not ended; whoever asks next takes them over."""
        for one in self._open:
            settlement = Settlement(outcome="unknown", reason="its batch goes on at the server")
            for key in sorted(one.left):
                self._writes.append(self._ledger.settle(one.note.calls[key], settlement))
        self._open.clear()
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
