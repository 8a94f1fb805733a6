"""What a run tells while it works; the command line shows it, a notebook may ignore it."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Progress", "Silent"]


class Progress(Protocol):
    """Hears of a run as it goes. Called from several threads."""

    def started(self, step: str, why: str) -> None:
        """A step begins."""

    def advanced(self, step: str, done: int, total: int, note: str) -> None:
        """A step has finished ``done`` of ``total`` pieces."""

    def finished(self, step: str, outcome: str) -> None:
        """A step is done: ``made``, ``reused``, ``failed`` or ``skipped``."""

    def said(self, text: str) -> None:
        """Something a person should know."""


class Silent:
    """Hears everything and says nothing."""

    def started(self, step: str, why: str) -> None:
        """Ignore it."""

    def advanced(self, step: str, done: int, total: int, note: str) -> None:
        """Ignore it."""

    def finished(self, step: str, outcome: str) -> None:
        """Ignore it."""

    def said(self, text: str) -> None:
        """Ignore it."""
