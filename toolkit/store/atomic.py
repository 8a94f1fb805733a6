"""Write a file so that a crash leaves the old one or the new one, never half of either."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

__all__ = ["fsync_folder", "replacing", "sweep", "write_json", "write_text"]


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary name beside ``path``; move it there when the block ends cleanly.

    The temporary name holds the process id, so that a sweep spares the files of a worker that
    outlived its coordinator.

    Raises:
        OSError: the disk is full or the folder cannot be written; ``path`` is untouched.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.parent / f".{path.name}.{os.getpid()}.tmp"
    try:
        yield temporary
        with temporary.open("rb") as handle:
            os.fsync(handle.fileno())
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    fsync_folder(path.parent)


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text atomically and durably."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(path: Path, value: Any) -> None:
    """Write strict JSON (sorted keys, no NaN, readable) atomically and durably.

    Raises:
        ValueError: a number is NaN or infinite.
    """
    text = json.dumps(value, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False)
    write_text(path, text + "\n")


def fsync_folder(folder: Path) -> None:
    """Make the renames inside ``folder`` durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sweep(folder: Path, *, recursive: bool = True) -> int:
    """Delete temporary files whose process is dead.

    Args:
        folder: where to look.
        recursive: look in folders inside it, too.

    Returns:
        How many were deleted.
    """
    count = 0
    for path in folder.rglob(".*.tmp") if recursive else folder.glob(".*.tmp"):
        pid = path.name.rsplit(".", 2)[-2]
        if pid.isdigit() and int(pid) != os.getpid() and _alive(int(pid)):
            continue
        with suppress(OSError):
            path.unlink()
            count += 1
    return count


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
