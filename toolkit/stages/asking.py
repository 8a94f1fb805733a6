"""Ask a model about the rows of a table: through the ledger for a server, in workers else.

A step says what it asks as a :class:`Work`; how it is asked, in which order and where, is the
same for answers, judgements and comparisons. The work is cut into slices of rows; a slice is
a piece, written once all of its dialogues are over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from toolkit.ask.batch.engine import ask_batch
from toolkit.ask.dialogue import Dialogue
from toolkit.ask.engine import AskCounts, AskSettings, ask_all
from toolkit.models.base import ServerModel
from toolkit.recipe.sections import Model
from toolkit.registry import member
from toolkit.stages.context import Context
from toolkit.stages.kept_answers import KeptAnswers
from toolkit.stages.slices import Slice
from toolkit.store.pieces import Piece, PieceWriter, ensure_piece, find_piece

__all__ = ["Work", "ask_rows", "make_model"]

MODEL_ROWS: Final = 8
"""Dialogues of a task when a language model answers: a task lasts seconds, and what a killed one
did not keep is computed again."""

BATCHES: Final = 4
"""Batches of a task of a model that computes in batches."""

PLAIN_ROWS: Final = 1000
"""Dialogues of a task when answers cost microseconds."""

SERVER_ROWS: Final = 500
"""Dialogues of a shard: answers are safe in the ledger, so a shard may be large."""


class Work(Protocol):
    """What a step asks one model: small and picklable, because workers are sent it."""

    @property
    def step(self) -> str:
        """Name of the step."""

    @property
    def model(self) -> Model:
        """The model's section of the recipe."""

    @property
    def base(self) -> Path:
        """Folder of the recipe."""

    @property
    def plain(self) -> bool:
        """Whether answers cost microseconds."""

    def parts(self, dialogues: int) -> list[Slice]:
        """Cut the rows into slices of about so many dialogues each, at least one row."""

    def dialogues(self, part: Slice) -> list[Dialogue]:
        """Return the dialogues of a slice in the order of its rows."""

    def write(
        self, writer: PieceWriter, part: Slice, dialogues: Sequence[Dialogue]
    ) -> Mapping[str, Any]:
        """Write the tables of a slice whose dialogues are over; return the piece's facts."""


def make_model(work: Work) -> Any:
    """Return the model that a step asks."""
    return member("models", work.model.provider)(work.model.params, work.base)


def ask_rows(context: Context, work: Work) -> list[Piece]:
    """Return the pieces of a step, each made once.

    Raises:
        UserError: a server refuses key, model or parameters.
        RunError: some requests have no answer yet; running again asks only these.
        Stopped: the same because the run was asked to stop.
    """
    model = make_model(work)
    if model.where == "server":
        return _ask_server(context, work, model)
    # A slice holds several batches where a model computes in batches: cut from it, all are full
    # but the last.
    in_batches = BATCHES * getattr(model, "batch_size", 1)
    parts = work.parts(PLAIN_ROWS if work.plain else max(MODEL_ROWS, in_batches))
    kept = context.plan.workspace.answers
    tasks = [_Task(work, part, context.folder, kept) for part in parts]
    return list(context.each(_answer, tasks, "answers"))


@dataclass(frozen=True, slots=True)
class _Task:
    work: Work
    part: Slice
    folder: Path
    kept: Path

    @property
    def name(self) -> str:
        """What a message calls it."""
        return f"{self.work.step}, rows {self.part.first} to {self.part.last - 1}"


def _answer(task: _Task) -> Piece:
    return ensure_piece(task.folder, task.part.key, lambda writer: _fill(task, writer))


def _fill(task: _Task, writer: PieceWriter) -> Mapping[str, Any]:
    model = KeptAnswers(task.kept, make_model(task.work))
    dialogues = task.work.dialogues(task.part)
    # Round by round: which requests a batch holds depends on this slice alone.
    while asked := [(d, r) for d in dialogues if (r := d.request()) is not None]:
        answers = model.answer([request for _, request in asked])
        for (dialogue, _), answer in zip(asked, answers, strict=True):
            dialogue.take(answer)
    return task.work.write(writer, task.part, dialogues)


def _ask_server(context: Context, work: Work, model: ServerModel) -> list[Piece]:
    waiting = _Waiting(context, work)
    run = context.plan.run_name
    assert run is not None
    totals = AskCounts()

    def note(counts: AskCounts) -> None:
        nonlocal totals
        totals = counts
        waiting.report(counts)

    execution = context.recipe.execution
    ask = ask_batch if model.execution == "batch" else ask_all
    try:
        for asked in ask(
            model,
            waiting.dialogues(),
            context.ledger(),
            settings=AskSettings(
                run=run,
                secrets=context.secrets,
                budget_usd=execution.budget_usd,
                concurrency=execution.concurrency,
            ),
            stop=context.stop,
            on_progress=note,
        ):
            waiting.take(asked.index)
    finally:
        context.calls(asdict(totals))
    return waiting.pieces()


@dataclass(slots=True)
class _OpenSlice:
    """A slice some of whose dialogues are still going on."""

    part: Slice
    dialogues: list[Dialogue]
    left: int = field(init=False)

    def __post_init__(self) -> None:
        self.left = len(self.dialogues)


class _Waiting:
    """Slices whose answers are still coming; a slice is written when its last one is there."""

    def __init__(self, context: Context, work: Work) -> None:
        self._context = context
        self._work = work
        self._parts = work.parts(SERVER_ROWS)
        self._pieces: dict[str, Piece] = {}
        self._open: dict[int, _OpenSlice] = {}
        self._total = sum(part.last - part.first for part in self._parts)
        self._done = float(self._total)
        for part in self._parts:
            found = find_piece(context.folder, part.key)
            if found is not None:
                self._pieces[part.key] = found
            else:
                self._done -= _rows(part)

    def dialogues(self) -> Iterator[Dialogue]:
        """Yield the dialogues of all slices that are not written yet."""
        start = 0
        for part in self._parts:
            if part.key in self._pieces:
                continue
            open_slice = _OpenSlice(part, self._work.dialogues(part))
            # Before the first is handed out: its answer may come at once.
            for index in range(start, start + len(open_slice.dialogues)):
                self._open[index] = open_slice
            start += len(open_slice.dialogues)
            if not open_slice.dialogues:
                self._done += _rows(part)
                self._finish(open_slice)
            yield from open_slice.dialogues

    def take(self, index: int) -> None:
        """Note that the dialogue at ``index`` is over."""
        open_slice = self._open.pop(index)
        open_slice.left -= 1
        self._done += _rows(open_slice.part) / len(open_slice.dialogues)
        if open_slice.left == 0:
            self._finish(open_slice)

    def _finish(self, open_slice: _OpenSlice) -> None:
        part, dialogues = open_slice.part, open_slice.dialogues
        self._pieces[part.key] = ensure_piece(
            self._context.folder,
            part.key,
            lambda writer: self._work.write(writer, part, dialogues),
        )

    def report(self, counts: AskCounts) -> None:
        """Say how far the asking is."""
        note = f"{counts.made} made, {counts.reused} reused, {counts.failed} failed"
        if counts.unknown:
            note += f", {counts.unknown} of unknown outcome"
        if counts.cost_pico_usd:
            note += f", ${counts.cost_pico_usd / 1e12:.4f}"
        self._context.progress(round(self._done), self._total, note)

    def pieces(self) -> list[Piece]:
        """Return the pieces of all slices in order."""
        return [self._pieces[part.key] for part in self._parts]


def _rows(part: Slice) -> int:
    return part.last - part.first
