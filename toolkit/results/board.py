"""The leaderboards of a benchmark: a table a version, ranks a split, prompt mode and score."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from toolkit.analyses.ranks import distance_from_best
from toolkit.errors import UserError
from toolkit.recipe.publish_section import MOST_FAILED, Task
from toolkit.results.coverage import coverage_faults
from toolkit.results.item_matrix import ItemMatrix
from toolkit.results.owners import counting_first
from toolkit.results.record import Result, ScoreResult, Withdrawal
from toolkit.results.store import ResultStore
from toolkit.results.ties import shared_places

__all__ = ["Board", "Entry", "Past", "VersionTable", "build_board", "scorer", "version_order"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One number on the board.

    Attributes:
        mode: the prompt mode whose competitors it is ranked among; a baseline, which has no
            prompt of its own, stands in each.
        result: the record.
        number: the number.
        rank: 1 + how many competitors are surely better; None when it is not ranked.
        rank_low: first of the ranks that the data leave open.
        rank_high: last of them.
        unranked: why there is no rank; empty otherwise.
    """

    mode: str
    result: Result
    number: ScoreResult
    rank: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    unranked: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """A record of the history.

    Attributes:
        result: the record.
        state: whether it counts, was superseded by a later one, or was withdrawn.
        withdrawal: how it was withdrawn; None when it was not.
        by: id of the record that counts in its place; empty for none.
    """

    result: Result
    state: Literal["counts", "superseded", "withdrawn"]
    withdrawal: Withdrawal | None = None
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionTable:
    """The board of one version of the benchmark.

    Attributes:
        version: of the benchmark.
        groups: (split, prompt mode) of each group of competitors, sorted; the mode is empty
            where a split has only baselines.
        entries: by group and score, best first; those without a rank last.
        history: every record of the version, the newest first.
    """

    version: str
    groups: tuple[tuple[str, str], ...]
    entries: tuple[Entry, ...]
    history: tuple[Past, ...]

    @property
    def modes(self) -> tuple[str, ...]:
        """The prompt modes, sorted."""
        return tuple(sorted({mode for _, mode in self.groups}))

    def of(self, split: str, mode: str) -> tuple[Entry, ...]:
        """Return the entries of one group, in the order of the board."""
        return tuple(
            entry for entry in self.entries if (entry.result.split, entry.mode) == (split, mode)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """All tables of a benchmark.

    Attributes:
        benchmark: its name.
        title: its title, as the newest record says it.
        tables: the newest version first.
        tasks: the headline numbers.
    """

    benchmark: str
    title: str
    tables: tuple[VersionTable, ...]
    tasks: tuple[Task, ...] = ()


def build_board(
    store: ResultStore, *, tasks: Sequence[Task] = (), max_failed: float = MOST_FAILED
) -> Board:
    """Rank all records of a store.

    Of several records of a model under a prompt mode the one of the highest tier counts, of
    those the latest that was not withdrawn, never the best. A new version of the benchmark
    opens a new table; older tables stay as they are.

    Args:
        store: the records.
        tasks: the headline numbers, kept for those who render the board.
        max_failed: share of answers without a value up to which a number is ranked, see
            :func:`toolkit.results.coverage.coverage_faults`.

    Raises:
        UserError: the store holds no record, records of several benchmarks, versions that
            differ by their punctuation alone, or a damaged file.
    """
    results = list(store.results.values())
    if not results:
        raise UserError(
            f"no record in {store.folder}", hint="records come from a finished run or a review"
        )
    names = sorted({result.benchmark for result in results})
    if len(names) > 1:
        raise UserError(
            f"{store.folder} holds records of several benchmarks: {', '.join(names)}",
            hint="keep one benchmark in a repository",
        )
    newest = max(results, key=lambda one: (version_order(one.version), one.date, one.record_id))
    versions = sorted({one.version for one in results}, key=version_order, reverse=True)
    tables = []
    for version in versions:
        mine = [one for one in results if one.version == version]
        tables.append(_table(store, version, mine, max_failed))
    return Board(benchmark=names[0], title=newest.title, tables=tuple(tables), tasks=tuple(tasks))


def version_order(version: str) -> tuple[Any, ...]:
    """Return what sorts versions as people count: 1.9 before 1.10, 1.0-rc before 1.0.1."""
    # What goes on with letters comes before what ends there, and that before further numbers.
    parts = [
        (2, int(part), "") if part.isdigit() else (0, 0, part)
        for part in re.findall(r"[0-9]+|[A-Za-z]+", version)
    ]
    return (*parts, (1, 0, "")), version


def scorer(number: ScoreResult) -> str:
    """Return the part of a number's signature that says how it was scored, not over what."""
    return re.split(r"(?:^|\|)n:\d+(?:\||$)", number.signature, maxsplit=1)[0]


def _table(
    store: ResultStore, version: str, results: list[Result], max_failed: float
) -> VersionTable:
    history = tuple(_history(store, results))
    counted = [past.result for past in history if past.state == "counts"]
    groups = sorted(_groups(counted))
    entries = [entry for group in groups for entry in _entries(store, counted, group, max_failed)]
    return VersionTable(
        version=version, groups=tuple(groups), entries=tuple(entries), history=history
    )


def _history(store: ResultStore, results: list[Result]) -> Iterator[Past]:
    withdrawals = store.withdrawals
    keys: dict[tuple[str, ...], list[Result]] = {}
    for result in results:
        if result.record_id not in withdrawals:
            keys.setdefault(result.key, []).append(result)
    counts = {key: counting_first(rivals)[0].record_id for key, rivals in keys.items()}
    for result in sorted(results, key=lambda one: (one.date, one.record_id), reverse=True):
        best = counts.get(result.key, "")
        if result.record_id in withdrawals:
            taken = withdrawals[result.record_id]
            yield Past(result=result, state="withdrawn", withdrawal=taken, by=best)
        elif result.record_id == best:
            yield Past(result=result, state="counts")
        else:
            yield Past(result=result, state="superseded", by=best)


def _groups(results: list[Result]) -> set[tuple[str, str]]:
    found = {(one.split, one.prompt) for one in results if one.prompt}
    asked = {split for split, _ in found}
    return found | {(one.split, "") for one in results if one.split not in asked}


def _entries(
    store: ResultStore, results: list[Result], group: tuple[str, str], max_failed: float
) -> Iterator[Entry]:
    split, mode = group
    # A competitor without a prompt stands in every group of its split.
    mine = [one for one in results if one.split == split and one.prompt in ("", mode)]
    names = _score_names(mine)
    matrix = ItemMatrix(names)
    for result in mine:
        items = store.items(result.record_id)
        if items is not None:
            matrix.add(result.record_id, items)
    for name in names:
        numbers = [(one, number) for one in mine if (number := one.score(name)) is not None]
        yield from _ranked(mode, numbers, matrix, max_failed)


def _score_names(results: list[Result]) -> list[str]:
    newest = sorted(results, key=lambda one: (one.date, one.record_id), reverse=True)
    return list(dict.fromkeys(score.score for one in newest for score in one.scores))


def _ranked(
    mode: str, numbers: list[tuple[Result, ScoreResult]], matrix: ItemMatrix, max_failed: float
) -> Iterator[Entry]:
    """Yield the entries of one score, best first, those without a rank last."""
    usual = _usual_scorer(numbers)
    competing = [(one, number) for one, number in numbers if one.model.kind != "reference"]
    faults = dict(
        zip(
            (one.record_id for one, _ in competing),
            coverage_faults(competing, max_failed),
            strict=True,
        )
    )
    entries = []
    for one, number in numbers:
        why = _why_not(one, number, usual) or faults.get(one.record_id, "")
        entries.append(Entry(mode=mode, result=one, number=number, unranked=why))
    ranked = [entry for entry in entries if not entry.unranked]
    placed = []
    if ranked:
        records = [entry.result.record_id for entry in ranked]
        places = shared_places(
            [entry.number for entry in ranked],
            matrix.matrix(ranked[0].number.score, records),
            matrix.clusters(),
        )
        placed = [
            replace(entry, rank=low, rank_low=low, rank_high=high)
            for entry, (low, high) in zip(ranked, places, strict=True)
        ]
    yield from sorted(placed, key=_place)
    rest = [entry for entry in entries if entry.unranked]
    yield from sorted(rest, key=lambda entry: (entry.result.model.name, entry.result.record_id))


def _usual_scorer(numbers: list[tuple[Result, ScoreResult]]) -> tuple[Any, ...]:
    """Return what most numbers were scored by; of equally many, what was there first."""
    counts = Counter(_identity(number) for _, number in numbers)
    first: dict[tuple[Any, ...], str] = {}
    for result, number in numbers:
        key = _identity(number)
        first[key] = min(first.get(key, result.date), result.date)
    return min(counts, key=lambda key: (-counts[key], first[key], str(key)))


def _identity(number: ScoreResult) -> tuple[Any, ...]:
    return scorer(number), number.direction, number.target


def _why_not(result: Result, number: ScoreResult, usual: tuple[Any, ...]) -> str:
    if number.direction == "none":
        return "the score has no better end"
    if result.model.kind == "reference":
        return "the reference itself: a ceiling, no competitor"
    if number.value is None:
        return number.reason or "no value"
    if result.tier == "self-reported":
        return "self-reported: nobody else computed it"
    if _identity(number) != usual:
        return f"scored in another way than the others: {scorer(number) or 'no signature'}"
    return ""


def _place(entry: Entry) -> tuple[Any, ...]:
    assert entry.number.value is not None
    distance = distance_from_best(entry.number.value, entry.number.definition())
    return entry.rank, distance, entry.result.date, entry.result.record_id
