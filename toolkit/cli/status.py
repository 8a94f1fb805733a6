"""``toolkit status``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from toolkit.cli.console import Console, pass_console
from toolkit.report.text import printable

if TYPE_CHECKING:
    from toolkit.store.workspace import Workspace

__all__ = ["command", "read_run", "run_lines", "state_of"]


@click.command("status")
@click.argument("run", required=False)
@pass_console
def command(console: Console, run: str | None) -> None:
    """List the runs of the workspace, or show how far one is."""
    from toolkit.store.workspace import find_workspace

    workspace = find_workspace(console.workspace)
    if run is None:
        files = sorted(workspace.runs.glob("*/run.json"), key=lambda p: p.stat().st_mtime_ns)
        if not files:
            console.say(f"no run in {workspace.root}")
        for file in files:
            data = read_run(file.parent)
            state = state_of(workspace, file.parent.name, data)
            console.say(f"{file.parent.name:32} {state:24} started {data['started']}")
        return
    folder = workspace.run(run)
    data = read_run(folder)
    for line in run_lines(workspace, folder.name, data):
        console.say(line)


def run_lines(workspace: Workspace, run: str, data: dict[str, Any]) -> Iterator[str]:
    """Yield what there is to say of a run: its steps, its calls, its money, what is left."""
    state = state_of(workspace, run, data)
    yield f"{run}: {state}, started {data['started']}"
    for name, step in data["steps"].items():
        outcome = step.get("outcome", "to do")
        done = "" if step.get("outcome") else _pieces(workspace, step)
        error = f": {step['error']}" if step.get("error") and outcome == "failed" else ""
        yield f"  {outcome:8} {name}{done}{error}"
    yield from _calls(workspace, run, running=state == "running")
    last = data.get("calls")
    if last:
        yield (
            f"last start: {last['made']:,} calls made, "
            f"{last['reused']:,} finished before and not made again"
        )


def _pieces(workspace: Workspace, step: dict[str, Any]) -> str:
    """Return how much of a step that is not made lies on disk."""
    if not step.get("fingerprint"):
        return ""
    folder = workspace.artifact(step["stage"], step["fingerprint"]) / "pieces"
    count = sum(1 for _ in folder.glob("*.json")) if folder.is_dir() else 0
    return f" ({count:,} pieces are finished)" if count else ""


def _calls(workspace: Workspace, run: str, *, running: bool) -> Iterator[str]:
    """Yield lines on the calls of a run over all its resumes, from the ledger."""
    from toolkit.store.ledger_types import PICO
    from toolkit.store.ledger_view import LedgerView

    view = LedgerView(workspace.ledger)
    if not view.exists:
        return
    counts = view.counts(run)
    if not counts.calls:
        return
    made = counts.calls.get("done", 0) + counts.calls.get("failed", 0)
    yield (
        f"calls to servers, over all resumes: {made:,} finished, "
        f"{counts.calls.get('failed', 0):,} of them no answer; "
        f"{counts.calls.get('not_processed', 0):,} turned away, "
        f"{counts.calls.get('unknown', 0):,} of unknown outcome, "
        f"{counts.calls.get('sent', 0):,} in flight or cut off"
    )
    for failure in view.failures(run):
        yield f"  {failure.calls:>8,} {failure.outcome}: {printable(failure.reason)}"
    tokens = view.tokens(run)
    yield (
        f"tokens: {tokens.read:,} read, {tokens.written:,} written, "
        f"{tokens.reasoning:,} of them reasoning"
    )
    bounded = view.bounded(run) / PICO
    spent = f"money: at most ${counts.spent_pico_usd / PICO:.4f}"
    yield f"{spent}, ${bounded:.4f} of it an upper bound" if bounded else spent
    waiting = sum(counts.requests.get(state, 0) for state in ("open", "claimed", "unknown"))
    rate = view.rate(run)
    if running and rate:
        left = f"; about {waiting / rate:.0f} min for the {waiting:,} begun" if waiting else ""
        yield f"rate: {rate:.1f} calls a minute over the last five{left}"
    elif waiting:
        yield f"{waiting:,} requests are begun and not finished: run the recipe again to go on"


def state_of(workspace: Workspace, name: str, data: dict[str, Any]) -> str:
    """Return the state of a run: one that says it is running and holds no lock was killed."""
    from toolkit.errors import StoreError
    from toolkit.store.lock import locked

    state = str(data["state"])
    if state == "running":
        try:
            with locked(workspace.lock(f"run-{name}"), name):
                return "interrupted"
        except StoreError:
            return state
    return f"{state} until {data['until']}" if data.get("until") else state


def read_run(folder: Any) -> dict[str, Any]:
    """Read the ``run.json`` of a run's folder.

    Raises:
        StoreError: it is damaged.
    """
    from toolkit.errors import StoreError

    try:
        data: dict[str, Any] = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise StoreError(
            f"{folder / 'run.json'}: {error}", hint="run the recipe again; results are kept"
        ) from error
    return data
