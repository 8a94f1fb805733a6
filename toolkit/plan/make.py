"""Make the plan of a recipe; nothing is written and nothing is sent."""

from __future__ import annotations

import os

from toolkit.plan.fingerprints import fingerprint_steps
from toolkit.plan.graph import build_steps
from toolkit.plan.reasons import explain
from toolkit.plan.step import Plan
from toolkit.plan.unbuilt import refuse_unbuilt
from toolkit.recipe.recipe import Recipe
from toolkit.store.workspace import Workspace, find_workspace

__all__ = ["make_plan"]


def make_plan(
    recipe: Recipe, *, workspace: Workspace | str | os.PathLike[str] | None = None
) -> Plan:
    """Make the plan of a recipe.

    Args:
        recipe: a checked recipe.
        workspace: where artifacts lie; see :func:`toolkit.store.workspace.find_workspace`.

    Returns:
        The steps in an order in which they can run, each with the reason why it runs.

    Raises:
        UserError: the recipe uses parts of the language that this version cannot run.
        SourceError: source files are missing.
    """
    refuse_unbuilt(recipe)
    place = workspace if isinstance(workspace, Workspace) else find_workspace(workspace)
    steps = fingerprint_steps(recipe, place, build_steps(recipe))
    return Plan(recipe=recipe, workspace=place, steps=tuple(explain(recipe, place, steps)))
