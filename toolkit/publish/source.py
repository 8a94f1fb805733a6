"""The finished run that is published: its release, its section ``publish``, its version."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolkit.ask.secrets import missing_secrets, take_secrets
from toolkit.diff.finished_run import FinishedRun, open_run
from toolkit.errors import UserError
from toolkit.recipe.params import build
from toolkit.recipe.publish_section import Publish
from toolkit.store.workspace import Workspace

__all__ = ["Source", "open_source"]


@dataclass(frozen=True, slots=True)
class Source:
    """A run that can be published.

    Attributes:
        run: the run.
        publish: the section of its recipe.
        dataset: ``org/name`` of the dataset.
        version: the benchmark's version, as the recipe spells it.
        secrets: values of the variables that the recipe names, as far as they are set: none may
            stand in anything that goes out.
    """

    run: FinishedRun
    publish: Publish
    dataset: str
    version: str
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @property
    def folder(self) -> Path:
        """The run's folder."""
        return self.run.workspace.runs / self.run.name

    @property
    def tag(self) -> str:
        """The tag of the version."""
        return f"v{self.version}"

    @property
    def day(self) -> str:
        """The day on which the run ended: a record of it says the same however often it is made."""
        return str(self.run.data.get("ended") or self.run.data["started"])[:10]

    @property
    def recipe_folder(self) -> Path:
        """The folder of the recipe; its ``.env`` may hold the token."""
        return Path(self.run.data["recipe"]).parent

    def place_data(self, folder: Path) -> list[str]:
        """Put the shards of the release into a folder; each is compared with its checksum.

        Returns:
            Their names, sorted.

        Raises:
            StoreError: the release is not finished, or was damaged.
        """
        release = self.run.artifact("release")
        names = []
        for shard in release.manifest.shards:
            if shard.name.endswith(".parquet"):
                _link(release.path(shard), folder / shard.name)
                names.append(shard.name)
        return sorted(names)


def open_source(workspace: Workspace, name: str) -> Source:
    """Open a run to publish it.

    Args:
        workspace: where runs lie.
        name: name of the run, ``latest``, or the path of its folder.

    Raises:
        StoreError: there is no such run.
        UserError: its recipe does not say what is published where, or as which version.
    """
    run = open_run(workspace, name)
    section: Mapping[str, object] | None = run.recipe.get("publish")
    if not section:
        raise UserError(
            f"the run {run.name} has no release: its recipe has no `publish`",
            hint="name the benchmark's own run if this one is the review of a submission; else add "
            "`publish: {dataset: org/name, license: ..., redistribution: ids_only}` to the recipe "
            "and run it",
        )
    publish = build(Publish, section)
    version = str(run.recipe.get("version") or "")
    missing = [
        text
        for text, there in (("publish.dataset: org/name", publish.dataset), ("version", version))
        if not there
    ]
    if missing:
        raise UserError(
            f"the run {run.name} cannot go to the Hub: its recipe lacks {' and '.join(missing)}",
            hint='write e.g. `version: "1.0"` and `publish: {dataset: org/name, ...}`, and run it '
            "again; what is finished is reused",
        )
    assert publish.dataset is not None
    names = set(_variables(run.recipe)) - {publish.token_env}
    folder = Path(run.data["recipe"]).parent
    present = names - set(missing_secrets(names, folder))
    secrets = tuple(take_secrets(present, folder=folder).values())
    return Source(run, publish, publish.dataset, version, secrets)


def _variables(part: Any) -> Iterator[str]:
    """Yield the environment variables that a recipe names, under keys like ``token_env``."""
    if isinstance(part, Mapping):
        for key, value in part.items():
            if str(key).endswith("_env") and isinstance(value, str):
                yield value
            else:
                yield from _variables(value)
    elif isinstance(part, list):
        for value in part:
            yield from _variables(value)


def _link(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        # No hard links on this file system.
        shutil.copyfile(source, target)
