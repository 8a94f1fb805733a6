"""The newest table of a board for a README; every foreign name is escaped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from toolkit.release.markdown import escape
from toolkit.report.board import arrow
from toolkit.report.text import number, plural
from toolkit.results.board import Board, Entry, Past, VersionTable
from toolkit.results.coverage import asked
from toolkit.results.record import Result, ScoreResult

__all__ = ["board_markdown"]

_SCORES: Final = 5
"""Scores of a table without headline numbers; the Parquet files hold all."""

_LISTED: Final = 20
"""Notes listed before the rest is counted."""

_READING: Final = (
    "Competitors that no paired test tells apart on the items both have (t tests of whole "
    "clusters, Holm's correction over all pairs, 5 %) share a rank: it is 1 + how many are surely "
    "better. In brackets: the 95 % interval, then the ranks that the data leave open. What "
    "failed is counted as missing and never ranked as a zero. n of answers: how many of all that "
    "were asked for have the first score; with too few, a number is listed without a rank."
)


def board_markdown(board: Board) -> str:
    """Return the table of the newest version: each prompt mode, the headline scores.

    Without headline numbers, the first scores that have a better end stand for them.
    """
    table = board.tables[0]
    lines = [f"**Version {escape(table.version)}**", ""]
    for split, mode in table.groups:
        lines += _group(board, table, split, mode)
    lines += [_READING, ""]
    lines += _notes(table)
    older = [escape(other.version) for other in board.tables[1:]]
    if older:
        lines += [f"Tables of earlier versions, unchanged: {', '.join(older)}.", ""]
    return "\n".join(lines).rstrip() + "\n"


def _group(board: Board, table: VersionTable, split: str, mode: str) -> Iterator[str]:
    entries = table.of(split, mode)
    scores = _shown(board, entries, mode)
    if not scores:
        return
    what = f"Prompt mode {escape(mode)}" if mode else "Without a prompt"
    yield f"{what}, split {escape(split)}:"
    yield ""
    heads = [f"{escape(score.title)} {arrow(score.definition())}".strip() for score in scores]
    yield _line(["Rank", "Competitor", *heads, "n of answers", "Tier", "Submitted"])
    yield _line(["--:", "---", *("---" for _ in heads), "--:", "---", "---"])
    cells = {(entry.result.record_id, entry.number.score): entry for entry in entries}
    leading = [entry for entry in entries if entry.number.score == scores[0].score]
    for entry in leading:
        result = entry.result
        row = [cells.get((result.record_id, score.score)) for score in scores]
        yield _line(
            [
                "–" if entry.rank is None else str(entry.rank),
                _competitor(result),
                *(_cell(one) for one in row),
                f"{entry.number.n:,} of {asked(result):,}",
                escape(result.tier),
                f"{escape(result.date)} by {escape(result.submitter)}",
            ]
        )
    yield ""
    told = {score.score for score in scores}
    yield from _unranked([entry for entry in entries if entry.number.score in told])


def _unranked(entries: Sequence[Entry]) -> Iterator[str]:
    """Yield why numbers that stand in the table have no rank; those of references are known."""
    lines = [
        f"- No rank for {escape(entry.result.model.title)}, {escape(entry.number.title)}: "
        f"{escape(entry.unranked)}"
        for entry in entries
        if entry.unranked
        and entry.number.value is not None
        and entry.result.model.kind != "reference"
    ]
    if lines:
        yield from lines[:_LISTED]
        yield from ([f"- and {len(lines) - _LISTED} more"] if len(lines) > _LISTED else [])
        yield ""


def _shown(board: Board, entries: Sequence[Entry], mode: str) -> list[ScoreResult]:
    """Return one number of each score that the table shows, for its title and direction."""
    known: dict[str, ScoreResult] = {}
    for entry in entries:
        known.setdefault(entry.number.score, entry.number)
    headline = [task.score for task in board.tasks if task.prompt == mode and task.score in known]
    if headline:
        return [known[name] for name in dict.fromkeys(headline)]
    directed = [score for score in known.values() if score.direction in ("higher", "lower")]
    return directed[:_SCORES] or [s for s in known.values() if s.direction == "target"][:_SCORES]


def _competitor(result: Result) -> str:
    title = escape(result.model.title)
    if result.model.hub_id:
        # Checked when the record was written: letters, digits, dots, dashes, one slash.
        title = f"[{title}](https://huggingface.co/{result.model.hub_id})"
    return title if result.model.kind == "model" else f"*{title}* ({result.model.kind})"


def _cell(entry: Entry | None) -> str:
    if entry is None:
        return ""
    found = entry.number
    if found.value is None:
        return f"– ({escape(entry.unranked or found.reason)})"
    text = number(found.value, found.digits)
    if found.low is not None and found.high is not None:
        text += f" [{number(found.low, found.digits)}, {number(found.high, found.digits)}]"
    if entry.rank_low is not None:
        text += f" ({entry.rank_low}–{entry.rank_high})"
    if found.missing:
        text += f", {found.missing:,} missing"
    return text


def _notes(table: VersionTable) -> Iterator[str]:
    withdrawn = [past for past in table.history if past.state == "withdrawn"]
    if withdrawn:
        yield f"{plural(len(withdrawn), 'record')} withdrawn:"
        yield ""
        yield from (f"- {_withdrawn(past)}" for past in withdrawn[:_LISTED])
        if len(withdrawn) > _LISTED:
            yield f"- and {len(withdrawn) - _LISTED} more"
        yield ""


def _withdrawn(past: Past) -> str:
    taken = past.withdrawal
    assert taken is not None
    result = past.result
    mode = f", prompt mode {escape(result.prompt)}" if result.prompt else ""
    return (
        f"{escape(result.model.title)}{mode} (record {result.record_id}): {escape(taken.reason)} "
        f"({escape(taken.date)}, {escape(taken.by)})"
    )


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
