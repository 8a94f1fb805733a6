"""Score the answers of one model and prompt with one metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from toolkit.metrics.base import Metric, Text, Value, call_metric
from toolkit.metrics.local import LocalMetric, LocalMetricError
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.sections import Metric as MetricUse
from toolkit.records import to_arrow
from toolkit.registry import member
from toolkit.stages.context import Context, finish
from toolkit.stages.slices import RowReader, Slice
from toolkit.store.artifact import Artifact
from toolkit.store.manifest import Manifest, Shard
from toolkit.store.pieces import Piece, PieceWriter, ensure_piece

__all__ = ["SCORED", "Compared", "make_metric", "run", "score_rows"]

TASK_ROWS: Final = 500

SCORED: Final = ("ok", "repaired", "truncated")
"""Statuses whose answer is scored; any other answer has no score, with its status as reason."""


def run(context: Context) -> Manifest:
    """Score the generations.

    Returns:
        Table ``scores``; facts ``definitions`` and ``signature``.
    """
    name = context.step.options["generation"]
    generation = context.inputs[name]
    slices = context.artifacts[name].manifest.facts["slices"]
    metric = make_metric(context.recipe, context.recipe.metrics[context.step.options["index"]])
    source = next(name for name in context.step.inputs if name in ("splits", "corpus"))
    stem = context.step.name.removeprefix("score/").replace("/", ".")
    tasks = [
        _Task(
            name=f"{context.step.name}, shards {shards[0].name} to {shards[-1].name}",
            key=f"{stem}.{index:06d}",
            folder=context.folder,
            metric=metric,
            generation=generation,
            shards=shards,
            slices=tuple(_slice(shard, slices) for shard in shards),
            selected=context.inputs[source],
            table=context.step.params["table"],
            columns=(context.step.params["reference"], context.step.params.get("input", "")),
        )
        for index, shards in enumerate(_grouped(generation.shards("generations")))
    ]
    pieces = list(context.each(_score, tasks, "scores"))
    facts = {
        "definitions": [asdict(definition) for definition in metric.definitions()],
        "signature": metric.signature(),
        "notes": _notes(pieces),
    }
    return finish(context, pieces, facts)


def make_metric(recipe: Recipe, use: MetricUse) -> Metric:
    """Return the metric that a recipe names.

    Raises:
        UserError: a local metric's file has no such function.
    """
    if use.name == "local":
        file, _, function = str(use.params).rpartition(":")
        return LocalMetric.load(recipe.folder / file, function)
    metric: Metric = member("metrics", use.name)(use.params)
    return metric


@dataclass(frozen=True, slots=True)
class Compared:
    """The texts that an answer is looked at beside; None where there is none, or none is read.

    Attributes:
        reference: what it is compared with.
        input: what the model was shown.
    """

    reference: str | None = None
    input: str | None = None


def score_rows(
    metric: Metric, rows: Sequence[Mapping[str, Any]], beside: Sequence[Compared]
) -> list[dict[str, Any]]:
    """Score rows of the generations table.

    Args:
        metric: the metric.
        rows: rows with the ``generations`` columns.
        beside: the other texts of each row.

    Returns:
        Rows with the ``scores`` columns, and ``note``: for every row and every score one.

    Raises:
        LocalMetricError: a user's function failed on an item, which is named.
    """
    missing = [_missing(metric, row, texts) for row, texts in zip(rows, beside, strict=True)]
    usable = [index for index, why in enumerate(missing) if not why]
    texts: dict[Text, list[str]] = {
        "output": [rows[index]["answer"] or "" for index in usable],
        "reference": [beside[index].reference or "" for index in usable],
        "input": [beside[index].input or "" for index in usable],
    }
    try:
        scored = call_metric(metric, texts)
    except LocalMetricError as error:
        item = rows[usable[error.row]]["item_id"]
        raise error.on(f"item '{item}'") from error.__cause__
    position = {index: place for place, index in enumerate(usable)}
    result: list[dict[str, Any]] = []
    for index, row in enumerate(rows):
        for definition in metric.definitions():
            if index in position:
                value = scored[definition.name][position[index]]
            else:
                value = Value(None, reason=missing[index])
            result.append(
                {
                    "item_id": row["item_id"],
                    "model": row["model"],
                    "prompt": row["prompt"],
                    "repeat": row["repeat"],
                    "metric": metric.name,
                    "score": definition.name,
                    "value": value.value,
                    "reason": value.reason,
                    "note": value.note,
                }
            )
    return result


def _missing(metric: Metric, row: Mapping[str, Any], beside: Compared) -> str:
    """Return why a metric cannot score a row; empty when it can."""
    if row["status"] not in SCORED or row["answer"] is None:
        return f"answer {row['status']}"
    for name in ("reference", "input"):
        if name in metric.reads and getattr(beside, name) is None:
            return f"no {name}"
    return ""


@dataclass(frozen=True, slots=True)
class _Task:
    name: str
    key: str
    folder: Path
    metric: Metric
    generation: Artifact
    shards: tuple[Shard, ...]
    slices: tuple[Slice, ...]
    selected: Artifact
    table: str
    columns: tuple[str, str]


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


def _slice(shard: Shard, slices: Sequence[Sequence[int]]) -> Slice:
    """Return which rows of the selection a shard of answers is about, from its number."""
    number = shard.name.removeprefix(f"{shard.table}-").removesuffix(".parquet")
    first, last = slices[int(number)]
    return Slice(number, first, last)


def _score(task: _Task) -> Piece:
    return ensure_piece(task.folder, task.key, lambda writer: _fill(task, writer))


def _fill(task: _Task, writer: PieceWriter) -> Mapping[str, Any]:
    import pyarrow.parquet as pq

    reader = RowReader(task.selected, task.table)
    rows: list[dict[str, Any]] = []
    beside: list[Compared] = []
    reads = [name for name in task.columns if name]
    for shard, part in zip(task.shards, task.slices, strict=True):
        known = {
            item["item_id"]: Compared(*(_text(item.get(name)) for name in task.columns))
            for item in reader.rows(part, list(dict.fromkeys(["item_id", *reads])))
        }
        answers = pq.read_table(task.generation.path(shard)).to_pylist()
        rows += answers
        beside += [known.get(answer["item_id"], Compared()) for answer in answers]
    scored = score_rows(task.metric, rows, beside)
    notes: dict[str, int] = {}
    for row in scored:
        note = row.pop("note")
        if note:
            key = f"{row['score']}: {note}"
            notes[key] = notes.get(key, 0) + 1
    writer.table("scores", to_arrow("scores", scored))
    return {"notes": dict(sorted(notes.items()))}


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _notes(pieces: Sequence[Piece]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for piece in pieces:
        for note, count in piece.facts["notes"].items():
            counts[note] = counts.get(note, 0) + count
    return dict(sorted(counts.items()))
