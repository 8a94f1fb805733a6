"""Ask one model one prompt about the items of one split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from toolkit.ask.dialogue import Dialogue, Stage
from toolkit.ask.parser import make_parser
from toolkit.errors import RunError
from toolkit.models.base import Answer, ModelRequest
from toolkit.plan.graph import selection
from toolkit.prompts.render import Renderer, Turn
from toolkit.prompts.shots import Candidate, choose, pool
from toolkit.recipe.sections import Model, Prompt
from toolkit.records import to_arrow
from toolkit.stages.asking import ask_rows, make_model
from toolkit.stages.context import Context, finish
from toolkit.stages.slices import RowReader, Slice, slices
from toolkit.store.artifact import Artifact
from toolkit.store.canonical import digest
from toolkit.store.manifest import Manifest
from toolkit.store.pieces import Piece, PieceWriter

__all__ = ["Questions", "run"]

_ANSWER: Final = "answer"
"""The only stage of a dialogue that has one prompt."""


def run(context: Context) -> Manifest:
    """Generate the answers.

    Returns:
        Table ``generations``; facts ``status`` (counts) and ``slices`` (which rows of the
        selection each shard answers).

    Raises:
        RunError: the split has no items, or a server stopped the run.
    """
    questions = _questions(context)
    if questions.selected.manifest.rows(questions.table) == 0:
        raise RunError(
            f"{context.step.name}: '{context.step.options['split']}' has no items to ask about",
            hint="change generate.split, or the splits",
        )
    pieces = ask_rows(context, questions)
    return finish(context, pieces, _facts(pieces))


@dataclass(frozen=True, slots=True)
class Questions:
    """One prompt to one model about a table of items: a :class:`toolkit.stages.asking.Work`.

    Attributes:
        step: name of the step.
        name: name of the model in the recipe.
        model: the model's section.
        plain: answers cost microseconds.
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
    plain: bool
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

    def parts(self, dialogues: int) -> list[Slice]:
        """Cut the items into slices of about so many dialogues each."""
        rows = max(1, dialogues // self.repeats)
        return slices(self.selected, self.table, rows, self.limit)

    def dialogues(self, part: Slice) -> list[Dialogue]:
        """Return the dialogues of a slice: every item, every repeat, in order."""
        needs = make_model(self).needs
        reader = RowReader(self.selected, self.table)
        renderer = None
        if self.prompt is not None and "messages" in needs:
            renderer = Renderer(self.prompt_name, self.prompt)
        others = self._others(reader, part) if "other_reference" in needs else None
        parser = make_parser(self.prompt.parser if self.prompt else "text")
        found: list[Dialogue] = []
        for index, item in enumerate(reader.rows(part)):
            stage = Stage(
                _ANSWER,
                partial(self._turns, renderer, item),
                parser,
                reask=(self.prompt.reask or 0) if self.prompt else 0,
                retry_tokens=self.prompt.retry_tokens if self.prompt else None,
            )
            for repeat in range(self.repeats):
                row = ModelRequest(
                    item_id=item["item_id"],
                    repeat=repeat,
                    item=item if "item" in needs else {},
                    other_reference=others[index] if others else None,
                    prompt=self.prompt_name,
                )
                found.append(Dialogue(row, [stage]))
        return found

    def write(
        self, writer: PieceWriter, part: Slice, dialogues: Sequence[Dialogue]
    ) -> Mapping[str, Any]:
        """Write the answers of a slice as one shard; the facts are the slice and counts."""
        rows: list[dict[str, Any]] = []
        status: dict[str, int] = {}
        served: dict[str, int] = {}
        for dialogue in dialogues:
            answer = dialogue.answers[_ANSWER]
            if answer.served_model:
                served[answer.served_model] = served.get(answer.served_model, 0) + 1
            status[answer.status] = status.get(answer.status, 0) + 1
            rows.append(
                {
                    "item_id": dialogue.row.item_id,
                    "model": self.name,
                    "prompt": self.prompt_name,
                    "repeat": dialogue.row.repeat,
                    **asdict(answer),
                }
            )
        writer.table("generations", to_arrow("generations", rows))
        return {
            "slice": [part.first, part.last],
            "status": dict(sorted(status.items())),
            "served": dict(sorted(served.items())),
        }

    def _turns(
        self, renderer: Renderer | None, item: Mapping[str, Any], answers: Mapping[str, Answer]
    ) -> Sequence[Turn]:
        return () if renderer is None else renderer.turns(item, self._shots(item))

    def _shots(self, item: Mapping[str, Any]) -> tuple[Candidate, ...]:
        shots = self.prompt.shots if self.prompt else None
        if shots is None:
            return ()
        return choose(item, self.examples, self.reference, shots.n)

    def _others(self, reader: RowReader, part: Slice) -> Sequence[str | None]:
        """Return the reference of another item for each row: a seeded shift of the whole table.

        A shift gives every item exactly one other item, never itself, and each reference is
        used once; a worker reads only the rows it needs.
        """
        total = self.selected.manifest.rows(self.table)
        if self.limit is not None:
            total = min(total, self.limit)
        if total < 2:
            return [None] * (part.last - part.first)
        shift = 1 + int(digest([self.seed, self.table])[:12], 16) % (total - 1)
        wanted = [(row + shift) % total for row in range(part.first, part.last)]
        return reader.column(self.reference, wanted)


def _questions(context: Context) -> Questions:
    step, recipe = context.step, context.recipe
    prompt_name = step.params["prompt"]
    prompt = recipe.prompts[prompt_name] if prompt_name else None
    return Questions(
        step=step.name,
        name=step.params["model"],
        model=recipe.models[step.params["model"]],
        plain=step.options["kind"] != "model",
        prompt_name=prompt_name,
        prompt=prompt,
        base=recipe.folder,
        selected=context.inputs[step.items_from],
        table=step.params["table"],
        reference=(prompt.reference if prompt else None) or recipe.reference,
        repeats=step.params["repeats"],
        limit=step.params["limit"],
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


def _facts(pieces: Sequence[Piece]) -> dict[str, Any]:
    counts: dict[str, dict[str, int]] = {"status": {}, "served": {}}
    for piece in pieces:
        for key, total in counts.items():
            for name, count in piece.facts[key].items():
                total[name] = total.get(name, 0) + count
    sorted_counts = {key: dict(sorted(total.items())) for key, total in counts.items()}
    return {**sorted_counts, "slices": [piece.facts["slice"] for piece in pieces]}
