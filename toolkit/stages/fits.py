"""Fit a metric on a whole column before its rows are scored one shard at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from toolkit.metrics.base import FittedMetric, Metric
from toolkit.metrics.suffixed import SuffixedMetric
from toolkit.stages.context import Context
from toolkit.stages.targets import text_of
from toolkit.store.artifact import Artifact
from toolkit.store.parquet import read_parquet
from toolkit.store.pieces import Piece, PieceWriter, ensure_piece

__all__ = ["FIT", "fit_metric", "with_fit"]

FIT: Final = "fit"
"""Table of a scores artifact that holds what the metric was fitted to."""

_ROWS: Final = 1000


def fit_metric(context: Context, metric: Metric, columns: tuple[str, str]) -> Piece | None:
    """Fit a metric on its column of all selected rows; None for a metric that needs no fit.

    Args:
        context: of a step of scores.
        metric: the metric.
        columns: the columns of the references and of the inputs.
    """
    bare = metric.metric if isinstance(metric, SuffixedMetric) else metric
    if not isinstance(bare, FittedMetric) or bare.fits is None:
        return None
    step = context.plan.step(context.step.options["generation"])
    column = columns[("reference", "input").index(bare.fits)]
    # The step's name, as in the keys of its scores: where validation takes rows out, one artifact
    # holds the files of all steps.
    key = f"{context.step.name.removeprefix('score/').replace('/', '.')}.{FIT}"
    selected, table = context.inputs[step.items_from], step.params["table"]
    task = _Task(key, context.folder, bare, selected, table, column)
    (piece,) = context.map(_fit, [task])
    return piece


def with_fit(metric: Metric, folder: Path, piece: Piece | None) -> Metric:
    """Return the metric that scores with a fit, or the metric itself where there is none."""
    if piece is None:
        return metric
    if isinstance(metric, SuffixedMetric):
        return replace(metric, metric=with_fit(metric.metric, folder, piece))
    assert isinstance(metric, FittedMetric)
    return metric.fitted(read_parquet(folder / piece.shards[0].name))


@dataclass(frozen=True, slots=True)
class _Task:
    key: str
    folder: Path
    metric: FittedMetric
    selected: Artifact
    table: str
    column: str


def _fit(task: _Task) -> Piece:
    return ensure_piece(task.folder, task.key, lambda writer: _fill(task, writer))


def _fill(task: _Task, writer: PieceWriter) -> Mapping[str, Any]:
    writer.table(FIT, task.metric.fit(_texts(task)))
    return {"column": task.column}


def _texts(task: _Task) -> Iterator[list[str]]:
    for batch in task.selected.batches(task.table, [task.column], rows=_ROWS):
        yield [text for value in batch[0].to_pylist() if (text := text_of(value)) is not None]
