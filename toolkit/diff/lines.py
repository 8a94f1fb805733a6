"""A difference of two runs as lines for a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from toolkit.diff.finished_run import FinishedRun
from toolkit.diff.inputs import Change, StepChange
from toolkit.diff.numbers import NumberChange
from toolkit.report.text import printable, shorten

__all__ = ["change_lines", "number_lines", "step_lines"]

_VALUE: Final = 60


def change_lines(changes: Sequence[Change]) -> Iterator[str]:
    """Yield a line for each changed value."""
    for change in changes:
        yield f"  {change.path}: {_value(change.before)} -> {_value(change.after)}"


def step_lines(changes: Sequence[StepChange]) -> Iterator[str]:
    """Yield a line for each step that explains others, then one for those that only follow."""
    for change in changes:
        if change.kind == "own":
            yield f"  {change.step}"
            values = [f"  {line}" for line in change_lines(change.changes)]
            yield from values or ["    the version of its stage differs"]
        elif change.kind != "inputs":
            where = "first" if change.kind == "removed" else "second"
            yield f"  {change.step}: only in the {where} run"
    followers = [change for change in changes if change.kind == "inputs"]
    if followers:
        names = ", ".join(change.step for change in followers)
        yield f"  {len(followers)} steps differ only by what they read: {shorten(names, 300)}"


def number_lines(
    changes: Sequence[NumberChange], first: FinishedRun, second: FinishedRun
) -> Iterator[str]:
    """Yield what became of the numbers: those that moved in full, the others by count."""
    moved = [change for change in changes if change.moved or change.scorer]
    for change in moved:
        yield _moved(change)
        if change.scorer:
            yield f"    another scorer: {change.scorer[0]} -> {change.scorer[1]}"
    alone = [change for change in changes if change.reason.startswith("only in")]
    for change in alone:
        run = first if change.before is not None or change.n_before else second
        yield f"  {_name(change)}: only in {run.name}"
    apart = [change for change in changes if change.reason.startswith("no item")]
    for change in apart:
        yield (
            f"  {_name(change)}: {_number(change.before)} (n {change.n_before:,}) -> "
            f"{_number(change.after)} (n {change.n_after:,}); {change.reason}"
        )
    same = len(changes) - len(moved) - len(alone) - len(apart)
    if same:
        yield f"  {same} numbers are the same on every item that both runs have"


def _moved(change: NumberChange) -> str:
    text = (
        f"  {_name(change)}: {_number(change.before)} -> {_number(change.after)}; "
        f"on {change.n:,} items of both runs{_clusters(change)}, {change.moved:,} of them changed"
    )
    if change.difference is not None and change.moved:
        text += f": {change.difference:+.4f}"
    if change.low is not None and change.high is not None:
        text += f" [{change.low:+.4f}, {change.high:+.4f}]"
    if change.p is not None and change.p_holm is not None:
        text += f", p {_p(change.p)}, Holm {_p(change.p_holm)}"
    gone = change.n_before - change.n
    new = change.n_after - change.n
    if gone or new:
        text += f" (n {change.n_before:,} -> {change.n_after:,})"
    return text


def _clusters(change: NumberChange) -> str:
    return "" if change.clusters == change.n else f" in {change.clusters:,} clusters"


def _name(change: NumberChange) -> str:
    who = " ".join(part for part in (change.model, change.prompt) if part)
    return printable(f"{change.score}, {who}")


def _number(value: float | None) -> str:
    return "no value" if value is None else f"{value:.4f}"


def _p(value: float) -> str:
    return f"{value:.4f}" if value >= 0.0001 else "< 0.0001"


def _value(value: Any) -> str:
    if value is None:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return printable(shorten(text, _VALUE)).replace("\n", " ")
