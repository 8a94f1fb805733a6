"""Run every check over a folder, and write down what was looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from toolkit.gate.base import Finding, Policy

__all__ = ["GATE_FILE", "GateReport", "check_outgoing", "require", "verify"]

GATE_FILE = "publish_gate.json"
"""Name of the gate's own file in a repository; the one file it cannot list itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateReport:
    """What the gate looked at and what it found.

    Attributes:
        findings: every reason why the files may not go out; empty when they may.
        files: sha256 (64 hex digits) of each file, by its name in the repository.
        checks: version of each check that was done, by name.
        counts: what is worth knowing of what may go out, e.g. retracted records.
    """

    findings: tuple[Finding, ...]
    files: Mapping[str, str]
    checks: Mapping[str, int]
    counts: Mapping[str, int]

    @property
    def passed(self) -> bool:
        """Whether the files may go out."""
        return not self.findings

    def text(self) -> str:
        """Return ``publish_gate.json``: canonical JSON, without time, host or folder."""
        raise NotImplementedError


def check_outgoing(folder: Path, names: Sequence[str], policy: Policy) -> GateReport:
    """Look at every file that is to go out.

    Args:
        folder: the folder that holds the files.
        names: the files, as relative POSIX names; :data:`GATE_FILE` is not one of them.
        policy: the terms.

    Returns:
        Every finding of every check at once.
    """
    raise NotImplementedError


def require(report: GateReport) -> None:
    """Let files pass that have no findings.

    Raises:
        UserError: the report has findings; all are listed.
    """
    raise NotImplementedError


def verify(folder: Path, names: Sequence[str], gate_json: str) -> None:
    """Refuse files that are not the ones the gate has looked at.

    Args:
        folder: the folder that holds the files.
        names: the files that are about to go out, :data:`GATE_FILE` left out.
        gate_json: text of :data:`GATE_FILE`.

    Raises:
        UserError: the verdict was no pass, a file has other bytes, a file was not looked at, or
            one that was is gone; all are listed.
    """
    raise NotImplementedError
