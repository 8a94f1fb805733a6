"""What all commands share: the workspace, how much is said, and how a long run is shown."""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from toolkit.store.redact import RedactingFilter, redact

if TYPE_CHECKING:
    from toolkit.stages.progress import Progress

__all__ = ["Console", "PlainProgress", "pass_console", "recipe_options"]

_TOLD: Final = ("toolkit.run", "toolkit.validate")
LINE_SECONDS: Final = 5.0
"""Without a terminal, a step says at most one line in this time."""


@dataclass(frozen=True, slots=True)
class Console:
    """The options that stand before the command."""

    workspace: str | None
    verbose: int
    quiet: bool
    log_json: bool

    def __post_init__(self) -> None:
        level = logging.ERROR if self.quiet else logging.WARNING
        level = {0: level, 1: logging.INFO}.get(self.verbose, logging.DEBUG)
        handler = logging.StreamHandler(sys.stderr)
        handler.addFilter(RedactingFilter())
        handler.setFormatter(
            _JsonLines() if self.log_json else logging.Formatter("%(levelname)s %(message)s")
        )
        handler.setLevel(level)
        if not self.verbose:
            # What fails is said once, at the end; the log of the run holds it in order.
            handler.addFilter(lambda record: not record.name.startswith(_TOLD))
        logger = logging.getLogger("toolkit")
        logger.handlers[:] = [handler]
        logger.setLevel(min(level, logging.INFO))
        logger.propagate = False

    def say(self, text: str = "") -> None:
        """Print a line of the result."""
        click.echo(redact(text))

    def note(self, text: str) -> None:
        """Print a line that is not the result; ``-q`` silences it."""
        if not self.quiet:
            click.echo(redact(text), err=True)

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        """Show a run: a live table on a terminal, plain lines elsewhere."""
        if self.quiet:
            from toolkit.stages.progress import Silent

            yield Silent()
        elif self.log_json or not sys.stderr.isatty():
            yield PlainProgress(self.log_json, verbose=self.verbose > 0)
        else:
            from toolkit.cli.live import LiveProgress

            with LiveProgress() as live:
                yield live


class PlainProgress:
    """Progress as lines of text or JSON, for logs and pipes."""

    def __init__(self, as_json: bool, verbose: bool) -> None:
        self._json = as_json
        self._verbose = verbose
        self._lock = threading.Lock()
        self._said: dict[str, float] = {}
        self._begun: dict[str, float] = {}

    def started(self, step: str, why: str) -> None:
        """Say that a step begins."""
        self._begun[step] = time.monotonic()
        self._line("started", step, why=why)

    def advanced(self, step: str, done: int, total: int, note: str) -> None:
        """Say now and then how far a step is, how fast, and how long it will take."""
        now = time.monotonic()
        begun = self._begun.setdefault(step, now)
        if done in (0, total) or now - self._said.get(step, begun) < LINE_SECONDS:
            return
        self._said[step] = now
        rate = done / max(now - begun, 1e-6)
        left = f"{(total - done) / rate:.0f} s left" if rate else ""
        self._line("advanced", step, done=done, total=total, note=note, left=left)

    def finished(self, step: str, outcome: str) -> None:
        """Say how a step ended."""
        begun = self._begun.pop(step, None)
        if begun is None and not self._verbose:
            return
        shown = "" if begun is None else f"{time.monotonic() - begun:.1f} s"
        self._line(outcome, step, time=shown)

    def said(self, text: str) -> None:
        """Pass on a sentence."""
        self._line("note", text)

    def _line(self, event: str, step: str, **facts: Any) -> None:
        with self._lock:
            if self._json:
                text = json.dumps({"event": event, "step": step, **facts}, ensure_ascii=False)
            else:
                shown = ", ".join(str(value) for value in facts.values() if value != "")
                text = f"{event:>8} {step}" + (f" ({shown})" if shown else "")
            click.echo(redact(text), err=True)


class _JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        data = {
            "time": self.formatTime(record),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            data["traceback"] = self.formatException(record.exc_info)
        return json.dumps(data, ensure_ascii=False)


pass_console = click.make_pass_decorator(Console)


def recipe_options(function: Any) -> Any:
    """Add the options that change a recipe without editing it."""
    for option in (
        click.option(
            "--set",
            "overrides",
            multiple=True,
            metavar="KEY=VALUE",
            help="Replace a value of the recipe, e.g. corpus.files=data.xml.gz.",
        ),
        click.option(
            "--limit", type=click.IntRange(min=1), metavar="N", help="Ask about at most N items."
        ),
        click.option(
            "--trust-local",
            is_flag=True,
            help="Run functions that stand in files beside the recipe.",
        ),
    ):
        function = option(function)
    return function
