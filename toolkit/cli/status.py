"""``toolkit status``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from toolkit.cli.console import Console, pass_console

if TYPE_CHECKING:
    from toolkit.store.workspace import Workspace

__all__ = ["command", "read_run", "state_of"]


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
    state = state_of(workspace, folder.name, data)
    console.say(f"{folder.name}: {state}, started {data['started']}")
    for name, step in data["steps"].items():
        outcome = step.get("outcome", "to do")
        error = f": {step['error']}" if step.get("error") and outcome == "failed" else ""
        console.say(f"  {outcome:8} {name}{error}")
    if data.get("calls"):
        calls = ", ".join(f"{name} {count}" for name, count in data["calls"].items())
        console.say(f"calls: {calls}")


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
