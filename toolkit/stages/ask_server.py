"""Ask a server for one step: from the coordinating process, through the ledger."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Final

from toolkit.ask.engine import AskCounts, AskSettings, ask_all
from toolkit.models.base import Answer, ModelRequest, ServerModel
from toolkit.registry import member
from toolkit.stages.context import Context
from toolkit.stages.slices import Slice, slices
from toolkit.store.pieces import Piece, ensure_piece, find_piece

if TYPE_CHECKING:
    from toolkit.stages.generate import Question

__all__ = ["ask_server"]

SERVER_ROWS: Final = 500
"""Rows of a shard: answers are safe in the ledger, so a shard may be large."""


def ask_server(context: Context, question: Question) -> list[Piece]:
    """Return the pieces of a step whose model is asked over HTTP.

    Raises:
        UserError: the server refuses key, model or parameters.
        RunError: some requests have no answer yet; running again asks only these.
        Stopped: the same because the run was asked to stop.
    """
    model: ServerModel = member("models", question.model.provider)(
        question.model.params, question.base
    )
    parts = slices(question.selected, question.table, SERVER_ROWS, question.limit)
    waiting = _Waiting(context, question, parts)
    run = context.plan.run_name
    assert run is not None
    totals = AskCounts()

    def note(counts: AskCounts) -> None:
        nonlocal totals
        totals = counts
        waiting.report(counts)

    try:
        for asked in ask_all(
            model,
            waiting.requests(),
            context.ledger(),
            settings=AskSettings(
                run=run,
                secrets=context.secrets,
                budget_usd=context.recipe.execution.budget_usd,
                concurrency=context.recipe.execution.concurrency,
            ),
            stop=context.stop,
            on_progress=note,
        ):
            waiting.take(asked.index, asked.answer)
    finally:
        context.calls(asdict(totals))
    return waiting.pieces()


@dataclass(slots=True)
class _OpenSlice:
    """A slice whose answers are still coming.

    Attributes:
        requests: all its requests, those that cannot be asked among them.
        start: number of its first request among all that are asked.
        places: where in ``requests`` each asked one stands.
        answers: what is there so far, by place.
    """

    part: Slice
    requests: list[ModelRequest]
    start: int
    places: list[int] = field(default_factory=list)
    answers: dict[int, Answer] = field(default_factory=dict)


class _Waiting:
    """Slices whose answers are still coming; a slice is written when its last one is there."""

    def __init__(self, context: Context, question: Question, parts: list[Slice]) -> None:
        self._context = context
        self._question = question
        self._parts = parts
        self._pieces: dict[str, Piece] = {}
        self._open: list[_OpenSlice] = []
        self._total = sum(part.last - part.first for part in parts) * question.repeats
        self._done = 0
        for part in parts:
            found = find_piece(context.folder, part.key)
            if found is not None:
                self._pieces[part.key] = found
                self._done += (part.last - part.first) * question.repeats

    def requests(self) -> Iterator[ModelRequest]:
        """Yield the requests of all slices that are not written yet."""
        from toolkit.stages.generate import questions

        start = 0
        for part in self._parts:
            if part.key in self._pieces:
                continue
            asked = list(questions(self._question, part))
            slice_ = _OpenSlice(part, [request for request, _ in asked], start)
            for place, (_, problem) in enumerate(asked):
                if problem:
                    slice_.answers[place] = Answer("error", reason=problem)
                else:
                    slice_.places.append(place)
            self._done += len(slice_.answers)
            start += len(slice_.places)
            self._open.append(slice_)
            self._finish(slice_)
            for place in slice_.places:
                yield slice_.requests[place]

    def take(self, index: int, answer: Answer) -> None:
        """Accept the answer to the request at ``index``."""
        self._done += 1
        # A copy: the thread that asks adds to the list meanwhile.
        for slice_ in list(self._open):
            if slice_.start <= index < slice_.start + len(slice_.places):
                slice_.answers[slice_.places[index - slice_.start]] = answer
                self._finish(slice_)
                return
        raise ValueError(f"an answer to request {index}, which was never asked")

    def _finish(self, slice_: _OpenSlice) -> None:
        """Write a slice once all its answers are there."""
        if len(slice_.answers) == len(slice_.requests):
            self._open.remove(slice_)
            answers = [slice_.answers[place] for place in range(len(slice_.requests))]
            self._write(slice_.part, slice_.requests, answers)

    def _write(self, part: Slice, requests: list[ModelRequest], answers: list[Answer]) -> None:
        from toolkit.stages.generate import write_answers

        self._pieces[part.key] = ensure_piece(
            self._context.folder,
            part.key,
            lambda writer: write_answers(writer, self._question, part, requests, answers),
        )

    def report(self, counts: AskCounts) -> None:
        """Say how far the asking is."""
        note = f"{counts.made} made, {counts.reused} reused, {counts.failed} failed"
        if counts.unknown:
            note += f", {counts.unknown} of unknown outcome"
        if counts.cost_pico_usd:
            note += f", ${counts.cost_pico_usd / 1e12:.4f}"
        self._context.progress(self._done, self._total, note)

    def pieces(self) -> list[Piece]:
        """Return the pieces of all slices in order."""
        return [self._pieces[part.key] for part in self._parts]
