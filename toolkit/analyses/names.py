"""Names of tables and figures made from a user's words."""

from __future__ import annotations

import re

__all__ = ["file_name", "without_miscellaneous"]

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_MISCELLANEOUS = re.compile(r"\s*\(miscellaneous\)\s*$", re.IGNORECASE)


def file_name(*words: str) -> str:
    """Return words joined to a name that is safe for a file; words of other scripts vanish."""
    parts = (_UNSAFE.sub("_", word).strip("_") for word in words)
    return "_".join(part for part in parts if part)[:120] or "table"


def without_miscellaneous(names: list[str]) -> dict[str, str]:
    """Return what to show for each category: without ``(miscellaneous)`` at its end.

    A category that would then be called like another keeps its words.
    """
    stripped = {name: _MISCELLANEOUS.sub("", name) or name for name in names}
    shown = list(stripped.values())
    return {name: text if shown.count(text) == 1 else name for name, text in stripped.items()}
