"""The versions of a dataset as a table of the card."""

from __future__ import annotations

from collections.abc import Sequence

from toolkit.release.history import Version
from toolkit.release.markdown import code, escape
from toolkit.report.text import count

__all__ = ["history_lines"]


def history_lines(history: Sequence[Version]) -> list[str]:
    """Return the rows of the table, newest version first; all text of others is escaped."""
    return [_line(version, first=version is history[0]) for version in reversed(history)]


def _line(version: Version, *, first: bool) -> str:
    splits = ", ".join(
        f"{code(name)} {count(split.rows)}" for name, split in version.splits.items()
    )
    if first:
        counts = ["–"] * 3
    else:
        known = (version.added, version.removed, version.changed)
        counts = ["not known" if number is None else count(number) for number in known]
    note = escape(version.note) or ("first release" if first else "")
    return f"| {code(version.version)} | {splits} | {' | '.join(counts)} | {note} |"
