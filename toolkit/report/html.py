"""The leaderboard as one HTML page that needs no network and trusts none of its texts."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from toolkit.analyses.ranks import distance_from_best
from toolkit.data import data_dir
from toolkit.metrics.base import ScoreDefinition
from toolkit.report.bars import axis_of, bar_of
from toolkit.report.board import Board, Cell, Line, arrow, footnotes, summary
from toolkit.report.inputs import ReportInputs, SuiteResult
from toolkit.report.rows import evidence_json
from toolkit.report.tables import view_table
from toolkit.report.text import count, number, plural, printable, shorten

__all__ = ["html_text"]

_IDS_SHOWN: Final = 100
_TEXT_LIMIT: Final = 2000


def html_text(inputs: ReportInputs, board: Board) -> str:
    """Return the page.

    Style and script stand inside and are allowed by their hash; the content security policy
    forbids everything else, so that no text of a paper or a model can load or run anything even
    if an escape were missing. The tables are plain HTML; the script adds sorting, filters and
    the rows behind each number.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    folder = data_dir("cards")
    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        finalize=_finalize,
    )
    style = (folder / "leaderboard.css").read_text(encoding="utf-8")
    script = (folder / "leaderboard.js").read_text(encoding="utf-8")
    # Safe as markup: the first two are our own files, the last is escaped for a script element.
    trusted = {
        "style": Markup(style),  # noqa: S704
        "script": Markup(script),  # noqa: S704
        "data": Markup(evidence_json(board, inputs.evidence)),  # noqa: S704
    }
    return environment.get_template("leaderboard.html.j2").render(
        trusted
        | {"style_hash": _hash(style), "script_hash": _hash(script)}
        | _board_view(inputs, board)
        | _section_views(inputs)
    )


def _finalize(value: Any) -> Any:
    # Markup is a str too, and ours.
    return shorten(printable(value), _TEXT_LIMIT) if type(value) is str else value


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def _board_view(inputs: ReportInputs, board: Board) -> dict[str, Any]:
    axes = [axis_of(board, index) for index in range(len(board.scores))]
    known = {(part.model, part.prompt) for part in inputs.evidence}
    notes = footnotes(board)
    signatures = {
        (row["model"], row["prompt"], row["score"]): row.get("signature") or ""
        for row in inputs.leaderboard
    }
    lines = []
    for index, line in enumerate(board.lines):
        cells = [
            None
            if cell is None
            else _cell_view(cell, score, notes)
            | {
                "bar": None if line.kind == "reference" else bar_of(cell, score, axis),
                "link": (line.model, line.prompt) in known,
                "signature": signatures[line.model, line.prompt, score.name],
            }
            for cell, score, axis in zip(line.cells, board.scores, axes, strict=True)
        ]
        lines.append(_line_view(line) | {"index": index, "cells": cells})
    return {
        "name": inputs.name,
        "title": inputs.title,
        "summary": summary(inputs, board),
        "notes": inputs.notes,
        "columns": [
            _column_view(score, axis) | {"sorted": index == board.sorted_by}
            for index, (score, axis) in enumerate(zip(board.scores, axes, strict=True))
        ],
        "axes": any(axes),
        "targets": any(score.direction == "target" for score in board.scores),
        "lines": lines,
        "linked": bool(known),
        "footnotes": [(note, reason) for reason, note in notes.items()],
    }


def _column_view(score: ScoreDefinition, axis: tuple[float, float] | None) -> dict[str, Any]:
    sign = arrow(score)
    low = "−∞" if score.low is None else f"{score.low:g}"
    high = "∞" if score.high is None else f"{score.high:g}"
    return {
        "name": score.name,
        "title": score.title,
        "label": f"{score.title} {sign}".strip(),
        "arrow": sign,
        "axis": None if axis is None else [number(end, score.digits) for end in axis],
        "range": f"{low} to {high}",
        "better": _better(score),
        "words": "size" if score.direction == "none" else "best",
        "aria": {"lower": "ascending", "target": "other"}.get(score.direction, "descending"),
    }


def _better(score: ScoreDefinition) -> str:
    if score.direction == "target" and score.target is not None:
        how = ", as a ratio" if score.target > 0 else ""
        return f"the nearer to {score.target:g}{how}"
    return {"higher": "higher", "lower": "lower"}.get(score.direction, "neither")


def _line_view(line: Line) -> dict[str, Any]:
    answers = [
        (f"{count(value)} {status}", status in ("invalid", "refused", "error", "truncated"))
        for status, value in line.statuses.items()
        if value
    ]
    usable = line.statuses.get("ok", 0) + line.statuses.get("repaired", 0)
    return {
        "model": line.model,
        "title": line.title,
        "prompt": line.prompt,
        "kind": line.kind,
        "style": line.kind if line.kind in ("model", "baseline", "reference") else "model",
        "answers": answers,
        "answers_key": -usable if line.statuses else "",
    }


def _cell_view(cell: Cell, score: ScoreDefinition, notes: Mapping[str, str]) -> dict[str, Any]:
    distance = None
    if cell.value is not None:
        distance = distance_from_best(cell.value, score)
        distance = -cell.value if distance is None else distance
    return {
        "mean": cell.mean,
        "interval": cell.interval,
        "rank": cell.rank,
        "n": count(cell.n),
        "missing": count(cell.missing) if cell.missing else "",
        "reason": cell.reason,
        "note": notes.get(cell.reason, ""),
        # JavaScript reads Infinity, not inf.
        "key": "" if distance is None else repr(distance).replace("inf", "Infinity"),
    }


def _section_views(inputs: ReportInputs) -> dict[str, Any]:
    first = inputs.funnel[0].remaining if inputs.funnel else 0
    files = sorted({name for step in inputs.funnel for name in step.by_file})
    return {
        "funnel": [
            {
                "rule": step.rule,
                "removed": count(step.removed),
                "remaining": count(step.remaining),
                "width": f"{100 * step.remaining / first:.2f}" if first else "0",
                "share": f"{100 * step.remaining / first:.1f} %" if first else "",
            }
            for step in inputs.funnel
        ],
        "funnel_files": [
            (name, [count(step.by_file.get(name, 0)) for step in inputs.funnel]) for name in files
        ],
        "splits": [(name, count(size)) for name, size in inputs.splits.items()],
        "suites": [_suite_view(suite) for suite in inputs.validation],
        "tables": [view_table(table) for table in inputs.tables],
        "methods": list(inputs.methods.items()),
        "limits": inputs.limits,
    }


def _suite_view(suite: SuiteResult) -> dict[str, Any]:
    passed = sum(result.status == "passed" for result in suite.expectations)
    return {
        "name": suite.suite,
        "broken": passed < len(suite.expectations),
        "verdict": f"{passed} of {plural(len(suite.expectations), 'expectation')} met",
        "results": [
            {
                "name": result.name,
                "about": result.about,
                "status": result.status,
                "style": "good" if result.status == "passed" else "bad",
                "severity": result.severity,
                "checked": "" if result.checked is None else count(result.checked),
                "unexpected": "" if result.unexpected is None else count(result.unexpected),
                "observed": result.observed,
                "ids": list(result.failing_ids[:_IDS_SHOWN]),
                "ids_told": _ids_told(result.failing_ids),
            }
            for result in suite.expectations
        ],
    }


def _ids_told(ids: Sequence[str]) -> str:
    if len(ids) > _IDS_SHOWN:
        return f"the first {_IDS_SHOWN} of {plural(len(ids), 'row')}"
    return plural(len(ids), "row")
