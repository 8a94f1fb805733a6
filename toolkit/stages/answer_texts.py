"""The answers of a generation step beside the texts they are looked at with, a few at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toolkit.metrics.base import Metric, Text
from toolkit.stages.context import Context
from toolkit.stages.slices import RowReader, Slice
from toolkit.stages.targets import text_of
from toolkit.store.artifact import Artifact
from toolkit.store.manifest import Shard
from toolkit.store.parquet import read_parquet

__all__ = [
    "SCORED",
    "TASK_ROWS",
    "AnswerShards",
    "Compared",
    "answer_shards",
    "row_texts",
    "why_not",
]

TASK_ROWS: Final = 500
"""Answers that are looked at together, at least; a shard is never cut."""

SCORED: Final = ("ok", "repaired", "truncated")
"""Statuses whose answer is scored; any other answer has no score, with its status as reason."""

_COLUMNS: Final = ("item_id", "model", "prompt", "repeat", "status", "answer")


@dataclass(frozen=True, slots=True)
class Compared:
    """The texts that an answer is looked at beside; None where there is none, or none is read.

    Attributes:
        reference: what it is compared with.
        input: what the model was shown.
        row: the number of the item's row in the table it comes from; -1 where it has none.
    """

    reference: str | None = None
    input: str | None = None
    row: int = -1


@dataclass(frozen=True, slots=True)
class AnswerShards:
    """Some shards of a generation step; small and picklable.

    Attributes:
        generation: the artifact with the table ``generations``.
        shards: shards of that table, one behind the other.
        first: the number of their first row in the table.
        slices: the rows of the selection that each of them answers.
        selected: the artifact that holds the items.
        table: the table of it.
        columns: the columns of the references and of the inputs; empty where it is not read.
    """

    generation: Artifact
    shards: tuple[Shard, ...]
    first: int
    slices: tuple[Slice, ...]
    selected: Artifact
    table: str
    columns: tuple[str, str]

    def read(self) -> tuple[list[dict[str, Any]], list[Compared]]:
        """Return the answers and, of each, the texts beside it, in the order of the shards."""
        reader = RowReader(self.selected, self.table)
        rows: list[dict[str, Any]] = []
        beside: list[Compared] = []
        reads = [name for name in self.columns if name]
        for shard, part in zip(self.shards, self.slices, strict=True):
            items = reader.rows(part, list(dict.fromkeys(["item_id", *reads])))
            reference, shown = self.columns
            known = {
                item["item_id"]: Compared(
                    text_of(item.get(reference)), text_of(item.get(shown)), number
                )
                for number, item in enumerate(items, start=part.first)
            }
            answers = read_parquet(self.generation.path(shard), _COLUMNS)
            rows += answers.to_pylist()
            beside += [known.get(item, Compared()) for item in answers["item_id"].to_pylist()]
        return rows, beside


def answer_shards(context: Context, name: str, columns: tuple[str, str]) -> list[AnswerShards]:
    """Cut the answers of a generation step that the step in hand reads; never by worker count.

    Args:
        context: of the step in hand.
        name: the generation step.
        columns: see :class:`AnswerShards`.
    """
    step = context.plan.step(name)
    generation = context.inputs[name]
    asked = context.artifacts[name].manifest.facts["slices"]
    groups: list[AnswerShards] = []
    first = 0
    for shards in _grouped(generation.shards("generations")):
        groups.append(
            AnswerShards(
                generation=generation,
                shards=shards,
                first=first,
                slices=tuple(_slice(shard, asked) for shard in shards),
                selected=context.inputs[step.items_from],
                table=step.params["table"],
                columns=columns,
            )
        )
        first += sum(shard.rows for shard in shards)
    return groups


def why_not(metric: Metric, row: Mapping[str, Any], beside: Compared) -> str:
    """Return why a metric cannot score an answer; empty when it can."""
    if row["status"] not in SCORED or row["answer"] is None:
        return f"answer {row['status']}"
    for name in ("reference", "input"):
        if name in metric.reads and getattr(beside, name) is None:
            return f"no {name}"
    return ""


def row_texts(row: Mapping[str, Any], beside: Compared) -> dict[Text, str]:
    """Return the texts of an answer that can be scored; empty where the metric reads none."""
    return {
        "output": row["answer"],
        "reference": beside.reference or "",
        "input": beside.input or "",
    }


def _grouped(shards: Sequence[Shard]) -> list[tuple[Shard, ...]]:
    groups: list[list[Shard]] = []
    rows = TASK_ROWS
    for shard in shards:
        if rows >= TASK_ROWS:
            groups.append([])
            rows = 0
        groups[-1].append(shard)
        rows += shard.rows
    return [tuple(group) for group in groups]


def _slice(shard: Shard, asked: Sequence[Sequence[int]]) -> Slice:
    """Return which rows of the selection a shard of answers is about, from its number."""
    number = shard.name.removeprefix(f"{shard.table}-").removesuffix(".parquet")
    first, last = asked[int(number)]
    return Slice(number, first, last)
