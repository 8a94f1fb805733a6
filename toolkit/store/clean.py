"""Find and remove artifacts that no run refers to; never the ledger."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from toolkit.errors import StoreError
from toolkit.store.lock import locked
from toolkit.store.workspace import Workspace

__all__ = ["Unused", "remove", "unused_artifacts"]


@dataclass(frozen=True, slots=True)
class Unused:
    """An artifact's folder that no run refers to, and its size in bytes."""

    folder: Path
    bytes: int


def unused_artifacts(workspace: Workspace) -> list[Unused]:
    """Return the artifacts that no run of the workspace refers to, sorted by path.

    Raises:
        StoreError: a run's ``run.json`` is damaged, so nobody can tell what it refers to.
    """
    used: set[Path] = set()
    for file in workspace.runs.glob("*/run.json"):
        try:
            steps = json.loads(file.read_text(encoding="utf-8"))["steps"].values()
        except (OSError, ValueError, KeyError) as error:
            raise StoreError(
                f"{file}: cannot be read: {error}",
                hint=f"delete the folder {file.parent} if that run is of no use any more",
            ) from error
        used |= {
            workspace.artifact(step["stage"], step["fingerprint"])
            for step in steps
            if step.get("fingerprint")
        }
    found = sorted(path for path in workspace.artifacts.glob("*/*") if path.is_dir())
    return [Unused(path, _size(path)) for path in found if path not in used]


def remove(workspace: Workspace, unused: list[Unused]) -> int:
    """Delete artifacts.

    Returns:
        Bytes freed. An artifact that another process is making is left alone.
    """
    freed = 0
    for entry in unused:
        stage, name = entry.folder.parent.name, entry.folder.name
        try:
            with locked(workspace.lock(f"{stage}-{name}"), f"the artifact {entry.folder}"):
                # The manifest goes first: a half-deleted artifact must not look complete.
                (entry.folder / "manifest.json").unlink(missing_ok=True)
                shutil.rmtree(entry.folder)
        except StoreError:
            continue
        freed += entry.bytes
    return freed


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
