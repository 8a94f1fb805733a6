"""One canonical JSON text for a value, and the digests built on it.

Two values that mean the same have the same text: keys are sorted, no blanks, no NaN.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

__all__ = ["canonical_json", "digest", "file_digest", "text_digest"]

_CHUNK = 1 << 20


def canonical_json(value: Any) -> str:
    """Return the canonical JSON text of ``value``.

    Raises:
        ValueError: a number is NaN or infinite.
        TypeError: the value is not JSON.
    """
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def digest(value: Any) -> str:
    """Return the sha256 (64 hex digits) of the canonical JSON text of ``value``."""
    return text_digest(canonical_json(value))


def text_digest(text: str | Iterable[str]) -> str:
    """Return the sha256 (64 hex digits) of a text, or of texts joined by NUL."""
    joined = text if isinstance(text, str) else "\0".join(text)
    # A lone surrogate can stand in JSON read from a file; it must hash, not crash.
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()


def file_digest(path: Path) -> str:
    """Return the sha256 (64 hex digits) of a file's bytes.

    Raises:
        OSError: the file cannot be read.
    """
    checksum = hashlib.sha256()
    with path.open("rb") as handle:
        while chunk := handle.read(_CHUNK):
            checksum.update(chunk)
    return checksum.hexdigest()
