"""Say in words that the disk of the workspace is full, read-only or broken."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from toolkit.errors import RunError

__all__ = ["disk_errors"]

_FULL: Final = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
_DENIED: Final = frozenset((errno.EACCES, errno.EPERM, errno.EROFS))


@contextmanager
def disk_errors(workspace: Path) -> Iterator[None]:
    """Turn an error of the disk inside the block into one that says what to do.

    Args:
        workspace: what is named when the error itself names no file.

    Raises:
        RunError: something could not be written or read; what is finished stays.
    """
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            hint = "free space on that disk, then run the same command to go on from there"
        elif error.errno in _DENIED:
            hint = "make the workspace writable for you, or give another one with --workspace"
        elif error.errno == errno.EIO:
            hint = "look after that disk, then run the same command to go on from there"
        else:
            raise
        where = error.filename if isinstance(error.filename, str) else str(workspace)
        raise RunError(f"{where}: {os.strerror(error.errno)}", hint=hint) from error
