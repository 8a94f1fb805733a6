"""Look at every pair of texts that an entailment judge is about, each pair once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from toolkit.judges.nli import Nli
from toolkit.records import to_arrow
from toolkit.stages.context import Context, finish
from toolkit.stages.judge import make_judge
from toolkit.stages.judge_asking import wanted_items
from toolkit.stages.slices import Slice
from toolkit.stages.targets import Answers, answers_of
from toolkit.store.artifact import Artifact
from toolkit.store.manifest import Manifest
from toolkit.store.pieces import Piece, PieceWriter, ensure_piece

__all__ = ["PAIR_ROWS", "Entailed", "pair_id", "pairs_of", "run"]

_ROWS: Final = 1000
"""Answers that are read at once while pairs are gathered."""

PAIR_ROWS: Final = 64
"""Pairs of a task; cut by the order of the pairs' ids, so by the texts alone."""


def run(context: Context) -> Manifest:
    """Compute the probability of entailment of every distinct pair.

    Which answers a pair came from is not kept: whoever needs it asks by :func:`pair_id`.
    Held in memory: the ids of all pairs, and where the texts of each are.

    Returns:
        Table ``entailments`` in the order of the pairs' ids; facts ``asked`` (pairs asked for),
        ``pairs`` (distinct ones), ``truncated`` and ``missing``.
    """
    judge = make_judge(context.recipe, context.step.params["judge"])
    wanted = wanted_items(context)
    answers = [answers_of(context, name) for name in context.step.options["generations"]]
    context.progress(0, 1, "pairs")
    places: dict[bytes, tuple[int, int, int]] = {}
    asked = 0
    for number, one in enumerate(answers):
        for part in one.parts(_ROWS):
            for row, score, pair in _numbered(judge, one, part, wanted):
                asked += 1
                places.setdefault(pair_id(*pair), (number, row, score))
    ordered = sorted(places)
    tasks = [
        _Task(
            name=f"{context.step.name}, pairs {start} to {start + len(part) - 1}",
            key=f"{index:06d}",
            folder=context.folder,
            judge=judge,
            answers=tuple(answers),
            places=tuple(places[pair] for pair in part),
        )
        for index, start in enumerate(range(0, len(ordered), PAIR_ROWS))
        for part in [ordered[start : start + PAIR_ROWS]]
    ]
    pieces = list(context.each(_entail, tasks, "pairs"))
    return finish(context, pieces, {"asked": asked, "pairs": len(ordered), **_facts(pieces)})


def pair_id(premise: str, hypothesis: str) -> bytes:
    """Return the sha256 that stands for a pair of texts."""
    hashed = hashlib.sha256(len(premise.encode("utf-8")).to_bytes(8, "big"))
    hashed.update(premise.encode("utf-8"))
    hashed.update(hypothesis.encode("utf-8"))
    return hashed.digest()


def pairs_of(judge: Nli, targets: Sequence[Any]) -> Iterator[tuple[int, int, tuple[str, str]]]:
    """Yield (number of the target, number of the score, pair) of every pair there is."""
    for row, target in enumerate(targets):
        for score, name in enumerate(judge.score_names()):
            pair = judge.pair(name, target)
            if not isinstance(pair, str):
                yield row, score, pair


@dataclass(frozen=True, slots=True)
class _Task:
    name: str
    key: str
    folder: Path
    judge: Nli
    answers: tuple[Answers, ...]
    places: tuple[tuple[int, int, int], ...]


def _numbered(
    judge: Nli, answers: Answers, part: Slice, wanted: frozenset[str] | None
) -> Iterator[tuple[int, int, tuple[str, str]]]:
    targets = answers.targets(part)
    for row, score, pair in pairs_of(judge, targets):
        if wanted is None or targets[row].answer["item_id"] in wanted:
            yield part.first + row, score, pair


def _entail(task: _Task) -> Piece:
    return ensure_piece(task.folder, task.key, lambda writer: _fill(task, writer))


def _fill(task: _Task, writer: PieceWriter) -> Mapping[str, Any]:
    names = task.judge.score_names()
    rows_of: dict[int, list[int]] = {}
    for number, row, _ in task.places:
        rows_of.setdefault(number, []).append(row)
    targets = {number: task.answers[number].picked(rows) for number, rows in rows_of.items()}
    pairs: list[tuple[str, str]] = []
    for number, row, score in task.places:
        pair = task.judge.pair(names[score], targets[number][row])
        assert not isinstance(pair, str)
        pairs.append(pair)
    found = task.judge.entailment().probabilities(pairs)
    rows = [
        {
            "pair_id": pair_id(*pair).hex(),
            "premise": pair[0],
            "hypothesis": pair[1],
            "probability": entailed.probability,
            "reason": entailed.reason,
            "truncated_tokens": entailed.truncated_tokens,
        }
        for pair, entailed in zip(pairs, found, strict=True)
    ]
    writer.table("entailments", to_arrow("entailments", rows))
    return {
        "truncated": sum(bool(row["truncated_tokens"]) for row in rows),
        "missing": sum(row["probability"] is None for row in rows),
    }


def _facts(pieces: Sequence[Piece]) -> dict[str, int]:
    return {key: sum(piece.facts[key] for piece in pieces) for key in ("truncated", "missing")}


class Entailed:
    """Looks the probabilities of pairs up in a finished artifact, batch by batch."""

    def __init__(self, artifact: Artifact) -> None:
        self._artifact = artifact

    def of(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the rows of some pairs by id."""
        import pyarrow as pa
        import pyarrow.compute as pc

        wanted = pa.array(sorted(set(ids)), pa.string())
        columns = ["pair_id", "probability", "reason", "truncated_tokens"]
        found: dict[str, dict[str, Any]] = {}
        for batch in self._artifact.batches("entailments", columns):
            for row in batch.filter(pc.is_in(batch["pair_id"], value_set=wanted)).to_pylist():
                found[row["pair_id"]] = row
        return found
