"""The boards as the page reads them: one part a version of the benchmark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from toolkit.report.audit import JudgeAudit, audit_line, audit_words
from toolkit.report.text import printable
from toolkit.results.board import Board, Entry, Past, VersionTable
from toolkit.results.record import JudgeUse, Result, ScoreResult
from toolkit.store.canonical import canonical_json

__all__ = ["version_data"]


def version_data(board: Board, table: VersionTable) -> dict[str, Any]:
    """Return a version's groups of competitors, its history and its judges, as JSON values."""
    counted = [past.result for past in table.history if past.state == "counts"]
    return {
        "version": table.version,
        "groups": [_group(board, table, split, mode) for split, mode in table.groups],
        "history": [_past(past) for past in table.history],
        "judges": list(_judges(counted)),
    }


def _group(board: Board, table: VersionTable, split: str, mode: str) -> dict[str, Any]:
    entries = table.of(split, mode)
    scores: dict[str, ScoreResult] = {}
    lines: dict[str, dict[str, Entry]] = {}
    for entry in entries:
        scores.setdefault(entry.number.score, entry.number)
        lines.setdefault(entry.result.record_id, {})[entry.number.score] = entry
    tasks = {task.score: task.id for task in board.tasks if task.prompt == mode}
    audits = _audits([next(iter(cells.values())).result for cells in lines.values()])
    return {
        "split": printable(split),
        "mode": printable(mode),
        "scores": [
            _score(score, tasks.get(name, ""), audits.get(name)) for name, score in scores.items()
        ],
        "lines": [_line(cells, list(scores)) for cells in lines.values()],
    }


def _score(score: ScoreResult, task: str, audit: JudgeAudit | None) -> dict[str, Any]:
    return {
        "name": printable(score.score),
        "title": printable(score.title),
        "metric": printable(score.metric),
        "judged": bool(score.judges),
        "direction": score.direction,
        "target": score.target,
        "digits": score.digits,
        "task": task,
        "audit": audit_line(audit) if score.judges else "",
        "interval": printable(score.interval),
    }


def _line(cells: dict[str, Entry], scores: Sequence[str]) -> dict[str, Any]:
    result = next(iter(cells.values())).result
    model = result.model
    return {
        "record": result.record_id,
        "model": printable(model.name),
        "title": printable(model.title),
        "kind": model.kind,
        "prompt": printable(result.prompt),
        "hub": model.hub_id,
        "access": printable(model.access),
        "group": printable(model.group),
        "scale": printable(model.scale),
        "tier": result.tier,
        "submitter": printable(result.submitter),
        "date": result.date,
        "cells": [_cell(cells.get(name)) for name in scores],
    }


def _cell(entry: Entry | None) -> list[Any] | None:
    if entry is None:
        return None
    number = entry.number
    why = printable(entry.unranked or number.reason)
    places = [entry.rank, entry.rank_low, entry.rank_high]
    return [number.value, number.low, number.high, number.n, number.missing, *places, why]


def _past(past: Past) -> dict[str, Any]:
    result, taken = past.result, past.withdrawal
    return {
        "record": result.record_id,
        "title": printable(result.model.title),
        "prompt": printable(result.prompt),
        "split": printable(result.split),
        "tier": result.tier,
        "submitter": printable(result.submitter),
        "date": result.date,
        "state": past.state,
        "by": past.by,
        "reason": "" if taken is None else printable(taken.reason),
        "taken": "" if taken is None else f"{taken.date}, {printable(taken.by)}",
    }


def _judges(results: Sequence[Result]) -> Iterator[dict[str, Any]]:
    """Yield each configuration of a judge once, in the order of the records' dates."""
    seen: set[str] = set()
    for result in sorted(results, key=lambda one: (one.date, one.record_id), reverse=True):
        for judge in result.judges.values():
            key = canonical_json([judge.name, judge.type, judge.identity, dict(judge.prompts)])
            if key in seen:
                continue
            seen.add(key)
            yield _judge(judge)


def _judge(judge: JudgeUse) -> dict[str, Any]:
    audits = [
        JudgeAudit.from_facts({"judge": judge.name, **facts}) for facts in judge.audit.values()
    ]
    facts = [
        ("Kind", judge.type),
        ("Model", judge.model),
        ("On the Hub", judge.hub_id or ""),
        *((f"Prompt ({role}), sha256", text) for role, text in judge.prompts.items()),
        *(
            (name, value if isinstance(value, str) else canonical_json(value))
            for name, value in judge.sampling.items()
        ),
        ("Configuration, sha256", judge.identity),
    ]
    return {
        "name": printable(judge.name),
        "facts": [[printable(name), printable(value)] for name, value in facts if value],
        "audits": [
            [[printable(name), printable(text)] for name, text in audit_words(audit)]
            for audit in audits
        ],
    }


def _audits(results: Sequence[Result]) -> dict[str, JudgeAudit]:
    """Return the newest audit of each score."""
    found: dict[str, JudgeAudit] = {}
    for result in sorted(results, key=lambda one: (one.date, one.record_id), reverse=True):
        for judge in result.judges.values():
            for column, facts in judge.audit.items():
                found.setdefault(column, JudgeAudit.from_facts(facts))
    return found
