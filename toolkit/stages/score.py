"""Score the answers of one model and prompt with one metric."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from toolkit.metrics.base import Metric, Text, Value, call_metric
from toolkit.metrics.local import LocalMetric, LocalMetricError
from toolkit.metrics.measured import LikelihoodMetric, MeasuredMetric, wanted_texts
from toolkit.metrics.suffixed import SuffixedMetric
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.sections import Metric as MetricUse
from toolkit.records import to_arrow
from toolkit.registry import member
from toolkit.stages.answer_texts import AnswerShards, Compared, answer_shards, row_texts, why_not
from toolkit.stages.context import Context, finish
from toolkit.stages.fits import fit_metric, with_fit
from toolkit.stages.measured_texts import open_measured
from toolkit.store.manifest import Manifest
from toolkit.store.pieces import Piece, PieceWriter, ensure_piece

__all__ = ["make_metric", "run", "score_rows"]

_OF: Final = re.compile(r" [\d,]+ of [\d,]+$")
"""What a note says of one row: ``unsupported 2 of 7``."""


def run(context: Context) -> Manifest:
    """Score the generations.

    Returns:
        Table ``scores``, and ``likelihoods`` of a metric that has them; facts ``definitions``,
        ``signature`` and ``notes``.
    """
    step = context.step
    metric = make_metric(context.recipe, context.recipe.metrics[step.options["index"]])
    stem = step.name.removeprefix("score/").replace("/", ".")
    columns = (step.params["reference"], step.params.get("input", ""))
    measured = step.options.get("measured")
    fit = fit_metric(context, metric, columns)
    tasks = [
        _Task(
            name=f"{step.name}, shards {answers.shards[0].name} to {answers.shards[-1].name}",
            key=f"{stem}.{index:06d}",
            folder=context.folder,
            metric=metric,
            fit=fit,
            answers=answers,
            measured=None if measured is None else context.inputs[measured].folder,
        )
        for index, answers in enumerate(answer_shards(context, step.options["generation"], columns))
    ]
    pieces = list(context.each(_score, tasks, "scores"))
    facts = {
        "definitions": [asdict(definition) for definition in metric.definitions()],
        "signature": metric.signature(),
        "notes": _notes(pieces),
    }
    return finish(context, pieces if fit is None else [fit, *pieces], facts)


def make_metric(recipe: Recipe, use: MetricUse) -> Metric:
    """Return the metric that a recipe names.

    Raises:
        UserError: a local metric's file has no such function.
    """
    if use.name == "local":
        file, _, function = str(use.params).rpartition(":")
        return LocalMetric.load(recipe.folder / file, function)
    metric: Metric = member("metrics", use.name)(use.params)
    return SuffixedMetric(metric, use.suffix) if use.suffix else metric


def score_rows(
    metric: Metric,
    rows: Sequence[Mapping[str, Any]],
    beside: Sequence[Compared],
    measured: Path | None = None,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Score rows of the generations table.

    Args:
        metric: the metric.
        rows: rows with the ``generations`` columns.
        beside: the other texts of each row.
        measured: where lies what was measured of the texts; None to measure them here, or for a
            metric that looks at rows as a whole.

    Returns:
        Rows with the ``scores`` columns, and ``note``: for every row and every score one. Rows
        with the ``likelihoods`` columns: for every score that follows from one.

    Raises:
        LocalMetricError: a user's function failed on an item, which is named.
        StoreError: a text was not measured.
    """
    missing = [why_not(metric, row, texts) for row, texts in zip(rows, beside, strict=True)]
    usable = [index for index, why in enumerate(missing) if not why]
    shown = [row_texts(rows[index], beside[index]) for index in usable]
    texts: dict[Text, list[str]] = {
        name: [row[name] for row in shown] for name in ("output", "reference", "input")
    }
    try:
        scored, likelihoods = _scored(metric, texts, measured)
    except LocalMetricError as error:
        item = rows[usable[error.row]]["item_id"]
        raise error.on(f"item '{item}'") from error.__cause__
    position = {index: place for place, index in enumerate(usable)}
    result: list[dict[str, Any]] = []
    for index, row in enumerate(rows):
        about = {key: row[key] for key in ("item_id", "model", "prompt", "repeat")}
        for definition in metric.definitions():
            if index in position:
                value = scored[definition.name][position[index]]
            else:
                value = Value(None, reason=missing[index])
            result.append(
                {
                    **about,
                    "metric": metric.name,
                    "score": definition.name,
                    "value": value.value,
                    "reason": value.reason,
                    "note": value.note,
                }
            )
    behind = [
        {**{key: rows[index][key] for key in ("item_id", "model", "prompt", "repeat")}, **row}
        for index, found in zip(usable, likelihoods, strict=True)
        for row in found
    ]
    return result, behind


def _scored(
    metric: Metric, texts: Mapping[Text, Sequence[str]], measured: Path | None
) -> tuple[dict[str, list[Value]], list[list[dict[str, Any]]]]:
    """Return the values of each score and, of each row, the likelihoods behind them."""
    behind: list[list[dict[str, Any]]] = [[] for _ in texts["output"]]
    plain = metric.metric if isinstance(metric, SuffixedMetric) else metric
    if measured is None or not isinstance(plain, MeasuredMetric):
        return call_metric(metric, texts), behind
    found = open_measured(measured).of(wanted_texts(plain, texts), plain.measurer())
    names = {
        own.name: used.name
        for own, used in zip(plain.definitions(), metric.definitions(), strict=True)
    }
    scored = {names[own]: values for own, values in plain.compare(texts, found).items()}
    if isinstance(plain, LikelihoodMetric):
        for own, likelihoods in plain.likelihoods(texts, found).items():
            for rows, one in zip(behind, likelihoods, strict=True):
                if one is not None:
                    rows.append(
                        {
                            "score": names[own],
                            "nll": one.nll,
                            "tokens": one.tokens,
                            "tokens_cut": one.cut,
                        }
                    )
    return scored, behind


@dataclass(frozen=True, slots=True)
class _Task:
    name: str
    key: str
    folder: Path
    metric: Metric
    fit: Piece | None
    answers: AnswerShards
    measured: Path | None


def _score(task: _Task) -> Piece:
    return ensure_piece(task.folder, task.key, lambda writer: _fill(task, writer))


def _fill(task: _Task, writer: PieceWriter) -> Mapping[str, Any]:
    metric = with_fit(task.metric, task.folder, task.fit)
    scored, likelihoods = score_rows(metric, *task.answers.read(), task.measured)
    notes: dict[str, int] = {}
    for row in scored:
        note = row.pop("note")
        if note:
            key = f"{row['score']}: {_kind(note)}"
            notes[key] = notes.get(key, 0) + 1
    writer.table("scores", to_arrow("scores", scored))
    if likelihoods:
        writer.table("likelihoods", to_arrow("likelihoods", likelihoods))
    return {"notes": dict(sorted(notes.items()))}


def _kind(note: str) -> str:
    """Return a note without the numbers of its row, so that equal ones can be counted."""
    parts = (part.partition(":")[0] for part in note.split("; "))
    return "; ".join(_OF.sub("", part) for part in parts)


def _notes(pieces: Sequence[Piece]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for piece in pieces:
        for note, count in piece.facts["notes"].items():
            counts[note] = counts.get(note, 0) + count
    return dict(sorted(counts.items()))
