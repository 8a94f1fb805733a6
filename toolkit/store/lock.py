"""Locks that name their owner; the operating system frees those of a dead process."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from toolkit.errors import StoreError

__all__ = ["locked"]


@contextmanager
def locked(path: Path, what: str, *, wait_seconds: float = 0.0) -> Iterator[None]:
    """Hold an exclusive lock for the length of the block.

    Args:
        path: the lock file; its folder is made when missing.
        what: what is being locked, for the message, e.g. ``the run quickstart-1a2b3c4d``.
        wait_seconds: how long to wait for another owner before giving up.

    Raises:
        StoreError: another living process holds it; the message names its pid and host.
    """
    from filelock import FileLock, Timeout

    path.parent.mkdir(parents=True, exist_ok=True)
    owner = path.with_suffix(".owner")
    lock = FileLock(path)
    try:
        lock.acquire(timeout=wait_seconds)
    except Timeout as error:
        raise StoreError(
            f"{what} is in use by {_describe(owner)}",
            hint="wait for it to end, or stop it; its lock goes with the process",
        ) from error
    try:
        owner.write_text(
            json.dumps({"pid": os.getpid(), "host": socket.gethostname()}), encoding="utf-8"
        )
        yield
    finally:
        owner.unlink(missing_ok=True)
        lock.release()


def _describe(owner: Path) -> str:
    try:
        data = json.loads(owner.read_text(encoding="utf-8"))
        return f"process {data['pid']} on {data['host']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
