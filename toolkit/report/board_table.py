"""The leaderboard as LaTeX tables of a paper, one for each metric or judge where it is wide."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolkit.analyses.base import AnalysisColumn, AnalysisTable
from toolkit.report.board import Board, arrow
from toolkit.report.inputs import ReportInputs

__all__ = ["board_tables"]

_MOST: int = 6
"""Scores with their intervals that fit beside each other on a page."""


def board_tables(inputs: ReportInputs, board: Board) -> Iterator[AnalysisTable]:
    """Yield the leaderboard as one table where it fits a page, else one for each group.

    Names: ``leaderboard``, or ``leaderboard-GROUP``.
    """
    if len(board.scores) <= _MOST:
        yield _table(inputs, board, range(len(board.scores)), "")
        return
    names: set[str] = set()
    for group, columns in board.spans():
        name = group.name if group is not None else board.scores[columns.start].name
        safe = re.sub(r"[^A-Za-z0-9_-]+", "-", name)
        while safe in names:
            safe += "-"
        names.add(safe)
        yield _table(inputs, board, columns, safe)


def _table(inputs: ReportInputs, board: Board, columns: range, group: str) -> AnalysisTable:
    scores = [board.scores[index] for index in columns]
    heads = [
        AnalysisColumn("model", "string", "Model"),
        AnalysisColumn("prompt", "string", "Prompt"),
    ]
    for score in scores:
        title = f"{score.title} {arrow(score)}".strip()
        heads += [
            AnalysisColumn(score.name, "double", title, score.digits),
            AnalysisColumn(f"{score.name}_low", "double", "low", score.digits),
            AnalysisColumn(f"{score.name}_high", "double", "high", score.digits),
            AnalysisColumn(f"{score.name}_rank", "int64", "rank", 0),
        ]
    rows = []
    for line in board.lines:
        row: dict[str, Any] = {"model": line.title, "prompt": line.prompt}
        for index, score in zip(columns, scores, strict=True):
            cell = line.cells[index]
            if cell is not None:
                row |= {
                    score.name: cell.value,
                    f"{score.name}_low": cell.low,
                    f"{score.name}_high": cell.high,
                    f"{score.name}_rank": cell.rank,
                }
        rows.append(row)
    return AnalysisTable(
        name=f"leaderboard-{group}" if group else "leaderboard",
        title=f"{inputs.title}{f': {group}' if group else ''}",
        columns=tuple(heads),
        rows=rows,
        notes=(f"Means with {inputs.interval}.",) if inputs.interval else (),
    )
