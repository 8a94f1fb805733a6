"""What stands below the leaderboard in the page: judges, analyses, corpus, methods, limits."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any, Final

from toolkit.report.audit import audit_words
from toolkit.report.board import Board
from toolkit.report.inputs import ReportFigure, ReportInputs, ReportTable, SuiteResult
from toolkit.report.tables import view_table
from toolkit.report.text import count, plural

__all__ = ["section_views"]

_IDS_SHOWN: Final = 100

_FOLDED: Final = 20
"""Rows from which on a table is folded away."""

_ROWS_SHOWN: Final = 500
"""Rows of a table that stand in the page; its files hold all."""


def section_views(inputs: ReportInputs, board: Board) -> dict[str, Any]:
    """Return what the template says of everything but the leaderboard."""
    entries = _table_views(inputs.tables)
    judges = [entry for entry in entries if entry["section"] == "judges"]
    analyses = [entry for entry in entries if entry["section"] == "analyses"]
    audits = [audit_words(audit) for audit in inputs.audits]
    views: dict[str, Any] = {
        "audit_heads": [head for head, _ in audits[0]] if audits else [],
        "audits": [
            {"blind": audit.blind, "cells": [text for _, text in words]}
            for audit, words in zip(inputs.audits, audits, strict=True)
        ],
        "judge_tables": judges,
        "tables": analyses,
        "splits": [(name, count(size)) for name, size in inputs.splits.items()],
        "suites": [_suite_view(suite) for suite in inputs.validation],
        "text": inputs.text,
        "methods": list(inputs.methods.items()),
        "limits": inputs.limits,
    }
    views |= _funnel_view(inputs)
    return views | {"contents": _contents(views, board)}


def _contents(views: dict[str, Any], board: Board) -> list[dict[str, Any]]:
    """Return the table of contents: (anchor, title) with the analyses below theirs."""
    judged = any(group is not None and group.kind == "judge" for group in board.groups)
    views["judged"] = judged or bool(views["audits"] or views["judge_tables"])
    wanted = [
        ("board-title", "Results", True, ()),
        ("judges-title", "Judges", views["judged"], views["judge_tables"]),
        ("analyses-title", "Analyses", views["tables"], views["tables"]),
        ("funnel-title", "Corpus", views["funnel"], ()),
        ("splits-title", "Splits", views["splits"], ()),
        ("validation-title", "Validation", views["suites"], ()),
        ("scores-title", "Scores", True, ()),
        ("methods-title", "Methods", views["text"] or views["methods"], ()),
        ("limits-title", "Limits", views["limits"], ()),
    ]
    return [
        {
            "anchor": anchor,
            "title": title,
            "below": [(entry["anchor"], entry["view"].title) for entry in below],
        }
        for anchor, title, there, below in wanted
        if there
    ]


def _table_views(tables: Sequence[ReportTable]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    seen: dict[str, int] = {}
    for entry in tables:
        view = view_table(entry.table)
        # An analysis may stand in a recipe twice, with other parameters.
        seen[view.name] = seen.get(view.name, 0) + 1
        number = f"-{seen[view.name]}" if seen[view.name] > 1 else ""
        shown = view.rows[:_ROWS_SHOWN]
        found.append(
            {
                "view": view,
                "anchor": f"table-{view.name}{number}",
                "section": entry.section,
                "rows": [_row_view(view, at) for at in range(len(shown))],
                "told": plural(len(view.rows), "row"),
                "folded": len(view.rows) > _FOLDED,
                "left": count(len(view.rows) - len(shown)) if len(shown) < len(view.rows) else "",
                "files": [(path.rpartition(".")[2].upper(), path) for path in entry.files],
                "figures": [_figure_view(figure) for figure in entry.figures],
            }
        )
    return found


def _row_view(view: Any, at: int) -> list[tuple[str, bool, str]]:
    """Return (text, is a number, style) of each cell of a row."""
    styles = {1: "best", 2: "second"}
    return [
        (text, numeric, styles.get(view.places.get((at, column), 0), ""))
        for column, (text, (_, numeric)) in enumerate(zip(view.rows[at], view.heads, strict=True))
    ]


def _figure_view(figure: ReportFigure) -> dict[str, Any]:
    return {
        "title": figure.title,
        "alt": figure.alt,
        # In parts: the whole would be cut as an overlong text.
        "image": _image(figure.svg) if figure.svg is not None else None,
        "files": [(path.rpartition(".")[2].upper(), path) for path in figure.files],
    }


def _image(svg: bytes) -> Any:
    from markupsafe import Markup

    # Base64 has no character that ends an attribute.
    return Markup(f"data:image/svg+xml;base64,{base64.b64encode(svg).decode('ascii')}")  # noqa: S704


def _funnel_view(inputs: ReportInputs) -> dict[str, Any]:
    first = inputs.funnel[0].remaining if inputs.funnel else 0
    files = sorted({name for step in inputs.funnel for name in step.by_file})
    return {
        "funnel": [
            {
                "rule": step.rule,
                "about": step.about,
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
