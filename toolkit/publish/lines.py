"""What a push would change, or has changed, as lines a person reads."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from toolkit.hub.plan import Change, ChangeSet
from toolkit.hub.pull_request import Proposal
from toolkit.hub.repository import Repository
from toolkit.report.text import printable

if TYPE_CHECKING:
    from toolkit.errors import ToolkitError
    from toolkit.publish.head import Head
    from toolkit.publish.model_results import Entry
    from toolkit.publish.stage import Staged

__all__ = ["card_lines", "change_lines", "proposal_lines", "size"]

_UNITS = ("B", "kB", "MB", "GB", "TB")
_KILO = 1000


def change_lines(repository: Repository, changes: ChangeSet) -> Iterator[str]:
    """Yield every file with A (added), M (modified), D (deleted) or = (the same), and its size."""
    new = changes.base is None
    yield f"{repository}" + (" (would be made)" if new else f", now at {str(changes.base)[:8]}")
    for letter, change in changes.lines():
        yield f"  {letter} {printable(change.path)}  {_sizes(change)}"
    if changes.foreign:
        names = ", ".join(printable(change.path) for change in changes.foreign[:10])
        more = f" and {len(changes.foreign) - 10} more" if len(changes.foreign) > 10 else ""
        yield f"  left alone: {names}{more}"
    sent = sum(change.after or 0 for change in (*changes.add, *changes.update))
    yield (
        f"  {len(changes.add)} added, {len(changes.update)} modified, {len(changes.delete)} "
        f"deleted, {len(changes.same)} the same; {size(sent)} to send"
    )


def card_lines(head: Head, staged: Staged) -> Iterator[str]:
    """Yield the difference between the card on the Hub and the one to be."""
    before = head.texts.get("README.md", "").splitlines()
    now = (staged.folder / "README.md").read_text(encoding="utf-8").splitlines()
    for line in difflib.unified_diff(before, now, "README.md on the Hub", "README.md", lineterm=""):
        yield "  " + printable(line)


def proposal_lines(
    found: Sequence[tuple[Entry, Proposal | ToolkitError]], *, would: bool
) -> Iterator[str]:
    """Yield the state of each model's entry."""
    for entry, state in found:
        what = f"{entry.model}: {entry.name}"
        if not isinstance(state, Proposal):
            yield f"{what}: cannot be proposed: {state.message}"
        elif state.state == "absent" and would:
            yield f"{what}: a pull request would be opened"
        elif state.state == "proposed":
            yield f"{what}: proposed in {state.reference}"
        else:
            yield f"{what}: there already"


def size(count: int) -> str:
    """Return a number of bytes as people write it."""
    value, unit = float(count), 0
    while value >= _KILO and unit < len(_UNITS) - 1:
        value, unit = value / _KILO, unit + 1
    return f"{count} B" if unit == 0 else f"{value:.1f} {_UNITS[unit]}"


def _sizes(change: Change) -> str:
    if change.before is not None and change.after is not None and change.before != change.after:
        return f"{size(change.before)} -> {size(change.after)}"
    return size(change.after if change.after is not None else change.before or 0)
