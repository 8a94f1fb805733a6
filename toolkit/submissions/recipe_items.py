"""The items of a split, as a recipe made them in the workspace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from toolkit.errors import UserError, suggest
from toolkit.plan.graph import selection
from toolkit.plan.make import make_plan
from toolkit.recipe.known_names import selection_names
from toolkit.recipe.recipe import Recipe
from toolkit.stages.release import LONE_SPLIT
from toolkit.store.artifact import Artifact, open_artifact
from toolkit.store.workspace import Workspace
from toolkit.submissions.benchmark import Benchmark

__all__ = ["asked_split", "check_asks_items", "recipe_benchmark", "split_items"]


def recipe_benchmark(recipe: Recipe, split: str, workspace: Workspace) -> Benchmark:
    """Return a split of a recipe that was run.

    Raises:
        UserError: the recipe has no version or no such split, asks about edited items, or its
            items were not made yet.
    """
    check_asks_items(recipe)
    if not recipe.version:
        raise UserError(
            f"{recipe.file}: the recipe has no version, so nothing can be submitted to it",
            hint='add version: "1.0"',
        )
    rows = split_items(recipe, split, workspace, ["item_id"])
    ids = tuple(row["item_id"] for row in rows)
    return Benchmark(name=recipe.name, version=recipe.version, split=split, item_ids=ids)


def check_asks_items(recipe: Recipe) -> None:
    """Refuse a recipe whose models answer anything but the items of a split.

    Raises:
        UserError: an entry of ``generate`` is over variants: submitters have no edited texts, so
            their scores would be about other texts than those of the leaderboard.
    """
    if any(entry.over != ("items",) for entry in recipe.generate):
        raise UserError(
            f"{recipe.file}: its models answer edited texts (generate.over: variants), which "
            "nobody outside has: a submission would be scored on other texts than they",
            hint="take submissions to a recipe whose generate.over is items",
        )


def split_items(
    recipe: Recipe, split: str, workspace: Workspace, columns: Sequence[str]
) -> list[dict[str, Any]]:
    """Return columns of the items of a split; rows that a validation took out are not there.

    Raises:
        UserError: there is no such split, or its items were not made yet.
    """
    where, table = selection(recipe, asked_split(recipe, split))
    artifact = _artifact(recipe, workspace, where)
    have = set(_columns(artifact, table))
    return list(artifact.rows(table, [name for name in columns if name in have]))


def asked_split(recipe: Recipe, split: str) -> str:
    """Return what the recipe calls a released split: without splits, ``test`` is all of it.

    Raises:
        UserError: there is no such split.
    """
    if split == LONE_SPLIT and not (recipe.splits and recipe.splits.names):
        return "all"
    known = selection_names(recipe)
    if split not in known:
        raise UserError(f"{recipe.file}: no split '{split}'", hint=suggest(split, list(known)))
    return split


def _artifact(recipe: Recipe, workspace: Workspace, where: str) -> Artifact:
    found: Artifact | None = None
    # Items depend on nothing further down, and files of models may be elsewhere.
    upper = replace(recipe, generate=(), judges={}, metrics=(), analyses=(), publish=None)
    for step in make_plan(upper, workspace=workspace).steps:
        if step.name not in (where, f"validate/{where}") or step.fingerprint is None:
            continue
        artifact = open_artifact(workspace.artifact(step.stage, step.fingerprint))
        if artifact is None:
            continue
        if step.name == where or where in artifact.manifest.facts.get("replaces", []):
            found = artifact
    if found is None:
        raise UserError(
            f"{recipe.file}: its items were not made yet in {workspace.root}",
            hint=f"toolkit run {recipe.file} --until {where}",
        )
    return found


def _columns(artifact: Artifact, table: str) -> list[str]:
    import pyarrow.parquet as pq

    return [
        name
        for shard in artifact.shards(table)[:1]
        for name in pq.read_schema(artifact.path(shard)).names
    ]
