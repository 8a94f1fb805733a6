"""Prompts as they were sent, rendered again for ``toolkit show``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolkit.recipe.recipe import Recipe

__all__ = ["answer_prompt", "judge_prompt", "load_run_recipe"]

_Turns = Sequence[tuple[str, str]]


def load_run_recipe(folder: Path) -> Recipe | None:
    """Return the recipe of a run; None where it is gone or is no longer what the run was made of.

    The recipe as the user keeps it is read, because its prompts lie beside it; it counts only
    while it resolves to what stands in the run's folder.
    """
    from toolkit.errors import ToolkitError
    from toolkit.recipe.load import load_recipe

    try:
        file = json.loads((folder / "run.json").read_text(encoding="utf-8"))["recipe"]
        return load_recipe(file, trust_local=True)
    except (OSError, ValueError, KeyError, ToolkitError):
        return None


def answer_prompt(
    recipe: Recipe | None, row: Mapping[str, Any], item: Mapping[str, Any]
) -> _Turns | None:
    """Return the turns of the prompt of an answer; None for a baseline or a prompt with examples.

    Worked examples are drawn from other items; they are not drawn again here.
    """
    from toolkit.errors import ToolkitError
    from toolkit.prompts.render import Renderer

    prompt = recipe.prompts.get(row["prompt"]) if recipe is not None else None
    if prompt is None or prompt.shots is not None:
        return None
    try:
        return Renderer(row["prompt"], prompt).turns(item)
    except ToolkitError:
        return None


def judge_prompt(
    recipe: Recipe | None,
    row: Mapping[str, Any],
    item: Mapping[str, Any],
    answer: Mapping[str, Any],
) -> _Turns | None:
    """Return the turns of a judge's first question about an answer; None where there are none."""
    from toolkit.errors import ToolkitError
    from toolkit.judges.base import Target
    from toolkit.registry import member

    section = recipe.judges.get(row["judge"]) if recipe is not None else None
    if recipe is None or section is None or section.type != "llm":
        return None
    prompt = recipe.prompts.get(answer["prompt"])
    column = (prompt.reference if prompt else None) or recipe.reference
    reference = item.get(column)
    try:
        judge = member("judges", section.type)(section.params)
        target = Target(item, answer, reference if isinstance(reference, str) else None)
        first = judge.stage_names()[0]
        request = None if row["stage"] != first else judge.dialogue(target, 0).request()
    except ToolkitError:
        return None
    return None if request is None else [(m.role, m.content) for m in request.messages]
