"""Measure every text that metrics look at by itself, each distinct text once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolkit.metrics.base import Text
from toolkit.metrics.measured import MeasuredMetric, Measurer
from toolkit.registry import member
from toolkit.stages.answer_texts import AnswerShards, answer_shards, row_texts, why_not
from toolkit.stages.context import Context, finish
from toolkit.stages.distinct import DistinctTexts
from toolkit.stages.measured_before import earlier, measure_rest
from toolkit.stages.measured_texts import ID_BYTES, text_id, write_mapped
from toolkit.stages.slices import RowReader
from toolkit.stages.targets import text_of
from toolkit.store.artifact import Artifact
from toolkit.store.manifest import Manifest
from toolkit.store.pieces import Piece, PieceWriter, ensure_piece

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["PIECE_TEXTS", "run"]

PIECE_TEXTS: Final = 256
"""Texts of a task, or the nearest whole number of batches."""


def run(context: Context) -> Manifest:
    """Measure the distinct texts of all answers and of what they are compared with.

    At a batch size of 1 the texts stand in the order of the tables they come from, so that what
    is scored together lies together. Above, batches are cut from all distinct texts by length
    and then by id: from the set alone.

    Held in memory: 28 bytes for each distinct text, and the texts of one task.

    Returns:
        Tables ``measured`` and ``index`` (see :mod:`toolkit.stages.measured_texts`); facts
        ``texts`` (distinct ones), ``asked`` (with repetitions), ``piece_texts``,
        ``measurer`` (its fingerprint), and its counts.
    """
    metrics = {
        index: member("metrics", context.recipe.metrics[index].name)(
            context.recipe.metrics[index].params
        )
        for _, indexes in context.step.options["asks"]
        for index in indexes
    }
    measurer: Measurer = next(iter(metrics.values())).measurer()
    sources = _Sources()
    distinct = DistinctTexts()
    asked = 0
    asks = context.step.options["asks"]
    for number, (name, indexes) in enumerate(asks):
        context.progress(number, len(asks), "texts")
        columns = context.step.params["columns"][name]
        for answers in answer_shards(context, name, (columns[0], columns[1])):
            asked += _gather([metrics[index] for index in indexes], answers, sources, distinct)
    order = distinct.by_length() if measurer.batch_size > 1 else distinct.by_place()
    before = earlier(context, measurer, distinct.ids)
    size = max(1, PIECE_TEXTS // measurer.batch_size) * measurer.batch_size
    tasks = [
        _Task(
            name=f"{context.step.name}, {size} texts from {start} on",
            key=f"{index:06d}",
            folder=context.folder,
            measurer=measurer,
            before=before,
            parts=tuple(sources.parts(distinct.places[order[start : start + size]].tolist())),
        )
        for index, start in enumerate(range(0, len(order), size))
    ]
    pieces = list(context.each(_measure, tasks, "texts"))
    index = ensure_piece(
        context.folder, "index", lambda writer: _index(context.folder, distinct, order, writer)
    )
    facts = {
        "asked": asked,
        "texts": len(order),
        "piece_texts": size,
        "measurer": context.step.params["measurer"],
        **_totals(pieces),
    }
    return finish(context, [*pieces, index], facts)


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of texts."""

    artifact: Artifact
    table: str
    column: str

    def read(self, rows: Sequence[int]) -> list[str]:
        values = RowReader(self.artifact, self.table).column(self.column, rows)
        return [text_of(value) or "" for value in values]


class _Sources:
    """The columns that texts come from, each with a number; a place is a number and a row."""

    def __init__(self) -> None:
        self._columns: list[_Column] = []
        self._numbers: dict[tuple[str, str, str], int] = {}

    def place(self, artifact: Artifact, table: str, column: str, row: int) -> int:
        key = (artifact.fingerprint, table, column)
        if key not in self._numbers:
            self._numbers[key] = len(self._columns)
            self._columns.append(_Column(artifact, table, column))
        return (self._numbers[key] << _ROW_BITS) + row

    def parts(self, places: Sequence[int]) -> Iterator[tuple[_Column, tuple[int, ...]]]:
        """Yield runs of places that lie in one column; only what they need travels."""
        start = 0
        for end in range(1, len(places) + 1):
            number = places[start] >> _ROW_BITS
            if end == len(places) or places[end] >> _ROW_BITS != number:
                rows = tuple(place & _ROW_MASK for place in places[start:end])
                yield self._columns[number], rows
                start = end


_ROW_BITS: Final = 40
_ROW_MASK: Final = (1 << _ROW_BITS) - 1


def _gather(
    metrics: Sequence[MeasuredMetric],
    answers: AnswerShards,
    sources: _Sources,
    distinct: DistinctTexts,
) -> int:
    """Add the texts of some answers; return how many there are with repetitions."""
    asked = 0
    found: dict[str, int] = {}
    rows, beside = answers.read()
    for number, (row, compared) in enumerate(zip(rows, beside, strict=True), start=answers.first):
        places: dict[Text, tuple[Artifact, str, str, int]] = {
            "output": (answers.generation, "generations", "answer", number),
            "reference": (answers.selected, answers.table, answers.columns[0], compared.row),
            "input": (answers.selected, answers.table, answers.columns[1], compared.row),
        }
        for metric in metrics:
            if why_not(metric, row, compared):
                continue
            texts = row_texts(row, compared)
            for name in metric.measures(texts):
                asked += 1
                place = sources.place(*places[name])
                found[texts[name]] = min(place, found.get(texts[name], place))
    distinct.add(
        [text_id(text) for text in found], list(found.values()), [len(text) for text in found]
    )
    return asked


@dataclass(frozen=True, slots=True)
class _Task:
    name: str
    key: str
    folder: Path
    measurer: Measurer
    before: tuple[Path, ...]
    parts: tuple[tuple[_Column, tuple[int, ...]], ...]


def _measure(task: _Task) -> Piece:
    return ensure_piece(task.folder, task.key, lambda writer: _fill(task, writer))


def _fill(task: _Task, writer: PieceWriter) -> Mapping[str, Any]:
    import pyarrow as pa

    texts = [text for column, rows in task.parts for text in column.read(rows)]
    found = measure_rest(task.measurer, texts, task.before)
    ids = pa.array([text_id(text) for text in texts], pa.binary(ID_BYTES))
    table = task.measurer.pack(found).add_column(0, "text_id", ids)
    write_mapped(writer, task.folder, "measured", task.key, table)
    return {"texts": len(texts), **task.measurer.counts(found)}


def _index(
    folder: Path, distinct: DistinctTexts, order: Any, writer: PieceWriter
) -> dict[str, Any]:
    if len(order):
        write_mapped(writer, folder, "index", "index", _index_table(distinct, order))
    return {}


def _index_table(distinct: DistinctTexts, order: Any) -> pa.Table:
    """Return the ids in order with the row of each in the table ``measured``."""
    import numpy as np
    import pyarrow as pa

    rows = np.empty(len(order), dtype=np.uint32)
    rows[order] = np.arange(len(order), dtype=np.uint32)
    ids = pa.FixedSizeBinaryArray.from_buffers(
        pa.binary(ID_BYTES), len(distinct.ids), [None, pa.py_buffer(distinct.ids.tobytes())]
    )
    return pa.table({"text_id": ids, "row": pa.array(rows)})


def _totals(pieces: Sequence[Piece]) -> dict[str, int]:
    names = dict.fromkeys(name for piece in pieces for name in piece.facts if name != "texts")
    return {name: sum(piece.facts[name] for piece in pieces) for name in names}
