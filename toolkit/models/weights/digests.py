"""The sha256 of weights, read once a process as long as the file stays as it is."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from toolkit.errors import SourceError
from toolkit.store.canonical import file_digest

__all__ = ["file_sha256", "file_stamp"]


def file_sha256(path: Path) -> str:
    """Return the sha256 (64 hex digits) of a file.

    Raises:
        SourceError: it cannot be read.
    """
    stamp = file_stamp(path)
    try:
        return _sha256(path, stamp)
    except OSError as error:
        raise _unreadable(path, error) from error


def file_stamp(path: Path) -> tuple[int, int]:
    """Return size and modification time in ns: while they stay, so does the file.

    Raises:
        SourceError: it cannot be found.
    """
    try:
        status = path.stat()
    except OSError as error:
        raise _unreadable(path, error) from error
    return status.st_size, status.st_mtime_ns


@lru_cache(maxsize=64)
def _sha256(path: Path, stamp: tuple[int, int]) -> str:
    return file_digest(path)


def _unreadable(path: Path, error: OSError) -> SourceError:
    return SourceError(
        f"the weights {path} cannot be read: {error.strerror}",
        hint="name an existing file that you may read",
    )
