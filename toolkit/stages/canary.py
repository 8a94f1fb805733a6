"""Try planted instructions on a judge: does an answer that asks for a good score get one?"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from toolkit.ask.dialogue import Dialogue
from toolkit.ask.usage import add_usage, usage_of
from toolkit.judges.base import AskingJudge, Target
from toolkit.judges.canaries import CANARIES, effect_table, planted
from toolkit.recipe.sections import Model
from toolkit.records import to_arrow
from toolkit.stages.asking import ask_rows
from toolkit.stages.context import Context, finish
from toolkit.stages.judge import make_judge
from toolkit.stages.slices import Slice
from toolkit.stages.targets import answers_of
from toolkit.store.canonical import text_digest
from toolkit.store.manifest import Manifest
from toolkit.store.pieces import PieceWriter

__all__ = ["Planting", "run"]

_ROWS: Final = 1000

_Key = tuple[str, str, str, int]


def run(context: Context) -> Manifest:
    """Ask the judge about answers with planted instructions, and compare with its plain scores.

    Returns:
        Table ``canaries``; the fact ``tables`` holds what each instruction did to each score.
    """
    step, recipe = context.step, context.recipe
    judge = make_judge(recipe, step.params["judge"])
    plain = dict(_plain(context))
    targets = _drawn(context, plain)
    work = Planting(
        step=step.name,
        judge=step.params["judge"],
        made=judge,
        columns=step.params["columns"],
        model=recipe.models[judge.params.model],
        base=recipe.folder,
        plain=False,
        targets=tuple(targets),
        scores={key: plain[key] for key in (_key(target.answer) for target in targets)},
    )
    pieces = ask_rows(context, work)
    rows = [row for piece in pieces for row in piece.facts["rows"]]
    table = effect_table(step.params["judge"], rows, judge.rubric, recipe.seed)
    facts = {
        "answers": len(work.targets),
        "tables": [table],
        "usage": add_usage(piece.facts["usage"] for piece in pieces),
    }
    return finish(context, pieces, facts)


@dataclass(frozen=True, slots=True)
class Planting:
    """One judge about answers with planted instructions: a :class:`toolkit.stages.asking.Work`.

    Attributes:
        step: name of the step.
        judge: name of the judge in the recipe.
        made: the judge.
        columns: the name under which each of its scores stands.
        model: the section of the judge's model.
        base: folder of the recipe.
        plain: never; a judge's model is a language model.
        targets: the answers that were drawn.
        scores: the judge's plain scores by answer and by its own name of the score.
    """

    step: str
    judge: str
    made: AskingJudge
    columns: Mapping[str, str]
    model: Model
    base: Path
    plain: bool
    targets: tuple[Target, ...]
    scores: Mapping[_Key, Mapping[str, float]]

    def parts(self, dialogues: int) -> list[Slice]:
        """Cut the answers into slices of about so many dialogues each."""
        rows = max(1, dialogues // len(CANARIES))
        starts = range(0, len(self.targets), rows)
        return [
            Slice(f"{index:06d}", first, min(first + rows, len(self.targets)))
            for index, first in enumerate(starts)
        ]

    def dialogues(self, part: Slice) -> list[Dialogue]:
        """Return the dialogues of a slice: every answer with every instruction."""
        return [
            self.made.dialogue(self._with(target, name), 0)
            for target in self.targets[part.first : part.last]
            for name in CANARIES
        ]

    def write(
        self, writer: PieceWriter, part: Slice, dialogues: Sequence[Dialogue]
    ) -> Mapping[str, Any]:
        """Write each score with and without the instruction."""
        asked = iter(dialogues)
        rows: list[dict[str, Any]] = []
        for target in self.targets[part.first : part.last]:
            for canary in CANARIES:
                values = self.made.values(next(asked).answers)
                rows += [
                    {
                        **_about(target),
                        "judge": self.judge,
                        "canary": canary,
                        "score": name,
                        "plain": self.scores[_key(target.answer)][name],
                        "planted": values[name].value,
                        "reason": values[name].reason,
                    }
                    for name in self.columns
                ]
        writer.table("canaries", to_arrow("canaries", rows))
        replies = (answer for dialogue in dialogues for answer in dialogue.answers.values())
        return {"rows": rows, "usage": usage_of(replies)}

    def _with(self, target: Target, canary: str) -> Target:
        text = planted(str(target.output), canary, self.made.rubric)
        return replace(target, answer={**target.answer, "answer": text})


def _plain(context: Context) -> Iterator[tuple[_Key, dict[str, float]]]:
    """Yield the judge's scores of every answer of which none is missing."""
    judge, columns = context.step.params["judge"], context.step.params["columns"]
    names = {column: own for own, column in columns.items()}
    for step in context.step.options["judged"]:
        found: dict[_Key, dict[str, float]] = {}
        for row in context.inputs[step].rows("scores"):
            if row["metric"] == judge and row["value"] is not None:
                found.setdefault(_key(row), {})[names[row["score"]]] = row["value"]
        yield from ((key, values) for key, values in found.items() if len(values) == len(columns))


def _drawn(context: Context, plain: Mapping[_Key, Any]) -> list[Target]:
    """Return the answers with the smallest digests of seed and key: a draw nothing else moves."""
    seed, count = context.step.params["seed"], context.step.params["canaries"]
    first = heapq.nsmallest(count, plain, key=lambda key: text_digest([str(seed), *map(str, key)]))
    chosen = set(first)
    found: dict[_Key, Target] = {}
    for step in context.step.options["judged"]:
        answers = answers_of(context, context.plan.step(step).options["generation"])
        if not any((answers.model, answers.prompt) == (key[1], key[2]) for key in chosen):
            continue
        for part in answers.parts(_ROWS):
            for target in answers.targets(part):
                if _key(target.answer) in chosen:
                    found[_key(target.answer)] = target
    return [found[key] for key in first if key in found]


def _about(target: Target) -> dict[str, Any]:
    return {name: target.answer[name] for name in ("item_id", "model", "prompt", "repeat")}


def _key(row: Mapping[str, Any]) -> _Key:
    return (row["item_id"], row["model"], row["prompt"], row["repeat"])
