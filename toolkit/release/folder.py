"""Take a run's release out of the workspace, into a folder of the user's."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Protocol

from toolkit.errors import StoreError, UserError
from toolkit.release.check import check_folder
from toolkit.store.atomic import fsync_folder
from toolkit.store.canonical import file_digest
from toolkit.store.manifest import Manifest, read_manifest
from toolkit.store.workspace import Workspace

__all__ = ["Run", "publish_release"]

_AGAIN: Final = "run the recipe again; what is finished is reused"


class Run(Protocol):
    """What :func:`toolkit.run_recipe` returns, as far as it is needed here."""

    @property
    def folder(self) -> Path:
        """The run's folder."""


def publish_release(run: Run | str | os.PathLike[str], out: str | os.PathLike[str]) -> list[Path]:
    """Copy a run's release into a folder that can be uploaded as it is.

    The folder appears at once and whole, or not at all. It must be absent, empty, or a
    release, which is then replaced.

    Args:
        run: what :func:`toolkit.run_recipe` returned, or the folder of a run.
        out: the folder to make.

    Returns:
        The files, by name.

    Raises:
        UserError: the run has no release, its release was edited, or ``out`` holds something
            else.
        StoreError: the artifact that the release was delivered from is gone or damaged.
    """
    folder = Path(run) if isinstance(run, str | os.PathLike) else run.folder
    source = folder / "release"
    manifest = _manifest(folder)
    _check_source(source, manifest)
    target = Path(out).resolve()
    _check_target(target, folder.resolve())
    _copy(source, target, {shard.name: shard.sha256 for shard in manifest.shards})
    return [target / name for name in check_folder(target)]


def _manifest(folder: Path) -> Manifest:
    try:
        data: Mapping[str, Any] = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(
            f"{folder} is not the folder of a run", hint="name a run: toolkit status lists them"
        ) from error
    step = data.get("steps", {}).get("release")
    if step is None:
        raise UserError(
            f"the run {folder.name} has no release: its recipe has no `publish`",
            hint="add `publish: {license: ..., redistribution: ids_only}` to the recipe and run it",
        )
    # runs/<name> and artifacts/ lie side by side in the workspace.
    workspace = Workspace(folder.resolve().parent.parent)
    manifest = read_manifest(workspace.artifact("release", step["fingerprint"] or "-"))
    if manifest is None:
        raise StoreError(f"the release of the run {folder.name} is not finished", hint=_AGAIN)
    return manifest


def _check_source(source: Path, manifest: Manifest) -> None:
    wanted = {shard.name: shard.sha256 for shard in manifest.shards}
    found = {
        path.relative_to(source).as_posix(): path
        for path in sorted(source.rglob("*"))
        if path.is_file() or path.is_symlink()
    }
    for name in sorted(wanted.keys() | found.keys()):
        if name not in found:
            raise StoreError(f"{source}: the file {name} is missing", hint=_AGAIN)
        if name not in wanted:
            raise UserError(
                f"{source}: the file {name} is not of the release",
                hint="take it out; add files to the published folder, not to the run's",
            )
        if found[name].is_symlink() or file_digest(found[name]) != wanted[name]:
            raise UserError(
                f"{source}: the file {name} was changed after the run",
                hint=f"edit the published copy instead; {_AGAIN}",
            )


def _check_target(target: Path, run: Path) -> None:
    workspace = run.parent.parent
    if target == workspace or workspace in target.parents or target in workspace.parents:
        raise UserError(
            f"{target} and the workspace {workspace} lie one inside the other",
            hint="name a folder outside the workspace",
        )
    if target.is_file():
        raise UserError(f"{target} is a file", hint="name a folder")
    if not target.is_dir() or not any(target.iterdir()):
        return
    try:
        check_folder(target)
    except UserError as error:
        raise UserError(
            f"{target} is not empty and is no release that could be replaced: {error.message}",
            hint="name another folder, or move what is in it away",
        ) from None


def _copy(source: Path, target: Path, wanted: Mapping[str, str]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.parent / f".{target.name}.{os.getpid()}.new"
    old = target.parent / f".{target.name}.{os.getpid()}.old"
    for left in (fresh, old):
        shutil.rmtree(left, ignore_errors=True)
    try:
        for name, checksum in sorted(wanted.items()):
            _copy_file(source / name, fresh / name, checksum)
        if target.is_dir():
            target.rename(old)
        try:
            fresh.rename(target)
        except OSError:
            if old.is_dir():
                old.rename(target)
            raise
        fsync_folder(target.parent)
    finally:
        for left in (fresh, old):
            shutil.rmtree(left, ignore_errors=True)


def _copy_file(source: Path, target: Path, checksum: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    with target.open("rb") as handle:
        os.fsync(handle.fileno())
    if file_digest(target) != checksum:
        raise StoreError(
            f"{source}: what was written is not what was read", hint="check the disk, and repeat"
        )
