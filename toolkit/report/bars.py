"""Where the means and intervals of a column lie on its common scale, from 0 to 100."""

from __future__ import annotations

from typing import Final

from toolkit.metrics.base import ScoreDefinition
from toolkit.report.audit import JudgeAudit
from toolkit.report.board import Board, Cell

__all__ = ["Axis", "audit_bar", "axis_of", "bar_of"]

Axis = tuple[float, float]

_MARGIN: Final = 0.04


def axis_of(board: Board, column: int) -> Axis | None:
    """Return the ends of a column's scale, or None when no number stands in it.

    The scale holds the means and intervals of models and baselines, and the target of a ratio.
    The reference is left out: a perfect ceiling would press all others into a corner.
    """
    ends: list[float] = []
    for line in board.lines:
        cell = line.cells[column]
        if cell is not None and line.kind != "reference":
            ends += [end for end in (cell.value, cell.low, cell.high) if end is not None]
    if not ends:
        return None
    score = board.scores[column]
    if score.direction == "target" and score.target is not None:
        ends.append(score.target)
    low, high = min(ends), max(ends)
    if low == high:
        # One number alone: it stands in the middle.
        reach = abs(low) or 1.0
        return low - reach / 2, high + reach / 2
    return low, high


def bar_of(cell: Cell, score: ScoreDefinition, axis: Axis | None) -> dict[str, str | None] | None:
    """Return the positions of mean, interval ends and target, or None without a mean."""
    if axis is None or cell.value is None:
        return None
    return {
        "mean": _place(cell.value, axis),
        "low": None if cell.low is None else _place(cell.low, axis),
        "high": None if cell.high is None else _place(cell.high, axis),
        "target": _place(score.target, axis)
        if score.direction == "target" and score.target is not None
        else None,
    }


def audit_bar(audit: JudgeAudit | None) -> dict[str, str | None] | None:
    """Return where a judge's reactions and false alarms lie, from 0 to 100 % of the texts."""
    if audit is None or audit.reacts is None:
        return None
    shares = {
        "mean": audit.reacts,
        "low": audit.reacts_low if audit.reacts_high is not None else None,
        "high": audit.reacts_high,
        "alarm": audit.false_alarms,
    }
    return {
        name: None if share is None else _place(share, (0.0, 1.0)) for name, share in shares.items()
    }


def _place(value: float, axis: Axis) -> str:
    low, high = axis
    inside = (value - low) / (high - low)
    return f"{100 * (_MARGIN + (1 - 2 * _MARGIN) * inside):.2f}"
