"""Judge the answers of one generation step by asking a model about each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from toolkit.ask.dialogue import Dialogue
from toolkit.judges.base import AskingJudge, Target
from toolkit.metrics.base import Value
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.sections import Model
from toolkit.records import to_arrow
from toolkit.stages.asking import ask_rows
from toolkit.stages.context import Context, finish
from toolkit.stages.judge import judge_facts, score_row
from toolkit.stages.slices import Slice
from toolkit.stages.targets import Answers, answers_of
from toolkit.store.manifest import Manifest
from toolkit.store.pieces import PieceWriter

__all__ = ["Judging", "judgement_rows", "run", "wanted_items"]


def run(context: Context, judge: AskingJudge) -> Manifest:
    """Ask the judge's model about every answer.

    Returns:
        Tables ``judgements`` and ``scores``.
    """
    step = context.step
    params = context.recipe.judges[step.params["judge"]].params
    work = Judging(
        step=step.name,
        judge=step.params["judge"],
        made=judge,
        columns=step.params["columns"],
        model=context.recipe.models[params.model],
        rater=params.model,
        repeats=params.repeats,
        base=context.recipe.folder,
        plain=False,
        answers=answers_of(context, step.options["generation"]),
        wanted=wanted_items(context),
        levels=_levels(context.recipe, params.levels),
    )
    pieces = ask_rows(context, work)
    return finish(context, pieces, judge_facts(context, judge, [piece.facts for piece in pieces]))


def _levels(recipe: Recipe, asked: Sequence[str]) -> frozenset[str]:
    """Return the levels that a judge looks at: those it names, else all edited ones."""
    return frozenset(asked or (recipe.perturb.levels if recipe.perturb is not None else ()))


def wanted_items(context: Context) -> frozenset[str] | None:
    """Return the items that a judge is limited to, None for all."""
    where = context.step.options["only"]
    listed = context.recipe.judge_items.get(context.step.params["judge"])
    if where is None:
        return None if listed is None else frozenset(listed)
    artifact = context.inputs[where[0]]
    found = frozenset(row["item_id"] for row in artifact.rows(where[1], ["item_id"]))
    return found if listed is None else found.intersection(listed)


@dataclass(frozen=True, slots=True)
class Judging:
    """One judge about the answers of one step: a :class:`toolkit.stages.asking.Work`.

    Attributes:
        step: name of the step.
        judge: name of the judge in the recipe.
        made: the judge.
        columns: the name under which each of its scores stands.
        model: the section of the judge's model.
        rater: name of that model.
        repeats: judgements of each answer.
        base: folder of the recipe.
        plain: never; a judge's model is a language model.
        answers: what is judged.
        wanted: items whose answers are judged, None for all; the others are not mentioned.
        levels: of variants, the levels that are judged.
    """

    step: str
    judge: str
    made: AskingJudge
    columns: Mapping[str, str]
    model: Model
    rater: str
    repeats: int
    base: Path
    plain: bool
    answers: Answers
    wanted: frozenset[str] | None
    levels: frozenset[str]

    def parts(self, dialogues: int) -> list[Slice]:
        """Cut the answers into slices of about so many dialogues each."""
        return self.answers.parts(max(1, dialogues // self.repeats))

    def dialogues(self, part: Slice) -> list[Dialogue]:
        """Return the dialogues of a slice; an answer that failed has none."""
        return [
            self.made.dialogue(target, repeat)
            for target in self._targets(part)
            if not target.missing
            for repeat in range(self.repeats)
        ]

    def write(
        self, writer: PieceWriter, part: Slice, dialogues: Sequence[Dialogue]
    ) -> Mapping[str, Any]:
        """Write the replies and the scores of a slice; every answer gets every score."""
        judged = iter(dialogues)
        replies: list[dict[str, Any]] = []
        scores: list[dict[str, Any]] = []
        status: Counter[str] = Counter()
        notes: Counter[str] = Counter()
        served: Counter[str] = Counter()
        for target in self._targets(part):
            if target.missing:
                values = dict.fromkeys(self.columns, Value(None, reason=target.missing))
            else:
                own = [next(judged) for _ in range(self.repeats)]
                rows = judgement_rows(self.judge, self.rater, target, own)
                status.update(row["status"] for row in rows)
                served.update(row["served_model"] for row in rows if row["served_model"])
                replies += rows
                values = self.made.mean([self.made.values(dialogue.answers) for dialogue in own])
            for name, column in self.columns.items():
                scores.append(score_row(target.answer, self.judge, column, values[name]))
                if values[name].note:
                    notes[f"{column}: {values[name].note}"] += 1
        if replies:
            writer.table("judgements", to_arrow("judgements", replies))
        if scores:
            writer.table("scores", to_arrow("scores", scores))
        counts = {"status": status, "notes": notes, "served": served}
        return {key: dict(sorted(count.items())) for key, count in counts.items()}

    def _targets(self, part: Slice) -> list[Target]:
        return [target for target in self.answers.targets(part) if self._wants(target)]

    def _wants(self, target: Target) -> bool:
        item = target.answer["item_id"]
        original = target.item.get("original_id", item)
        if self.wanted is not None and self.wanted.isdisjoint((item, original)):
            return False
        level = target.item.get("level") if self.answers.edited is not None else None
        return level is None or level in self.levels


def judgement_rows(
    judge: str, rater: str, target: Target, dialogues: Sequence[Dialogue]
) -> list[dict[str, Any]]:
    """Return the ``judgements`` rows of one answer: one for each repeat and stage."""
    answer = target.answer
    return [
        {
            "item_id": answer["item_id"],
            "model": answer["model"],
            "prompt": answer["prompt"],
            "repeat": answer["repeat"],
            "judge": judge,
            # A single question needs no name.
            "stage": stage if len(dialogue.answers) > 1 else "",
            "judge_repeat": dialogue.row.repeat,
            "rater": rater,
            **asdict(reply),
        }
        for dialogue in dialogues
        for stage, reply in dialogue.answers.items()
    ]
