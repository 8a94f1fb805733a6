"""The leaderboard as people read it: a line a competitor, a cell a score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolkit.errors import UserError
from toolkit.metrics.base import ScoreDefinition
from toolkit.report.inputs import STATUSES, Powered, ReportInputs, ScoreGroup
from toolkit.report.text import number, plural

__all__ = ["ARROWS", "Board", "Cell", "Line", "arrow", "footnotes", "make_board", "summary"]

ARROWS: Final = {"higher": "↑", "lower": "↓", "target": "→", "none": ""}
_KINDS: Final = ("model", "baseline", "reference")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One number of the board.

    Attributes:
        mean: printed mean, an en dash when there is none.
        interval: printed interval, e.g. ``[0.21, 0.29]``; empty when there is none.
        value: the mean itself.
        low: lower end of the interval.
        high: upper end of the interval.
        n: rows the mean is over.
        missing: rows without a value.
        rank: place, None when not ranked.
        places: the place with the range that the data leave open: ``2 (1-4)``; empty when there
            is no place.
        reason: why there is no mean or no interval.
        powered: the prediction-powered mean; None where there is none.
    """

    mean: str
    interval: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    missing: int
    rank: int | None
    reason: str
    places: str = ""
    powered: Powered | None = None

    def over(self) -> str:
        """Return what the mean is over: ``n 13, 2 missing``."""
        return f"n {self.n:,}" + (f", {self.missing:,} missing" if self.missing else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One competitor: a model under a prompt, a baseline, or the reference.

    Attributes:
        title: what tables call the model.
        cells: one for each score of the board; None where the competitor has no such score.
        statuses: answers by status; empty when not known.
    """

    model: str
    title: str
    prompt: str
    kind: str
    cells: tuple[Cell | None, ...]
    statuses: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """The whole leaderboard.

    Attributes:
        scores: the columns, those of one metric or judge side by side.
        groups: the metric or judge of each column; None for a column of no group.
        lines: competitors, best first by the first directed score, references last.
        sorted_by: index of the column that gave the order, None when no score has a direction.
    """

    scores: tuple[ScoreDefinition, ...]
    lines: tuple[Line, ...]
    sorted_by: int | None
    groups: tuple[ScoreGroup | None, ...] = ()

    def spans(self) -> list[tuple[ScoreGroup | None, range]]:
        """Return the runs of columns that share a group, in order."""
        runs: list[tuple[ScoreGroup | None, range]] = []
        for index, group in enumerate(self.groups):
            if runs and group is not None and runs[-1][0] == group:
                runs[-1] = (group, range(runs[-1][1].start, index + 1))
            else:
                runs.append((group, range(index, index + 1)))
        return runs


def make_board(inputs: ReportInputs) -> Board:
    """Arrange leaderboard rows.

    Raises:
        UserError: there is no row, or a row's score has no definition.
    """
    if not inputs.leaderboard:
        raise UserError(
            f"the run of '{inputs.name}' has no leaderboard row",
            hint="at least one model or baseline and one metric must have been run",
        )
    defined = {definition.name: definition for definition in inputs.scores}
    unknown = sorted({row["score"] for row in inputs.leaderboard} - set(defined))
    if unknown:
        raise UserError(
            f"no definition says what these scores mean: {', '.join(unknown)}",
            hint="a metric lists every score it returns in definitions()",
        )
    used = {row["score"] for row in inputs.leaderboard}
    of = {name: group for group in inputs.groups for name in group.scores}
    order = {group.name: place for place, group in enumerate(inputs.groups)}
    scores = tuple(
        sorted(
            (definition for definition in inputs.scores if definition.name in used),
            key=lambda score: order[of[score.name].name] if score.name in of else len(order),
        )
    )
    column = _leading_column(scores)
    lines = _lines(inputs, scores)
    return Board(
        scores=scores,
        lines=tuple(sorted(lines, key=lambda line: _line_order(line, column))),
        sorted_by=column,
        groups=tuple(of.get(score.name) for score in scores),
    )


def _leading_column(scores: tuple[ScoreDefinition, ...]) -> int | None:
    # A ratio near its target tells less about quality than a score with a better end.
    for directions in (("higher", "lower"), ("target",)):
        for index, definition in enumerate(scores):
            if definition.direction in directions:
                return index
    return None


def _line_order(line: Line, column: int | None) -> tuple[Any, ...]:
    cell = None if column is None else line.cells[column]
    rank = (cell.rank if cell else None) or 0
    kind = _KINDS.index(line.kind) if line.kind in _KINDS else len(_KINDS)
    return line.kind == "reference", rank == 0, rank, kind, line.model, line.prompt


def _lines(inputs: ReportInputs, scores: tuple[ScoreDefinition, ...]) -> list[Line]:
    rows: dict[tuple[str, str], dict[str, Mapping[str, Any]]] = {}
    kinds: dict[tuple[str, str], str] = {}
    for row in inputs.leaderboard:
        key = (row["model"], row["prompt"])
        rows.setdefault(key, {})[row["score"]] = row
        kinds[key] = row["kind"]
    answers = {(answer.model, answer.prompt): answer.counts for answer in inputs.answers}
    return [
        Line(
            model=key[0],
            title=inputs.titles.get(key[0], key[0]),
            prompt=key[1],
            kind=kinds[key],
            cells=tuple(
                _cell(cells[score.name], score, inputs.powered.get((*key, score.name)))
                if score.name in cells
                else None
                for score in scores
            ),
            statuses={name: answers[key].get(name, 0) for name in STATUSES}
            if key in answers
            else {},
        )
        for key, cells in rows.items()
    ]


def _cell(row: Mapping[str, Any], score: ScoreDefinition, powered: Powered | None) -> Cell:
    low, high = row["ci_low"], row["ci_high"]
    known = low is not None and high is not None
    return Cell(
        mean=number(row["mean"], score.digits),
        interval=f"[{number(low, score.digits)}, {number(high, score.digits)}]" if known else "",
        value=row["mean"],
        low=low,
        high=high,
        n=row["n"],
        missing=row["n_missing"],
        rank=row["rank"],
        reason=row["reason"],
        places=_places(row),
        powered=powered,
    )


def _places(row: Mapping[str, Any]) -> str:
    rank, low, high = row["rank"], row.get("rank_low"), row.get("rank_high")
    if rank is None:
        return ""
    return str(rank) if low is None or high is None else f"{rank} ({low}-{high})"


def arrow(score: ScoreDefinition) -> str:
    """Return which way is better, as a sign: ``↑``, ``↓``, ``→ 1``, or nothing."""
    if score.direction == "target" and score.target is not None:
        return f"{ARROWS['target']} {score.target:g}"
    return ARROWS[score.direction]


def footnotes(board: Board) -> dict[str, str]:
    """Return a letter for each reason that stands beside a number, in reading order."""
    notes: dict[str, str] = {}
    for line in board.lines:
        for cell in line.cells:
            if cell is not None and cell.reason and cell.reason not in notes:
                notes[cell.reason] = _letter(len(notes))
    return notes


def _letter(index: int) -> str:
    text = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        text = chr(ord("a") + rest) + text
    return text


def summary(inputs: ReportInputs, board: Board) -> list[str]:
    """Return the sentences that stand first: what, over how much, how to read it, what failed."""
    models = {line.model for line in board.lines if line.kind == "model"}
    prompts = {line.prompt for line in board.lines if line.kind == "model" and line.prompt}
    baselines = {line.model for line in board.lines if line.kind == "baseline"}
    references = {line.model for line in board.lines if line.kind == "reference"}
    who = [plural(len(models), "model")]
    if prompts:
        who[0] += f" under {plural(len(prompts), 'prompt')}"
    if baselines:
        who.append(plural(len(baselines), "baseline"))
    if references:
        who.append("the reference itself as the ceiling")
    sentences = [
        f"{_join(who)}, on {plural(inputs.items, 'item')} of "
        f"{'splits' if ', ' in inputs.split else 'the split'} {inputs.split}, "
        f"by {plural(len(board.scores), 'score')}.",
        _reading(inputs),
        _failures(inputs, models),
    ]
    return [sentence for sentence in sentences if sentence]


def _reading(inputs: ReportInputs) -> str:
    interval = f" with its {inputs.interval}" if inputs.interval else ""
    return (
        f"Each number is the mean over the n answers that have a value{interval}. An answer "
        "without a value is counted as missing, never as zero."
    )


def _failures(inputs: ReportInputs, models: set[str]) -> str:
    answers = [answer for answer in inputs.answers if answer.model in models]
    if not answers:
        return ""
    totals = {
        status: sum(answer.counts.get(status, 0) for answer in answers) for status in STATUSES
    }
    asked = sum(totals.values())
    if asked == totals["ok"]:
        return f"All {plural(asked, 'answer')} of the models came back complete."
    parts = [f"{value:,} {status}" for status, value in totals.items() if value]
    return f"Of {plural(asked, 'answer')} of the models: {', '.join(parts)}."


def _join(parts: list[str]) -> str:
    if len(parts) == 1:
        return parts[0]
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
