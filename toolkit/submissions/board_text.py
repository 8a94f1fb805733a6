"""A board for a terminal: a table for each version, split, prompt mode and score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from toolkit.report.text import number, printable, shorten
from toolkit.results.board import Board, Entry, VersionTable
from toolkit.results.coverage import asked
from toolkit.submissions.verdict import interval_name

__all__ = ["board_lines"]

_WIDEST: Final = 40
_HEAD: Final = ("rank", "model", "value", "interval", "n of answers", "tier", "submitter", "record")
_LEFT: Final = frozenset((1, 5, 6, 7))


def board_lines(board: Board, *, version: str | None = None) -> Iterator[str]:
    """Yield a board as lines of text.

    Args:
        board: the board.
        version: the table to show; the newest by default, ``all`` for every one.
    """
    yield _line(board.title, 200)
    tables = [one for one in board.tables if version in (None, "all", one.version)]
    for table in tables[:1] if version is None else tables:
        yield ""
        yield f"version {table.version}"
        for split, mode in table.groups:
            yield from _group(table, split, mode)
        yield from _withdrawn(table)


def _group(table: VersionTable, split: str, mode: str) -> Iterator[str]:
    entries = table.of(split, mode)
    for score in dict.fromkeys(entry.number.score for entry in entries):
        mine = [entry for entry in entries if entry.number.score == score]
        first = mine[0].number
        better = {"higher": "higher is better", "lower": "lower is better"}
        told = better.get(first.direction, f"best at {first.target}")
        yield ""
        yield f"{_line(first.title)} ({told}), split {split}" + (f", prompt {mode}" if mode else "")
        name = interval_name(entry.number for entry in mine)
        head = [name if word == "interval" else word for word in _HEAD]
        yield from _aligned([head, *(_row(entry) for entry in mine)])
        for entry in mine:
            if entry.rank is None:
                why = _line(entry.unranked, 200)
                yield f"  {_line(entry.result.model.title)} has no rank: {why}"


def _row(entry: Entry) -> Sequence[str]:
    found, result = entry.number, entry.result
    ranks = "–" if entry.rank is None else str(entry.rank)
    if entry.rank is not None and (entry.rank_low, entry.rank_high) != (entry.rank, entry.rank):
        ranks += f" ({entry.rank_low}-{entry.rank_high})"
    low, high = number(found.low, found.digits), number(found.high, found.digits)
    return (
        ranks,
        _line(result.model.title),
        number(found.value, found.digits),
        f"{low} to {high}" if found.low is not None else "–",
        f"{found.n:,} of {asked(result):,}",
        result.tier,
        _line(result.submitter),
        result.record_id,
    )


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[at]) for row in rows) for at in range(len(_HEAD))]
    for row in rows:
        cells = [
            text.ljust(width) if at in _LEFT else text.rjust(width)
            for at, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()


def _withdrawn(table: VersionTable) -> Iterator[str]:
    taken = [past for past in table.history if past.withdrawal is not None]
    if not taken:
        return
    yield ""
    yield "taken back:"
    for past in taken:
        assert past.withdrawal is not None
        about = past.result
        yield (
            f"  {about.record_id} {_line(about.model.title)}, prompt {about.prompt or '-'}, "
            f"{past.withdrawal.date} by {_line(past.withdrawal.by)}: "
            f"{_line(past.withdrawal.reason, 200)}"
        )


def _line(text: str, most: int = _WIDEST) -> str:
    return shorten(" ".join(printable(text).split()), most)
