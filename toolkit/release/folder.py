"""Take a run's release out of the workspace, into a folder of the user's."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Protocol

from toolkit.errors import StoreError, UserError
from toolkit.gate.report import GATE_FILE, verify
from toolkit.release.publish_files import release_manifest
from toolkit.store.atomic import fsync_folder
from toolkit.store.canonical import file_digest
from toolkit.store.manifest import Manifest

__all__ = ["Run", "check_folder", "publish_release"]

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
    manifest = release_manifest(folder)
    _check_source(source, manifest)
    target = Path(out).resolve()
    _check_target(target, folder.resolve())
    _copy(source, target, {shard.name: shard.sha256 for shard in manifest.shards})
    return [target / name for name in check_folder(target)]


def check_folder(folder: Path) -> list[str]:
    """Check that a folder is a release, and holds what the gate let pass and nothing else.

    Returns:
        The relative POSIX names of its files, sorted.

    Raises:
        UserError: it is no release, or a file of it was added, changed or taken away.
    """
    if not folder.is_dir():
        raise UserError(f"{folder} is no folder", hint="name the folder of a release")
    files = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    names = sorted(path.relative_to(folder).as_posix() for path in files)
    gate = folder / GATE_FILE
    if gate.is_symlink() or not gate.is_file():
        raise UserError(
            f"{folder} has no {GATE_FILE}: it is no release of this program",
            hint="make it with toolkit publish RUN --to DIR",
        )
    verify(folder, [name for name in names if name != GATE_FILE], gate.read_text(encoding="utf-8"))
    return names


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
