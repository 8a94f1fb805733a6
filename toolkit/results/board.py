"""The leaderboards of a benchmark: a table a version, ranks a prompt mode and score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from toolkit.recipe.publish_section import Task
from toolkit.results.record import Result, ScoreResult, Withdrawal
from toolkit.results.store import ResultStore

__all__ = ["Board", "Entry", "Past", "VersionTable", "build_board"]


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
        by: id of the record that took its place; empty for none.
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
        modes: prompt modes, sorted; one empty mode where there are only baselines.
        entries: by mode and score, best first; those without a rank last.
        history: every record of the version, the newest first.
    """

    version: str
    modes: tuple[str, ...]
    entries: tuple[Entry, ...]
    history: tuple[Past, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """All tables of a benchmark.

    Attributes:
        benchmark: its name.
        title: its title.
        tables: the newest version first.
        tasks: the headline numbers.
    """

    benchmark: str
    title: str
    tables: tuple[VersionTable, ...]
    tasks: tuple[Task, ...] = ()


def build_board(store: ResultStore, *, tasks: Sequence[Task] = ()) -> Board:
    """Rank all records of a store.

    Raises:
        UserError: the store holds no record, records of several benchmarks, or a damaged file.
    """
    raise NotImplementedError
