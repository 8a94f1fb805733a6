"""Read the answers of one generation step together with the items they are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from toolkit.judges.base import Target
from toolkit.plan.step import Step
from toolkit.plan.variants import PERTURB
from toolkit.recipe.recipe import Recipe
from toolkit.stages.context import Context
from toolkit.stages.slices import RowReader, Slice, slices
from toolkit.stages.variant_targets import Edited, variant_targets
from toolkit.store.artifact import Artifact
from toolkit.store.manifest import Shard

__all__ = ["Answers", "answers_of", "text_of"]

_BLOCK: Final = 200
"""Answers that are read together when single ones are wanted."""


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of a generation step: small and picklable.

    Attributes:
        generation: the artifact with the table ``generations``.
        asked: which rows of the selection each of its shards answers, by shard number.
        selected: the artifact that holds the items.
        table: the table of it.
        reference: column of the reference texts.
        model: name of the model in the recipe.
        prompt: name of the prompt; empty for a baseline.
        edited: where the items are variants, what was edited; else None.
    """

    generation: Artifact
    asked: tuple[tuple[int, int], ...]
    selected: Artifact
    table: str
    reference: str
    model: str
    prompt: str
    edited: Edited | None = None

    def parts(self, rows: int) -> list[Slice]:
        """Cut the answers into slices of at most so many rows."""
        return slices(self.generation, "generations", rows)

    def targets(self, part: Slice) -> list[Target]:
        """Return the answers of a slice with their items, in order."""
        before = 0 if self.edited is None else min(self.edited.before, part.first)
        wider = replace(part, first=part.first - before)
        answers = list(RowReader(self.generation, "generations").rows(wider))
        rows = answers[before:]
        items = self._items(part, {row["item_id"] for row in rows})
        found = [
            Target(item, row, text_of(item.get(self.reference)))
            for row in rows
            for item in [items.get(row["item_id"], {"item_id": row["item_id"]})]
        ]
        return found if self.edited is None else variant_targets(found, self.edited, answers)

    def picked(self, rows: Sequence[int]) -> dict[int, Target]:
        """Return single answers by the number of their row; neighbours are read together."""
        found: dict[int, Target] = {}
        total = self.generation.manifest.rows("generations")
        for block in sorted({row // _BLOCK for row in rows}):
            first = block * _BLOCK
            targets = self.targets(Slice("", first, min(first + _BLOCK, total)))
            wanted = {row for row in rows if row // _BLOCK == block}
            found |= {row: targets[row - first] for row in wanted}
        return found

    def about(self, items: Slice) -> list[Target]:
        """Return the answers about a slice of the selection's rows, in order."""
        start = first = last = 0
        seen = False
        for shard in self.generation.shards("generations"):
            low, high = self.asked[_number(shard)]
            if low < items.last and high > items.first:
                first = first if seen else start
                last, seen = start + shard.rows, True
            start += shard.rows
        return self.targets(Slice("", first, last)) if seen else []

    def _items(self, part: Slice, ids: set[str]) -> dict[str, dict[str, Any]]:
        reader = RowReader(self.selected, self.table)
        first, last = self._range(part)
        found: dict[str, dict[str, Any]] = {}
        for item in reader.rows(Slice("", first, last)):
            if item["item_id"] in ids:
                found[item["item_id"]] = item
        return found

    def _range(self, part: Slice) -> tuple[int, int]:
        """Return which rows of the selection the shards of a slice are about."""
        start = 0
        ranges: list[tuple[int, int]] = []
        for shard in self.generation.shards("generations"):
            end = start + shard.rows
            if part.first < end and part.last > start:
                ranges.append(self.asked[_number(shard)])
            start = end
        return min(first for first, _ in ranges), max(last for _, last in ranges)


def answers_of(context: Context, name: str) -> Answers:
    """Return the answers of the generation step ``name``, as the step in hand reads them."""
    step = context.plan.step(name)
    recipe = context.recipe
    prompt = step.params["prompt"]
    own = recipe.prompts[prompt].reference if prompt in recipe.prompts else None
    asked = context.artifacts[name].manifest.facts["slices"]
    return Answers(
        generation=context.inputs[name],
        asked=tuple((first, last) for first, last in asked),
        selected=context.inputs[step.items_from],
        table=step.params["table"],
        reference=own or recipe.reference,
        model=step.params["model"],
        prompt=prompt,
        edited=_edited(recipe, step),
    )


def _edited(recipe: Recipe, step: Step) -> Edited | None:
    if recipe.perturb is None or step.items_from != PERTURB:
        return None
    # An item stands before its variants, and its answers before theirs.
    variants = len(recipe.perturb.levels) * step.params["repeats"]
    return Edited(recipe.perturb.column, variants + step.params["repeats"])


def text_of(value: Any) -> str | None:
    """Return a column's value as a text: entries of a list are joined by commas."""
    if value is None or isinstance(value, str):
        return value
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _number(shard: Shard) -> int:
    return int(shard.name.removeprefix(f"{shard.table}-").removesuffix(".parquet"))
