"""Run every check over a folder, and write down what was looked at."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolkit.errors import UserError
from toolkit.gate.base import GATE_FILE, Finding, Policy
from toolkit.gate.checks import CHECKS, SCANS
from toolkit.gate.outgoing import Chunk, Outgoing, parquet_place
from toolkit.gate.texts import table_texts
from toolkit.store.canonical import canonical_json, file_digest, text_digest
from toolkit.store.redact import redact

if TYPE_CHECKING:
    pass

__all__ = ["GATE_FILE", "GateReport", "check_outgoing", "read_gate", "require", "verify"]

_SHOWN: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class GateReport:
    """What the gate looked at and what it found.

    Attributes:
        findings: every reason why the files may not go out; empty when they may.
        files: sha256 (64 hex digits) of each file, by its name in the repository.
        checks: version of each check that was done, by name.
        counts: what is worth knowing of what may go out, e.g. retracted records.
        terms: the terms they were checked under, secrets left out.
    """

    findings: tuple[Finding, ...]
    files: Mapping[str, str]
    checks: Mapping[str, int]
    counts: Mapping[str, int]
    terms: Mapping[str, Any]

    @property
    def passed(self) -> bool:
        """Whether the files may go out."""
        return not self.findings

    @property
    def gated(self) -> dict[str, str]:
        """The sha256 of every file that may go out, :data:`GATE_FILE` among them."""
        return {**self.files, GATE_FILE: text_digest(self.text())}

    def text(self) -> str:
        """Return ``publish_gate.json``: canonical JSON, without time, host or folder."""
        findings = [{"check": f.check, "path": f.path, "message": f.message} for f in self.findings]
        data = {
            "schema": 1,
            "verdict": "passed" if self.passed else "refused",
            "files": dict(self.files),
            "checks": dict(self.checks),
            "counts": dict(self.counts),
            "terms": dict(self.terms),
            "findings": findings,
        }
        return canonical_json(data) + "\n"


def check_outgoing(folder: Path, names: Sequence[str], policy: Policy) -> GateReport:
    """Look at every file that is to go out.

    Args:
        folder: the folder that holds the files.
        names: the files, as relative POSIX names; :data:`GATE_FILE` is not one of them.
        policy: the terms.

    Returns:
        Every finding of every check at once.
    """
    outgoing = Outgoing(folder=folder, names=tuple(sorted(names)))
    before = _digests(outgoing)
    found = [finding for check, _ in CHECKS.values() for finding in check(outgoing, policy)]
    found += _scan(outgoing, policy)
    found += [
        Finding("files", name, "it changed while it was looked at", "publish again")
        for name, checksum in _digests(outgoing).items()
        if before[name] != checksum
    ]
    if len(set(names)) != len(names):
        found.append(Finding("paths", "", "a file stands in the list twice", "name it once"))
    return GateReport(
        findings=tuple(sorted(set(_harmless(finding) for finding in found))),
        files=before,
        checks={name: version for name, (_, version) in sorted({**CHECKS, **SCANS}.items())},
        counts={name: count for name, count in sorted(outgoing.counts.items()) if count},
        terms={
            "access": policy.access,
            "redistribution": policy.redistribution,
            "configs": {name: list(splits) for name, splits in policy.configs.items()},
            "rights": policy.rights is not None,
            "sjr_rights": policy.sjr_rights,
            "hidden": policy.hidden,
        },
    )


def require(report: GateReport) -> None:
    """Let files pass that have no findings.

    Raises:
        UserError: the report has findings; all are listed.
    """
    if report.passed:
        return
    shown = [f"  {finding}" for finding in report.findings[:_SHOWN]]
    if len(report.findings) > _SHOWN:
        shown.append(f"  and {len(report.findings) - _SHOWN} more")
    raise UserError(
        "nothing may leave this machine yet:\n" + "\n".join(shown),
        hint="put each of them right as it says, then do it again",
    )


def read_gate(text: str) -> dict[str, Any]:
    """Return what ``publish_gate.json`` says.

    Raises:
        UserError: it is none, or of a later version of this program.
    """
    try:
        data: Any = json.loads(text)
    except ValueError:
        data = None
    if not isinstance(data, dict) or not isinstance(data.get("files"), dict):
        raise UserError(f"{GATE_FILE} is no report of the gate", hint="publish again")
    if data.get("schema") != 1:
        raise UserError(
            f"{GATE_FILE} has the schema {data.get('schema')!r}; this program knows 1",
            hint="upgrade leaderboard-toolkit",
        )
    return data


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
    gate = read_gate(gate_json)
    if gate.get("verdict") != "passed":
        raise UserError("the gate has not let these files pass", hint="publish again to see why")
    gated: Mapping[str, Any] = gate["files"]
    faults = [f"{name}: not looked at by the gate" for name in sorted(set(names) - set(gated))]
    faults += [f"{name}: looked at, and gone" for name in sorted(set(gated) - set(names))]
    for name in sorted(set(names) & set(gated)):
        path = folder / name
        if path.is_symlink() or not path.is_file():
            faults.append(f"{name}: no plain file")
        elif file_digest(path) != gated[name]:
            faults.append(f"{name}: changed after the gate looked at it")
    if faults:
        raise UserError(
            f"{GATE_FILE} is not about these files:\n" + "\n".join(f"  {f}" for f in faults),
            hint="publish again: the gate looks at what is there then",
        )


def _digests(outgoing: Outgoing) -> dict[str, str]:
    return {
        name: file_digest(outgoing.path(name))
        for name in outgoing.names
        if outgoing.path(name).is_file() and not outgoing.path(name).is_symlink()
    }


def _scan(outgoing: Outgoing, policy: Policy) -> Iterator[Finding]:
    import pyarrow as pa

    scans = [scan(outgoing, policy) for scan, _ in SCANS.values()]
    for name in outgoing.parquet:
        try:
            for chunk in _chunks(outgoing, name):
                for scan in scans:
                    scan.look(chunk)
        except (pa.ArrowException, OSError) as error:
            message = f"it cannot be read to its end: {error}"
            yield Finding("schemas", name, message, "make the release again")
    for scan in scans:
        yield from scan.findings()


def _chunks(outgoing: Outgoing, name: str) -> Iterator[Chunk]:
    import pyarrow.parquet as pq

    config, split = parquet_place(name)
    start = 0
    with pq.ParquetFile(outgoing.path(name)) as file:
        for group in range(file.num_row_groups):
            table = file.read_row_group(group)
            yield Chunk(
                name=name,
                config=config,
                split=split,
                start=start,
                table=table,
                texts=table_texts(table),
            )
            start += table.num_rows


def _harmless(finding: Finding) -> Finding:
    """Return a finding whose words hold no secret, however it came by them."""
    return Finding(finding.check, redact(finding.path), redact(finding.message), finding.hint)
