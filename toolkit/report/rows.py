"""The rows behind the numbers, as JSON that can stand inside a page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from toolkit.report.board import Board
from toolkit.report.inputs import Evidence, EvidenceRow
from toolkit.report.text import printable, shorten

__all__ = ["ROWS_SHOWN", "TEXT_SHOWN", "evidence_json", "script_json"]

ROWS_SHOWN: Final = 20
"""Rows inlined for a line of the leaderboard; the page of items beside it holds all."""

TEXT_SHOWN: Final = 4000
"""Characters of each text that are inlined."""

_SMALLER: Final = ((20, 2000), (20, 1000), (20, 500), (10, 500), (5, 500))
# Rows and characters to go down to, one after another, while the page would be too heavy.

_BUDGET: Final = 600_000
"""Characters of JSON aimed at, so that the page opens at once on a phone."""

_IN_SCRIPT: Final = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}


def evidence_json(board: Board, evidence: Sequence[Evidence]) -> str:
    """Return the rows behind each line of the board.

    Texts of an item stand once, however many competitors answered it. At most
    :data:`ROWS_SHOWN` rows a line and :data:`TEXT_SHOWN` characters a text, fewer where the page
    would grow heavy; the page says how many there are and where it cuts.

    Returns:
        JSON: ``scores`` with their ``digits`` and ``better`` end, ``limit`` (characters),
        ``items`` (id, title, input, reference) and ``lines``, one for each line of the board,
        None where nothing is known.
    """
    text = script_json(_content(board, evidence, ROWS_SHOWN, TEXT_SHOWN))
    for rows, limit in _SMALLER:
        if len(text) <= _BUDGET:
            break
        text = script_json(_content(board, evidence, rows, limit))
    return text


def _content(
    board: Board, evidence: Sequence[Evidence], rows_shown: int, limit: int
) -> dict[str, Any]:
    known = {(part.model, part.prompt): part for part in evidence}
    items: list[list[str]] = []
    numbers: dict[tuple[str, str, str, str], int] = {}
    names = [score.name for score in board.scores]
    lines: list[dict[str, Any] | None] = []
    for line in board.lines:
        part = known.get((line.model, line.prompt))
        if part is None:
            lines.append(None)
            continue
        rows = []
        for row in part.rows[:rows_shown]:
            # By its texts and not its id alone: a prompt may show one item in two forms.
            key = (row.item_id, row.title, row.input, row.reference)
            if key not in numbers:
                numbers[key] = len(items)
                items.append([shorten(printable(text), limit) for text in key])
            rows.append(_row(row, numbers[key], names, limit))
        lines.append({"total": part.total, "rows": rows, "competitor": part.competitor})
    return {
        "scores": names,
        "digits": [score.digits for score in board.scores],
        "better": [{"direction": s.direction, "target": s.target} for s in board.scores],
        "limit": limit,
        "items": items,
        "lines": lines,
    }


def _row(row: EvidenceRow, item: int, names: list[str], limit: int) -> dict[str, Any]:
    content: dict[str, Any] = {
        "item": item,
        "status": printable(row.status),
        "answer": None if row.answer is None else shorten(printable(row.answer), limit),
        "values": [row.scores.get(name) for name in names],
    }
    missing = {name: printable(why) for name, why in row.missing.items() if name in names and why}
    if missing:
        content["missing"] = missing
    if row.reason:
        content["reason"] = shorten(printable(row.reason), limit)
    if row.repeat:
        content["repeat"] = row.repeat
    return content


def script_json(content: Any) -> str:
    """Return strict JSON that cannot end, or open, anything inside a ``<script>`` element.

    Raises:
        ValueError: a number is NaN or infinite.
    """
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character, escaped in _IN_SCRIPT.items():
        text = text.replace(character, escaped)
    return text
