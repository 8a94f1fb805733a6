"""Progress on a terminal: one bar for each step that is running."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from toolkit.store.redact import redact

__all__ = ["LiveProgress"]

_MARKS = {"made": "[green]made", "reused": "[dim]reused", "failed": "[red]failed"}


class LiveProgress:
    """Shows running steps as bars and finished ones as lines above them."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("[dim]{task.fields[note]}"),
            console=self._console,
            transient=True,
        )
        self._tasks: dict[str, Any] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def started(self, step: str, why: str) -> None:
        """Show a bar."""
        with self._lock:
            task = self._progress.add_task(escape(step), total=None, note=escape(redact(why)))
            self._tasks[step] = task

    def advanced(self, step: str, done: int, total: int, note: str) -> None:
        """Move the bar."""
        with self._lock:
            task = self._tasks.get(step)
            if task is not None:
                self._progress.update(task, completed=done, total=total, note=escape(redact(note)))

    def finished(self, step: str, outcome: str) -> None:
        """Replace the bar by a line."""
        with self._lock:
            task = self._tasks.pop(step, None)
            if task is None:
                return
            self._progress.remove_task(task)
            mark = _MARKS.get(outcome, f"[yellow]{outcome}")
            self._progress.console.print(f"{mark:>14}[/] {escape(step)}")

    def said(self, text: str) -> None:
        """Print a line above the bars."""
        self._progress.console.print(escape(redact(text)))
