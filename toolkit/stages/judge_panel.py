"""Make the scores of several judges one score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from toolkit.judges.panel import Panel
from toolkit.metrics.base import Value
from toolkit.records import arrow_schema, to_arrow
from toolkit.stages.context import Context, finish
from toolkit.stages.judge import judge_facts, score_row
from toolkit.store.manifest import Manifest
from toolkit.store.pieces import PieceWriter, ensure_piece

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["run"]

_KEY: Final = ("item_id", "model", "prompt", "repeat")
_BATCH: Final = 5000

_Known = dict[tuple[Any, ...], dict[tuple[str, str], Value]]
"""By answer: the value by member and by the score's name within the member."""


def run(context: Context, judge: Panel) -> Manifest:
    """Reduce the members' scores of the answers of one generation step.

    Held in memory: the members' scores of these answers.

    Returns:
        Table ``scores``.
    """
    known = _known(context)
    context.progress(0, 1, "scores")
    notes: Counter[str] = Counter()

    def write(writer: PieceWriter) -> Mapping[str, Any]:
        writer.batches("scores", arrow_schema("scores"), _batches(context, judge, known, notes))
        return {"notes": dict(sorted(notes.items()))}

    piece = ensure_piece(context.folder, "000000", write)
    context.progress(1, 1, "scores")
    return finish(context, [piece], judge_facts(context, judge, [piece.facts]))


def _known(context: Context) -> _Known:
    found: _Known = {}
    for name in context.step.options["members"]:
        member = context.plan.step(name).params
        names = {column: own for own, column in member["columns"].items()}
        for row in context.inputs[name].rows("scores"):
            if row["metric"] != member["judge"]:
                continue
            values = found.setdefault(tuple(row[key] for key in _KEY), {})
            values[member["judge"], names[row["score"]]] = Value(row["value"], row["reason"])
    return found


def _batches(
    context: Context, judge: Panel, known: _Known, notes: Counter[str]
) -> Iterator[pa.RecordBatch]:
    columns: Mapping[str, str] = context.step.params["columns"]
    rows: list[dict[str, Any]] = []
    for key in known:
        answer = dict(zip(_KEY, key, strict=True))
        for name, column in columns.items():
            values = [
                known[key].get((member, name), Value(None, reason=f"not judged by {member}"))
                for member in judge.params.judges
            ]
            value = judge.reduce(values)
            if value.note:
                notes[f"{column}: {value.note}"] += 1
            rows.append(score_row(answer, context.step.params["judge"], column, value))
        if len(rows) >= _BATCH:
            yield from to_arrow("scores", rows).to_batches()
            rows = []
    yield from to_arrow("scores", rows).to_batches()
