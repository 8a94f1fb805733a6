"""Put what a person looks for into the run's folder: the leaderboard, the report, the release."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from toolkit.execute.costs import run_costs
from toolkit.plan.step import Plan
from toolkit.report.costs import RunCosts, fill_html, fill_md
from toolkit.stages.report_tables import file_prefix
from toolkit.store.artifact import Artifact
from toolkit.store.atomic import replacing
from toolkit.store.canonical import file_digest
from toolkit.store.manifest import Shard

__all__ = ["deliver"]

_FIGURES: Final = (".svg", ".png")

_FILLED: Final[Mapping[str, Callable[[str, RunCosts], str]]] = {
    "leaderboard.html": fill_html,
    "leaderboard.md": fill_md,
}
"""Files that get what the run took, which no artifact may hold."""


def deliver(plan: Plan, done: Mapping[str, Artifact], folder: Path) -> None:
    """Copy the files of the report and the release into a run's folder.

    A file that is there already with the same bytes is left alone; files that the artifact no
    longer has are removed from the release and from the page of items, which are whole folders.
    """
    for artifact, shard, path in _analyses(done):
        _copy(artifact, shard, folder / path)
    report = done.get("report")
    if report is not None:
        _report(report, folder, run_costs(plan, done, folder))
    release = done.get("release")
    if release is not None:
        for shard in release.manifest.shards:
            _copy(release, shard, folder / "release" / shard.name)
        _clear(folder / "release", {shard.name for shard in release.manifest.shards})


def _report(report: Artifact, folder: Path, costs: RunCosts) -> None:
    for shard in report.manifest.shards:
        fill = _FILLED.get(shard.name)
        if fill is None:
            _copy(report, shard, folder / shard.name)
        else:
            text = fill(report.path(shard).read_text(encoding="utf-8"), costs)
            _write(text.encode("utf-8"), folder / shard.name)
    names = {shard.name for shard in report.manifest.shards}
    _clear(folder / "report", {name.removeprefix("report/") for name in names})


def _analyses(done: Mapping[str, Artifact]) -> Iterator[tuple[Artifact, Shard, Path]]:
    """Yield the tables and figures of analyses and audits, with where they go."""
    for name, artifact in done.items():
        prefix = file_prefix(name)
        if prefix is None:
            continue
        facts = artifact.manifest.facts
        # Beside them an audit keeps every judgement, in as many files as it was asked in.
        shown = {about["name"] for about in (*facts["tables"], *facts.get("figures", []))}
        for shard in artifact.manifest.shards:
            if shard.table in shown:
                suffix = Path(shard.name).suffix
                kind = "figures" if suffix in _FIGURES else "tables"
                yield artifact, shard, Path(kind, f"{prefix}-{shard.table}{suffix}")


def _copy(artifact: Artifact, shard: Shard, destination: Path) -> None:
    if destination.is_file() and file_digest(destination) == shard.sha256:
        return
    source = artifact.path(shard)
    with replacing(destination) as temporary:
        shutil.copyfile(source, temporary)


def _write(content: bytes, destination: Path) -> None:
    if destination.is_file() and destination.read_bytes() == content:
        return
    with replacing(destination) as temporary:
        temporary.write_bytes(content)


def _clear(folder: Path, wanted: set[str]) -> None:
    for stray in sorted(folder.rglob("*")):
        if stray.is_file() and stray.relative_to(folder).as_posix() not in wanted:
            stray.unlink()
