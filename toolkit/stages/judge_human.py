"""Give answers the scores that people gave them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolkit.judges.human import Human
from toolkit.judges.ratings import Rating, Ratings
from toolkit.records import to_arrow
from toolkit.stages.context import Context, finish
from toolkit.stages.judge import judge_facts, score_row
from toolkit.stages.targets import answers_of
from toolkit.store.canonical import canonical_json
from toolkit.store.manifest import Manifest
from toolkit.store.pieces import PieceWriter, ensure_piece

__all__ = ["run"]

_ROWS: Final = 1000

_Key = tuple[str, str, str, int]


def run(context: Context, judge: Human) -> Manifest:
    """Look up the ratings of the answers of one generation step.

    Returns:
        Tables ``judgements`` (one row a rater and rated answer), ``scores`` and ``rejects``:
        rows of the file that are no ratings, and ratings of answers that nobody gave.
    """
    step = context.step
    ratings = judge.read(step.params["judge"])
    context.progress(0, 1, "ratings")

    def write(writer: PieceWriter) -> Mapping[str, Any]:
        return _write(context, judge, ratings, writer)

    piece = ensure_piece(context.folder, "000000", write)
    context.progress(1, 1, "ratings")
    facts = judge_facts(context, judge, [piece.facts])
    return finish(context, [piece], {**facts, "rejected": piece.facts["rejected"]})


def _write(
    context: Context, judge: Human, ratings: Ratings, writer: PieceWriter
) -> Mapping[str, Any]:
    step = context.step
    name, columns = step.params["judge"], step.params["columns"]
    answers = answers_of(context, step.options["generation"])
    rows: list[dict[str, Any]] = []
    scores: list[dict[str, Any]] = []
    found: set[_Key] = set()
    for part in answers.parts(_ROWS):
        for target in answers.targets(part):
            key = _key(target.answer)
            given = ratings.by_answer.get(key, [])
            if given:
                found.add(key)
            rows += _judgements(name, target.answer, given)
            values = judge.values(given)
            scores += [
                score_row(target.answer, name, column, values[own])
                for own, column in columns.items()
            ]
    rejects = list(_rejects(context, ratings, found))
    if rows:
        writer.table("judgements", to_arrow("judgements", rows))
    writer.table("scores", to_arrow("scores", scores))
    if rejects:
        writer.table("rejects", to_arrow("rejects", rejects))
    status = {"ok": len(rows)} if rows else {}
    return {"status": status, "rejected": len(rejects)}


def _key(answer: Mapping[str, Any]) -> _Key:
    return (answer["item_id"], answer["model"], answer["prompt"], answer["repeat"])


def _judgements(
    judge: str, answer: Mapping[str, Any], ratings: Sequence[Rating]
) -> list[dict[str, Any]]:
    by_rater: dict[str, dict[str, float]] = {}
    for rating in ratings:
        by_rater.setdefault(rating.rater, {})[rating.score] = rating.value
    return [
        {
            **{name: answer[name] for name in ("item_id", "model", "prompt", "repeat")},
            "judge": judge,
            "stage": "",
            "judge_repeat": 0,
            "rater": rater,
            "status": "ok",
            "reason": "",
            "answer": canonical_json(values),
            "raw": canonical_json(values),
            "parsed": canonical_json(values),
            "asked": 0,
        }
        for rater, values in sorted(by_rater.items())
    ]


def _rejects(context: Context, ratings: Ratings, found: set[_Key]) -> Iterator[dict[str, Any]]:
    """Yield what of the file is not used; what concerns no step at all, in the first step."""
    others = context.step.params["others"]
    first = others is not None
    asked = {(model, prompt) for model, prompt in others or ()}
    mine = (context.step.params["model"], context.step.params["prompt"])
    file = str(context.recipe.judges[context.step.params["judge"]].params.file)
    source = file.replace("\\", "/").rpartition("/")[2]
    if first:
        for where, item, why in ratings.rejects:
            yield {"item_id": item, "reason": "no_rating", "detail": f"{where}: {why}"} | {
                "source_file": source
            }
    for key in ratings.by_answer:
        about = (key[1], key[2])
        if key not in found and (about == mine or (first and about not in asked)):
            yield {
                "item_id": key[0],
                "reason": "no_such_answer",
                "detail": f"model {key[1]!r}, prompt {key[2]!r}, repeat {key[3]}",
                "source_file": source,
            }
