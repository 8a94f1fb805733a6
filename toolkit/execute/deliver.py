"""Put what a person looks for into the run's folder: the leaderboard, the report, the release."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from toolkit.plan.step import Plan
from toolkit.store.artifact import Artifact
from toolkit.store.atomic import replacing
from toolkit.store.canonical import file_digest

__all__ = ["deliver"]


def deliver(plan: Plan, done: Mapping[str, Artifact], folder: Path) -> None:
    """Copy the files of the report and the release into a run's folder.

    A file that is there already with the same bytes is left alone; files that the artifact no
    longer has are removed from the release, because a release folder is exactly a repository.
    """
    _deliver_tables(done, folder / "tables")
    for name, target in (("report", folder), ("release", folder / "release")):
        artifact = done.get(name)
        if artifact is None:
            continue
        wanted = set()
        for shard in artifact.manifest.shards:
            destination = target / shard.name
            wanted.add(destination)
            if destination.is_file() and file_digest(destination) == shard.sha256:
                continue
            source = artifact.path(shard)
            with replacing(destination) as temporary:
                shutil.copyfile(source, temporary)
        if name == "release":
            for stray in sorted(target.rglob("*")):
                if stray.is_file() and stray not in wanted:
                    stray.unlink()


def _deliver_tables(done: Mapping[str, Artifact], target: Path) -> None:
    """Copy the tables of the analyses, named by the number of the analysis in the recipe."""
    for name, artifact in done.items():
        stage, _, rest = name.partition("/")
        if stage != "analyse":
            continue
        number = rest.partition("-")[0]
        for shard in artifact.manifest.shards:
            suffix = Path(shard.name).suffix
            destination = target / f"{number}-{shard.table}{suffix}"
            if destination.is_file() and file_digest(destination) == shard.sha256:
                continue
            target.mkdir(exist_ok=True)
            with replacing(destination) as temporary:
                shutil.copyfile(artifact.path(shard), temporary)
