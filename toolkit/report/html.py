"""The leaderboard as one HTML page that needs no network and trusts none of its texts."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from toolkit.analyses.ranks import distance_from_best
from toolkit.data import data_dir
from toolkit.metrics.base import ScoreDefinition
from toolkit.report.audit import audit_line
from toolkit.report.bars import audit_bar, axis_of, bar_of
from toolkit.report.board import Board, Cell, Line, arrow, footnotes, summary
from toolkit.report.html_sections import section_views
from toolkit.report.inputs import COSTS_PLACE, ReportInputs
from toolkit.report.rows import evidence_json
from toolkit.report.text import count, number, printable, shorten

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["card_text", "environment", "html_text", "source_hash"]

_TEXT_LIMIT: Final = 2000

_STYLES: Final = ("leaderboard.base.css", "leaderboard.css", "leaderboard.print.css")
_SCRIPTS: Final = (
    "leaderboard.page.js",
    "leaderboard.js",
    "leaderboard.columns.js",
    "leaderboard.rows.js",
)

_WIDE: Final = 8
"""Columns that fit on paper; a wider table is printed in parts."""

_PRINTED: Final = 6
"""Columns of metrics in one part."""

CREDENTIALED: Final = {
    "credentialed": "Credentialed data: do not share this page or the folder beside it.",
    "restricted": "Restricted data: share this page only as the licence of its texts allows.",
}
"""What must stand first where texts may not go everywhere, by access."""


def html_text(inputs: ReportInputs, board: Board) -> str:
    """Return the page.

    Style and script stand inside and are allowed by their hash; figures stand inside as images,
    which can run nothing. The content security policy forbids everything else, so that no text
    of a paper or a model can load or run anything even if an escape were missing. The tables
    are plain HTML; the script adds sorting, filters, the choice of columns and the rows behind
    each number.
    """
    from markupsafe import Markup

    style = card_text(_STYLES)
    script = f'"use strict";\n(() => {{\n{card_text(_SCRIPTS)}}})();\n'
    # Safe as markup: our own files, and JSON that is escaped for a script element.
    trusted = {
        "style": Markup(style),  # noqa: S704
        "script": Markup(script),  # noqa: S704
        "data": Markup(evidence_json(board, inputs.evidence)),  # noqa: S704
        "costs_place": Markup(COSTS_PLACE),  # noqa: S704
    }
    return (
        environment()
        .get_template("leaderboard.html.j2")
        .render(
            trusted
            | {"style_hash": source_hash(style), "script_hash": source_hash(script)}
            | _board_view(inputs, board)
            | section_views(inputs, board)
            | {"warning": CREDENTIALED.get(inputs.access, ""), "browser": inputs.browser}
        )
    )


def environment() -> Environment:
    """Return the templates, in which every text is escaped and made printable."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(data_dir("cards")),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        finalize=_finalize,
    )


def card_text(names: Sequence[str]) -> str:
    """Return files of the cards folder, one after the other."""
    folder = data_dir("cards")
    return "".join((folder / name).read_text(encoding="utf-8") for name in names)


def source_hash(text: str) -> str:
    """Return a text's hash as a content security policy writes it."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def _finalize(value: Any) -> Any:
    # Markup is a str too, and ours.
    return shorten(printable(value), _TEXT_LIMIT) if type(value) is str else value


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
    groups = _group_views(board)
    return {
        "name": inputs.name,
        "title": inputs.title,
        "summary": summary(inputs, board),
        "notes": inputs.notes,
        "columns": _column_views(inputs, board, axes),
        "groups": groups if any(group["title"] for group in groups) else [],
        "printed": _printed_views(groups) if len(board.scores) > _WIDE else [],
        "audited": any(group is not None and group.kind == "judge" for group in board.groups),
        "axes": any(axes),
        "targets": any(score.direction == "target" for score in board.scores),
        "powered": any(cell and cell.powered for line in board.lines for cell in line.cells),
        "lines": lines,
        "linked": bool(known),
        "footnotes": [(note, reason) for reason, note in notes.items()],
    }


def _group_views(board: Board) -> list[dict[str, Any]]:
    return [
        {
            # The heading of a single metric's column says it already.
            "title": group.name if group and (len(columns) > 1 or group.kind == "judge") else "",
            "kind": "" if group is None else group.kind,
            "columns": list(columns),
            "span": len(columns),
        }
        for group, columns in board.spans()
    ]


def _printed_views(groups: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the columns of each table on paper: one a judge, metrics together where they fit."""
    tables: list[dict[str, Any]] = []
    for group in groups:
        last = tables[-1] if tables else None
        judge = group["kind"] == "judge"
        if (
            last is None
            or judge
            or last["judge"]
            or len(last["columns"]) + group["span"] > _PRINTED
        ):
            title = f"judge {group['title']}" if judge else ""
            tables.append({"title": title, "judge": judge, "columns": []})
        tables[-1]["columns"] += group["columns"]
    return tables


def _column_views(
    inputs: ReportInputs, board: Board, axes: Sequence[tuple[float, float] | None]
) -> list[dict[str, Any]]:
    audits = {audit.column: audit for audit in inputs.audits}
    judged = [group is not None and group.kind == "judge" for group in board.groups]
    group_of = {index: at for at, (_, run) in enumerate(board.spans()) for index in run}
    titles = [score.title for score in board.scores]
    views = []
    for index, (score, axis) in enumerate(zip(board.scores, axes, strict=True)):
        group = board.groups[index]
        # Two judges may call their scores alike: on a phone there is no heading above them.
        alone = titles.count(score.title) == 1 or group is None
        audit = audits.get(score.name)
        views.append(
            _column_view(score, axis)
            | {
                "sorted": index == board.sorted_by,
                "group": group_of[index],
                "label": _label(score, "" if alone or group is None else group.name),
                "audit": audit_line(audit) if judged[index] else "",
                "audit_bar": audit_bar(audit) if judged[index] else None,
                "blind": audit is not None and audit.blind,
            }
        )
    return views


def _label(score: ScoreDefinition, group: str) -> str:
    return f"{f'{group}: ' if group else ''}{score.title} {arrow(score)}".strip()


def _column_view(score: ScoreDefinition, axis: tuple[float, float] | None) -> dict[str, Any]:
    low = "−∞" if score.low is None else f"{score.low:g}"
    high = "∞" if score.high is None else f"{score.high:g}"
    return {
        "name": score.name,
        "title": score.title,
        "arrow": arrow(score),
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
        "places": cell.places,
        "n": count(cell.n),
        "missing": count(cell.missing) if cell.missing else "",
        "reason": cell.reason,
        "note": notes.get(cell.reason, ""),
        "powered": _powered(cell, score),
        # JavaScript reads Infinity, not inf.
        "key": "" if distance is None else repr(distance).replace("inf", "Infinity"),
    }


def _powered(cell: Cell, score: ScoreDefinition) -> str:
    powered = cell.powered
    if powered is None or powered.value is None:
        return ""
    text = number(powered.value, score.digits)
    if powered.low is not None and powered.high is not None:
        text += f" [{number(powered.low, score.digits)}, {number(powered.high, score.digits)}]"
    return text if powered.n is None else f"{text}, {count(powered.n)} rated"
