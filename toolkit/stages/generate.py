"""Ask one model one prompt about the items of one split."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from toolkit.ask.parser import make_parser, parse_answer
from toolkit.errors import RunError
from toolkit.models.base import Answer, Message, ModelRequest, WorkerModel
from toolkit.plan.graph import selection
from toolkit.prompts.render import EmptySlotError, Renderer
from toolkit.prompts.shots import Candidate, choose, pool
from toolkit.recipe.sections import Model, Prompt
from toolkit.records import to_arrow
from toolkit.registry import member
from toolkit.stages.context import Context, finish
from toolkit.stages.slices import RowReader, Slice, slices
from toolkit.store.artifact import Artifact
from toolkit.store.canonical import digest
from toolkit.store.manifest import Manifest
from toolkit.store.pieces import Piece, PieceWriter, ensure_piece

__all__ = ["Question", "questions", "run", "write_answers"]

MODEL_ROWS: Final = 8
"""Rows of a task when a language model answers: a task lasts seconds, and a killed one is
computed again as a whole."""

BASELINE_ROWS: Final = 1000
"""Rows of a task when answers cost microseconds."""


def run(context: Context) -> Manifest:
    """Generate the answers.

    Returns:
        Table ``generations``; facts ``status`` (counts), ``slices`` (which rows of the
        selection each shard answers) and, for a server, ``calls``.

    Raises:
        RunError: the split has no items, or a server stopped the run.
    """
    question = _question(context)
    table = question.selected.manifest.rows(question.table)
    if table == 0:
        raise RunError(
            f"{context.step.name}: '{context.step.options['split']}' has no items to ask about",
            hint="change generate.split, or the splits",
        )
    if context.step.options["where"] == "server":
        from toolkit.stages.ask_server import ask_server

        pieces = ask_server(context, question)
    else:
        rows = MODEL_ROWS if question.model_kind == "model" else BASELINE_ROWS
        tasks = [_Task(question, part, context.folder) for part in _slices(question, rows)]
        pieces = list(context.each(_answer, tasks, "answers"))
    return finish(context, pieces, _facts(pieces))


@dataclass(frozen=True, slots=True)
class Question:
    """Everything a worker needs to ask: small, picklable.

    Attributes:
        step: name of the step.
        name: name of the model in the recipe.
        model: the model's section.
        model_kind: model, baseline or reference.
        prompt_name: name of the prompt; empty for a baseline.
        prompt: the prompt, None for a baseline.
        base: folder of the recipe.
        selected: the artifact that holds the items.
        table: the table of it.
        reference: column of the reference texts.
        repeats: answers to each question.
        limit: most items asked, None for all.
        seed: seed of the recipe.
        examples: candidates for worked examples.
    """

    step: str
    name: str
    model: Model
    model_kind: str
    prompt_name: str
    prompt: Prompt | None
    base: Path
    selected: Artifact
    table: str
    reference: str
    repeats: int
    limit: int | None
    seed: int
    examples: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class _Task:
    question: Question
    part: Slice
    folder: Path

    @property
    def name(self) -> str:
        """What a message calls it."""
        return f"{self.question.step}, rows {self.part.first} to {self.part.last - 1}"


def _question(context: Context) -> Question:
    step, recipe = context.step, context.recipe
    where, table = selection(recipe, step.options["split"])
    prompt_name = step.params["prompt"]
    prompt = recipe.prompts[prompt_name] if prompt_name else None
    return Question(
        step=step.name,
        name=step.params["model"],
        model=recipe.models[step.params["model"]],
        model_kind=step.options["kind"],
        prompt_name=prompt_name,
        prompt=prompt,
        base=recipe.folder,
        selected=context.inputs[where],
        table=table,
        reference=(prompt.reference if prompt else None) or recipe.reference,
        repeats=step.params["repeats"],
        limit=recipe.limit,
        seed=recipe.seed,
        examples=_examples(context, prompt),
    )


def _examples(context: Context, prompt: Prompt | None) -> tuple[Candidate, ...]:
    if prompt is None or prompt.shots is None:
        return ()
    where, table = selection(context.recipe, prompt.shots.from_)
    reference = prompt.reference or context.recipe.reference
    rows = context.inputs[where].rows(table)
    return pool(rows, reference, prompt.shots.n, prompt.shots.seed)


def _slices(question: Question, rows: int) -> list[Slice]:
    return slices(question.selected, question.table, rows, question.limit)


def questions(question: Question, part: Slice) -> Iterator[tuple[ModelRequest, str]]:
    """Yield the requests of a slice: every item, every repeat, in order.

    With each comes why it cannot be asked, or an empty text.
    """
    cls = member("models", question.model.provider)
    needs = cls(question.model.params, question.base).needs
    reader = RowReader(question.selected, question.table)
    renderer = None
    if question.prompt is not None and "messages" in needs:
        renderer = Renderer(question.prompt_name, question.prompt)
    others = _others(question, reader, part) if "other_reference" in needs else None
    for index, item in enumerate(reader.rows(part)):
        turns: tuple[tuple[Any, str], ...] = ()
        problem = ""
        if renderer is not None:
            try:
                turns = renderer.turns(item, _shots(question, item))
            except EmptySlotError as error:
                problem = error.message
        for repeat in range(question.repeats):
            request = ModelRequest(
                item_id=item["item_id"],
                repeat=repeat,
                messages=tuple(Message(role, text) for role, text in turns),
                item=item if "item" in needs else {},
                other_reference=others[index] if others else None,
                prompt=question.prompt_name,
            )
            yield request, problem


def _shots(question: Question, item: Mapping[str, Any]) -> tuple[Candidate, ...]:
    shots = question.prompt.shots if question.prompt else None
    if shots is None:
        return ()
    return choose(item, question.examples, question.reference, shots.n)


def _others(question: Question, reader: RowReader, part: Slice) -> Sequence[str | None]:
    """Return the reference of another item for each row: a seeded shift of the whole table.

    A shift gives every item exactly one other item, never itself, and each reference is used
    once; a worker reads only the rows it needs.
    """
    total = question.selected.manifest.rows(question.table)
    if question.limit is not None:
        total = min(total, question.limit)
    if total < 2:
        return [None] * (part.last - part.first)
    shift = 1 + int(digest([question.seed, question.table])[:12], 16) % (total - 1)
    wanted = [(row + shift) % total for row in range(part.first, part.last)]
    return reader.column(question.reference, wanted)


def _answer(task: _Task) -> Piece:
    return ensure_piece(task.folder, task.part.key, lambda writer: _fill(task, writer))


def _fill(task: _Task, writer: PieceWriter) -> Mapping[str, Any]:
    question = task.question
    cls = member("models", question.model.provider)
    model: WorkerModel = cls(question.model.params, question.base)
    asked = list(questions(question, task.part))
    answers = iter(model.answer([request for request, problem in asked if not problem]))
    return write_answers(
        writer,
        question,
        task.part,
        [request for request, _ in asked],
        [Answer("error", reason=problem) if problem else next(answers) for _, problem in asked],
    )


def write_answers(
    writer: PieceWriter,
    question: Question,
    part: Slice,
    requests: Sequence[ModelRequest],
    answers: Sequence[Answer],
) -> dict[str, Any]:
    """Parse the answers to a slice's requests and write them as one shard.

    Returns:
        The piece's facts: the slice and counts by status.
    """
    if len(requests) != len(answers):
        raise ValueError(f"{len(requests)} requests but {len(answers)} answers")
    parser = make_parser(question.prompt.parser if question.prompt else "text")
    rows: list[dict[str, Any]] = []
    status: dict[str, int] = {}
    for request, raw in zip(requests, answers, strict=True):
        answer = parse_answer(raw, parser)
        status[answer.status] = status.get(answer.status, 0) + 1
        rows.append(
            {
                "item_id": request.item_id,
                "model": question.name,
                "prompt": question.prompt_name,
                "repeat": request.repeat,
                **asdict(answer),
            }
        )
    writer.table("generations", to_arrow("generations", rows))
    return {"slice": [part.first, part.last], "status": dict(sorted(status.items()))}


def _facts(pieces: Sequence[Piece]) -> dict[str, Any]:
    status: dict[str, int] = {}
    for piece in pieces:
        for name, count in piece.facts["status"].items():
            status[name] = status.get(name, 0) + count
    return {
        "status": dict(sorted(status.items())),
        "slices": [piece.facts["slice"] for piece in pieces],
    }
