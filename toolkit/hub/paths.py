"""Which names may stand in a repository."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from toolkit.errors import UserError

__all__ = ["check_paths"]

_SEGMENT: Final = r"[A-Za-z0-9][A-Za-z0-9._-]*"
_PATH: Final = re.compile(rf"(?:\.eval_results/)?{_SEGMENT}(?:/{_SEGMENT})*")
"""The Hub's own folder of results is the one name with a leading dot."""


def check_paths(folder: Path, names: Sequence[str]) -> None:
    """Refuse names and files that may not be sent.

    Args:
        folder: holds the files.
        names: relative POSIX names.

    Raises:
        UserError: a name holds other characters than A-Z, a-z, 0-9, ``.``, ``_`` and ``-``, a
            file or a folder on the way to it is a symbolic link, or a file is missing; all are
            listed.
    """
    faults = [fault for name in names if (fault := _fault(folder, name)) is not None]
    if faults:
        raise UserError(
            "these files cannot be sent to the Hub:\n" + "\n".join(f"  {f}" for f in faults),
            hint="make the release again, and put nothing of your own into its folder",
        )


def _fault(folder: Path, name: str) -> str | None:
    if not _PATH.fullmatch(name) or ".." in name:
        return f"{name!a}: a name holds A-Z, a-z, 0-9, '.', '_', '-' and '/' only"
    path = folder / name
    parts = [path, *(parent for parent in path.parents if folder in parent.parents)]
    if any(part.is_symlink() for part in parts):
        return f"{name}: a symbolic link"
    if not path.is_file():
        return f"{name}: no such file"
    return None
