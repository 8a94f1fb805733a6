"""The texts beside the data of a published release, and the terms it goes out under."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from toolkit.errors import StoreError, UserError
from toolkit.gate.base import Policy
from toolkit.recipe.publish_section import Rights
from toolkit.release.compose import ExtraConfig, Head, compose
from toolkit.store.manifest import Manifest, read_manifest
from toolkit.store.workspace import Workspace

__all__ = ["ExtraConfig", "facts_policy", "meta_files", "release_manifest", "run_policy"]

_AGAIN: Final = "run the recipe again; what is finished is reused"


def meta_files(
    run: Path,
    staged: Path,
    *,
    previous: Mapping[str, str],
    extra: ExtraConfig | None,
    board: str,
    previous_data: Path | None = None,
    note: str = "",
) -> dict[str, str]:
    """Return the texts that go beside the data, by name.

    Args:
        run: folder of the run.
        staged: folder in which the data shards, and those of ``extra``, lie.
        previous: texts of the same files at the head of the repository; absent or empty for
            none.
        extra: a further configuration.
        board: the leaderboard in Markdown, already safe; empty for none.
        previous_data: folder with the data shards of the head, ``<config>/<split>-*.parquet``,
            to count what changed; without it the counts of a later version are not known.
        note: what a person wrote about this version.

    Returns:
        ``README.md``, ``croissant.json``, ``releases.json``; ``rebuild.json`` where texts are
        left out; ``withdrawn.json`` where items were taken down.

    Raises:
        UserError: the run has no release or no version, the version exists with other data, a
            later one exists, or a text of ``previous`` is not what it should be.
    """
    facts = release_manifest(run).facts["card"]
    if not facts["version"]:
        raise UserError(
            "the recipe has no version: a release that others cite needs one",
            hint='write version: "1.0" in the recipe and run it again',
        )
    head = Head(texts=previous, data=previous_data)
    return compose(facts, staged, head, extra=extra, board=board, note=note)


def run_policy(
    run: Path, *, extra: ExtraConfig | None = None, secrets: Sequence[str] = ()
) -> Policy:
    """Return the terms for the gate, as the run's recipe and release state them.

    Raises:
        UserError: the run has no release.
    """
    manifest = release_manifest(run)
    return facts_policy(manifest.facts["card"], extra=extra, secrets=secrets)


def facts_policy(
    facts: Mapping[str, Any], *, extra: ExtraConfig | None = None, secrets: Sequence[str] = ()
) -> Policy:
    """Return the terms for the gate from what the release step noted."""
    configs = {facts["config"]: tuple(facts["splits"])}
    if extra is not None:
        configs[extra.name] = tuple(extra.splits)
    return Policy(
        access=facts["access"],
        redistribution=facts["level"],
        pubmed=facts["pubmed"],
        configs=configs,
        rights=Rights(**facts["rights"]) if facts["rights"] else None,
        sjr_rights=facts["sjr_rights"],
        hidden=facts["hidden"] or None,
        input=facts["input"],
        secrets=tuple(secrets),
    )


def release_manifest(run: Path) -> Manifest:
    """Return the manifest of a run's release.

    Raises:
        UserError: the folder is none of a run, or the run has no release.
        StoreError: the release is not finished, or damaged.
    """
    try:
        data: Mapping[str, Any] = json.loads((run / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(
            f"{run} is not the folder of a run", hint="name a run: toolkit status lists them"
        ) from error
    step = data.get("steps", {}).get("release")
    if step is None:
        raise UserError(
            f"the run {run.name} has no release: its recipe has no `publish`",
            hint="add `publish: {license: ..., redistribution: ids_only}` to the recipe and run it",
        )
    # runs/<name> and artifacts/ lie side by side in the workspace.
    workspace = Workspace(run.resolve().parent.parent)
    manifest = read_manifest(workspace.artifact("release", step["fingerprint"] or "-"))
    if manifest is None:
        raise StoreError(f"the release of the run {run.name} is not finished", hint=_AGAIN)
    return manifest
