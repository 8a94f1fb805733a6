"""Compare the answers of several models to the same questions, two at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from toolkit.ask.dialogue import Dialogue
from toolkit.judges.base import Target
from toolkit.judges.pairwise import PREFERENCE, Pairwise, Verdict
from toolkit.metrics.base import Value
from toolkit.models.base import Answer
from toolkit.recipe.sections import Model
from toolkit.records import to_arrow
from toolkit.stages.asking import ask_rows
from toolkit.stages.context import Context, finish
from toolkit.stages.judge import judge_facts, score_row
from toolkit.stages.judge_asking import wanted_items
from toolkit.stages.slices import RowReader, Slice, slices
from toolkit.stages.targets import Answers, answers_of
from toolkit.store.canonical import text_digest
from toolkit.store.manifest import Manifest
from toolkit.store.pieces import Piece, PieceWriter

__all__ = ["Comparing", "run"]

_Pair = tuple[Target, Target]


def run(context: Context, judge: Pairwise) -> Manifest:
    """Ask the judge's model about every pair of answers.

    Returns:
        Tables ``comparisons`` and ``scores``; besides the facts of every judge ``pairs``:
        counts of pairs, verdicts, ties, and how often the position decided.
    """
    step = context.step
    work = Comparing(
        step=step.name,
        judge=step.params["judge"],
        made=judge,
        column=step.params["columns"][PREFERENCE],
        model=context.recipe.models[judge.params.model],
        base=context.recipe.folder,
        plain=False,
        group=tuple(answers_of(context, name) for name in step.options["generations"]),
        against=tuple(answers_of(context, name) for name in step.options["opponents"]),
        wanted=wanted_items(context),
    )
    pieces = ask_rows(context, work)
    facts = judge_facts(context, judge, [piece.facts for piece in pieces])
    return finish(context, pieces, {**facts, "pairs": _added(pieces)})


@dataclass(frozen=True, slots=True)
class Comparing:
    """One judge about the answers to one prompt: a :class:`toolkit.stages.asking.Work`.

    Attributes:
        step: name of the step.
        judge: name of the judge in the recipe.
        made: the judge.
        column: the name under which its score stands.
        model: the section of the judge's model.
        base: folder of the recipe.
        plain: never; a judge's model is a language model.
        group: the answers that get a score, by model.
        against: answers of the one opponent; empty where all are compared with all.
        wanted: items that are compared, None for all.
    """

    step: str
    judge: str
    made: Pairwise
    column: str
    model: Model
    base: Path
    plain: bool
    group: tuple[Answers, ...]
    against: tuple[Answers, ...]
    wanted: frozenset[str] | None

    def parts(self, dialogues: int) -> list[Slice]:
        """Cut the items into slices of about so many dialogues each."""
        models = len(self.group)
        pairs = models * len(self.against) or models * (models - 1) // 2
        rows = max(1, dialogues // (pairs * self.made.orders))
        one = self.group[0]
        return slices(one.selected, one.table, rows, max(last for _, last in one.asked))

    def dialogues(self, part: Slice) -> list[Dialogue]:
        """Return the dialogues of a slice: pair after pair, in each order asked."""
        found: list[Dialogue] = []
        for first, second in self._asked(part):
            found.append(self.made.dialogue(first, second))
            if self.made.params.both_orders:
                found.append(self.made.dialogue(second, first))
        return found

    def write(
        self, writer: PieceWriter, part: Slice, dialogues: Sequence[Dialogue]
    ) -> Mapping[str, Any]:
        """Write the replies and the scores of a slice; every answer of the group gets a score."""
        replies = iter(dialogues)
        rows: list[dict[str, Any]] = []
        tally = _Tally(self.made)
        asked = {_pair_key(pair) for pair in self._asked(part)}
        for pair in self._pairs(part):
            if _pair_key(pair) not in asked:
                tally.add(pair, _without_asking(pair))
                continue
            forth = self.made.reply(next(replies))
            back = self.made.reply(next(replies)) if self.made.params.both_orders else None
            rows.append(self._row(pair, forth))
            if back is not None:
                rows.append(self._row((pair[1], pair[0]), back))
            tally.add(pair, self.made.verdict(forth, back), forth, back)
        scores: list[dict[str, Any]] = []
        notes: Counter[str] = Counter()
        for target in self._group_targets(part):
            value = tally.value(target)
            if value.note:
                notes[f"{self.column}: {value.note}"] += 1
            scores.append(score_row(target.answer, self.judge, self.column, value))
        if rows:
            writer.table("comparisons", to_arrow("comparisons", rows))
        if scores:
            writer.table("scores", to_arrow("scores", scores))
        status = Counter(row["status"] for row in rows)
        return {
            "status": dict(sorted(status.items())),
            "pairs": dict(sorted(tally.counts.items())),
            "notes": dict(sorted(notes.items())),
        }

    def _row(self, pair: _Pair, reply: Answer) -> dict[str, Any]:
        first, second = pair
        return {
            "item_id": first.answer["item_id"],
            "prompt": first.answer["prompt"] or second.answer["prompt"],
            "repeat": first.answer["repeat"],
            "judge": self.judge,
            "first": first.answer["model"],
            "second": second.answer["model"],
            "preferred": self.made.preferred(reply),
            **asdict(reply),
        }

    def _asked(self, part: Slice) -> list[_Pair]:
        """Return the pairs a model is asked about: both there, and not the same text."""
        return [
            (first, second)
            for first, second in self._pairs(part)
            if not first.missing and not second.missing and first.output != second.output
        ]

    def _pairs(self, part: Slice) -> Iterator[_Pair]:
        mine = self._by_item(self.group, part)
        others = self._by_item(self.against, part)
        for key, targets in mine.items():
            if self.against:
                # A baseline answers once, whatever the repeat.
                opponents = others.get(key) or others.get((key[0], 0), [])
                pairs = [(one, other) for one in targets for other in opponents]
            else:
                pairs = list(combinations(sorted(targets, key=_key), 2))
            # Which one comes first is drawn from the pair itself, so no model always does.
            yield from ((b, a) if _turned(a, b) else (a, b) for a, b in pairs)

    def _group_targets(self, part: Slice) -> Iterator[Target]:
        for targets in self._by_item(self.group, part).values():
            yield from targets

    def _by_item(
        self, answers: Sequence[Answers], part: Slice
    ) -> dict[tuple[str, int], list[Target]]:
        ids = self._ids(part)
        found: dict[tuple[str, int], list[Target]] = {}
        for one in answers:
            for target in one.about(part):
                key = (target.answer["item_id"], target.answer["repeat"])
                if key[0] in ids:
                    found.setdefault(key, []).append(target)
        return found

    def _ids(self, part: Slice) -> set[str]:
        one = self.group[0]
        rows = RowReader(one.selected, one.table).rows(part, ["item_id"])
        ids = {row["item_id"] for row in rows}
        return ids if self.wanted is None else ids & self.wanted


class _Tally:
    """Points of each answer, and how often positions decided."""

    def __init__(self, judge: Pairwise) -> None:
        self.counts: Counter[str] = Counter()
        self._judge = judge
        self._points: dict[tuple[Any, ...], list[float]] = {}
        self._missing: dict[tuple[Any, ...], list[str]] = {}

    def add(
        self,
        pair: _Pair,
        verdict: Verdict,
        forth: Answer | None = None,
        back: Answer | None = None,
    ) -> None:
        first, second = pair
        self.counts["pairs"] += 1
        if verdict.points is None:
            self.counts["without_verdict"] += 1
            for target in pair:
                self._missing.setdefault(_key(target), []).append(verdict.reason)
            return
        self.counts["ties"] += verdict.points == 0.5
        self._points.setdefault(_key(first), []).append(verdict.points)
        self._points.setdefault(_key(second), []).append(1.0 - verdict.points)
        if forth is None:
            self.counts["same_text"] += 1
        for reply in filter(None, (forth, back)):
            self.counts[f"chose_{self._judge.preferred(reply)}"] += 1
        if verdict.consistent is not None:
            self.counts["both_orders"] += 1
            self.counts["consistent"] += verdict.consistent
            assert forth is not None
            assert back is not None
            same = self._judge.preferred(forth) == self._judge.preferred(back)
            if not verdict.consistent and same:
                self.counts[f"position_{self._judge.preferred(forth)}"] += 1

    def value(self, target: Target) -> Value:
        if target.missing:
            return Value(None, reason=target.missing)
        key = _key(target)
        return self._judge.mean(self._points.get(key, []), self._missing.get(key, []))


def _without_asking(pair: _Pair) -> Verdict:
    for target in pair:
        if target.missing:
            return Verdict(None, f"{target.answer['model']}: {target.missing}")
    return Verdict(0.5)


def _turned(first: Target, second: Target) -> bool:
    names = [str(part) for part in (*_key(first), *_key(second))]
    return int(text_digest(names)[:2], 16) % 2 == 1


def _pair_key(pair: _Pair) -> tuple[Any, ...]:
    return (*_key(pair[0]), *_key(pair[1]))


def _key(target: Target) -> tuple[Any, ...]:
    answer = target.answer
    return (answer["item_id"], answer["model"], answer["prompt"], answer["repeat"])


def _added(pieces: Sequence[Piece]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for piece in pieces:
        total.update(piece.facts["pairs"])
    return dict(sorted(total.items()))
