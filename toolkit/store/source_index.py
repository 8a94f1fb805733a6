"""Remember the checksums of source files, so that a plan need not read gigabytes.

A file is known by its path, size, modification time and inode. ``run`` adds to the index,
``plan`` only reads it and hashes small files on the spot.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from toolkit.errors import SourceError
from toolkit.store.atomic import write_json
from toolkit.store.canonical import file_digest

__all__ = ["SMALL", "SourceIndex"]

SMALL = 64 << 20
"""Files of up to this many bytes are hashed by ``plan`` itself."""


class SourceIndex:
    """sha256 by path, valid while size, time and inode stay the same."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, list[object]] = {}
        self._dirty = False
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            if isinstance(data, dict):
                self._known = data
        except (OSError, ValueError):
            # Losing the index costs one more reading of the files, nothing else.
            self._known = {}

    def lookup(self, path: Path) -> str | None:
        """Return the sha256 of a file if it is known or cheap to compute, else None.

        Raises:
            SourceError: the file does not exist or cannot be read.
        """
        known = self._known.get(str(path))
        if known is not None and known[:-1] == self._stamp(path):
            return str(known[-1])
        if path.stat().st_size <= SMALL:
            return self._digest(path)
        return None

    def hash(self, paths: Iterable[Path]) -> dict[Path, str]:
        """Return the sha256 of each file, reading those that changed, and remember them.

        Raises:
            SourceError: a file does not exist or cannot be read.
        """
        result: dict[Path, str] = {}
        for path in paths:
            stamp = self._stamp(path)
            known = self._known.get(str(path))
            if known is None or known[:-1] != stamp:
                self._known[str(path)] = [*stamp, self._digest(path)]
                self._dirty = True
            result[path] = str(self._known[str(path)][-1])
        return result

    def save(self) -> None:
        """Write the index if anything was added."""
        if self._dirty:
            write_json(self._path, self._known)
            self._dirty = False

    def _stamp(self, path: Path) -> list[object]:
        try:
            status = path.stat()
        except OSError as error:
            raise SourceError(
                f"{path}: {error.strerror or error}", hint="correct the path in the recipe"
            ) from error
        return [status.st_size, status.st_mtime_ns, status.st_ino]

    def _digest(self, path: Path) -> str:
        try:
            return file_digest(path)
        except OSError as error:
            raise SourceError(
                f"{path}: {error.strerror or error}", hint="make the file readable"
            ) from error
