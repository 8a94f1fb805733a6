"""Give the answers of one generation step the scores of an entailment judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from toolkit.judges.base import Target
from toolkit.judges.nli import Nli
from toolkit.metrics.base import Value
from toolkit.records import to_arrow
from toolkit.stages.context import Context, finish
from toolkit.stages.entail import Entailed, pair_id
from toolkit.stages.judge import judge_facts, score_row
from toolkit.stages.judge_asking import wanted_items
from toolkit.stages.targets import answers_of
from toolkit.store.manifest import Manifest
from toolkit.store.pieces import Piece, PieceWriter, ensure_piece

__all__ = ["run"]

_ROWS: Final = 2000


def run(context: Context, judge: Nli) -> Manifest:
    """Look up the probabilities of the pairs of these answers.

    Returns:
        Table ``scores``.
    """
    answers = answers_of(context, context.step.options["generation"])
    entailed = Entailed(context.inputs[context.step.options["pairs"]])
    wanted = wanted_items(context)
    parts = answers.parts(_ROWS)
    pieces: list[Piece] = []
    for number, part in enumerate(parts):
        context.progress(number, len(parts), "scores")
        fill = partial(_write, context, judge, answers.targets(part), entailed, wanted)
        pieces.append(ensure_piece(context.folder, part.key, fill))
    context.progress(len(parts), len(parts), "scores")
    return finish(context, pieces, judge_facts(context, judge, [piece.facts for piece in pieces]))


def _write(
    context: Context,
    judge: Nli,
    judged: Sequence[Target],
    entailed: Entailed,
    wanted: frozenset[str] | None,
    writer: PieceWriter,
) -> Mapping[str, Any]:
    columns: Mapping[str, str] = context.step.params["columns"]
    targets = [target for target in judged if wanted is None or target.answer["item_id"] in wanted]
    pairs = {
        (row, name): judge.pair(name, target)
        for row, target in enumerate(targets)
        for name in columns
    }
    ids = {key: pair_id(*pair).hex() for key, pair in pairs.items() if not isinstance(pair, str)}
    known = entailed.of(list(ids.values()))
    scores: list[dict[str, Any]] = []
    notes: Counter[str] = Counter()
    for row, target in enumerate(targets):
        for name, column in columns.items():
            value = _value(judge, target, pairs[row, name], known.get(ids.get((row, name), "")))
            if value.note:
                notes[f"{column}: {value.note}"] += 1
            scores.append(score_row(target.answer, context.step.params["judge"], column, value))
    if scores:
        writer.table("scores", to_arrow("scores", scores))
    return {"notes": dict(sorted(notes.items()))}


def _value(judge: Nli, target: Target, pair: Any, row: Mapping[str, Any] | None) -> Value:
    if isinstance(pair, str):
        return Value(None, reason=pair)
    assert row is not None
    if row["probability"] is None:
        return Value(None, reason=row["reason"])
    note = "a text was cut at the model's limit" if row["truncated_tokens"] else ""
    return Value(judge.value(row["probability"]), note=note)
