"""Files that people work on: never overwritten, and private where their texts must be."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from toolkit.errors import UserError
from toolkit.store.atomic import replacing

__all__ = ["write_files"]

_OTHERS: Final = 0o077
"""Permissions of anybody but the owner."""


def write_files(folder: Path, files: Mapping[str, str], *, private: bool) -> None:
    """Write files into a folder; those that are there with the same text are not written again.

    Args:
        folder: made where it is not there.
        files: text by name.
        private: only the owner may read them, also those that are there: mode 0600, in a folder
            of mode 0700.

    Raises:
        UserError: a file is there with another text, the folder is none, or others may read it
            although it must be private. Nothing was written then.
    """
    _check(folder, files, private)
    folder.mkdir(mode=0o700 if private else 0o777, parents=True, exist_ok=True)
    for name, text in files.items():
        path = folder / name
        if not path.exists():
            _write(path, text, private)
        elif private and path.stat().st_mode & _OTHERS:
            path.chmod(0o600)


def _check(folder: Path, files: Mapping[str, str], private: bool) -> None:
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file", hint="name a folder with --out")
    if private and folder.is_dir() and folder.stat().st_mode & _OTHERS:
        raise UserError(
            f"{folder} is open to other users of this machine, and the texts are credentialed",
            hint=f"chmod 700 {folder}, or name a folder that is not there yet",
        )
    other = [
        name
        for name, text in files.items()
        if (folder / name).exists() and (folder / name).read_bytes() != text.encode("utf-8")
    ]
    if other:
        raise UserError(
            f"{folder}: {', '.join(other)} there already with other contents",
            hint="a reader may have written there: name another folder with --out",
        )


def _write(path: Path, text: str, private: bool) -> None:
    with replacing(path) as temporary:
        mode = 0o600 if private else 0o666
        # Made with its mode: between a looser one and chmod anybody could open it.
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(text.encode("utf-8"))
