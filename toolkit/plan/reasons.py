"""Why a step runs, in one sentence, by comparing it with the recipe's last run."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolkit.plan.step import Step
from toolkit.recipe.recipe import Recipe
from toolkit.store.manifest import read_manifest
from toolkit.store.workspace import Workspace

__all__ = ["explain"]


def explain(recipe: Recipe, workspace: Workspace, steps: list[Step]) -> list[Step]:
    """Return the steps with their state and the sentence that says why."""
    before = _last_run(workspace, recipe.name)
    states: dict[str, Step] = {}
    for step in steps:
        state, why = _explain(workspace, step, before.get(step.name), states)
        states[step.name] = dataclasses.replace(step, state=state, why=why)
    return list(states.values())


def _explain(
    workspace: Workspace, step: Step, before: Mapping[str, Any] | None, states: dict[str, Step]
) -> tuple[Any, str]:
    if step.fingerprint is None:
        return ("blocked" if "install" in step.unknown else "runs"), step.unknown
    folder = workspace.artifact(step.stage, step.fingerprint)
    if read_manifest(folder) is not None:
        return "reused", "already made, nothing it depends on has changed"
    pieces = len(list((folder / "pieces").glob("*.json"))) if folder.is_dir() else 0
    if pieces:
        return "resumes", f"begun earlier: {pieces} pieces are finished and stay"
    if before is None:
        return "runs", "not made yet"
    changed = _changes(before.get("params", {}), step.params)
    if changed:
        return "runs", "changed: " + "; ".join(changed[:3])
    moved = [
        name
        for name in step.inputs
        if states[name].state != "reused"
        or before.get("inputs", {}).get(name) != states[name].fingerprint
    ]
    if moved:
        return "runs", f"'{moved[0]}' is made anew" if len(moved) == 1 else (
            f"{len(moved)} of its inputs are made anew, e.g. '{moved[0]}'"
        )
    if before.get("fingerprint") == step.fingerprint:
        return "runs", "its artifact was removed, or the last run did not get there"
    return "runs", "the stage has a new version"


def _changes(before: Any, after: Any, path: str = "") -> list[str]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        found: list[str] = []
        for key in sorted({*before, *after}):
            inner = f"{path}.{key}" if path else str(key)
            if before.get(key) != after.get(key):
                found += _changes(before.get(key), after.get(key), inner)
        return found
    if isinstance(before, list) and isinstance(after, list) and path.endswith("files"):
        names = {tuple(pair) for pair in map(tuple, before)} ^ {
            tuple(pair) for pair in map(tuple, after)
        }
        return [f"source file {name}" for name in sorted({str(pair[0]) for pair in names})]
    return [f"{path} {_short(before)} -> {_short(after)}"] if before != after else []


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= 24 else text[:21] + "..."


def _last_run(workspace: Workspace, name: str) -> dict[str, Any]:
    files = [path for path in workspace.runs.glob(f"{name}-*/run.json") if _is_run_of(path, name)]
    for path in sorted(files, key=lambda path: path.stat().st_mtime_ns, reverse=True):
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        steps = data.get("steps")
        return steps if isinstance(steps, dict) else {}
    return {}


def _is_run_of(path: Path, name: str) -> bool:
    return path.parent.name.rpartition("-")[0] == name
