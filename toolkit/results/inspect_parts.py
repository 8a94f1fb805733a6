"""What lets ``inspect eval hf/org/benchmark`` run a benchmark: fields, solvers and scorers.

Checked against inspect-ai 0.3.285: every task of ``eval.yaml`` must have all three, or none of
them can be run, because all are validated before one is picked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from toolkit.diff.finished_run import FinishedRun, open_run
from toolkit.errors import ToolkitError
from toolkit.prompts.render import Renderer
from toolkit.recipe.load import load_recipe
from toolkit.recipe.publish_section import Task
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.slots import parse_slot
from toolkit.store.canonical import text_digest
from toolkit.store.workspace import Workspace

__all__ = ["COUNTERPARTS", "InspectParts", "inspect_parts"]

COUNTERPARTS: Final[Mapping[str, Mapping[str, Any]]] = {"rouge1": {"name": "f1"}}
"""Scorers of inspect-ai by the score they stand for.

Its ``f1`` is that of the words of both texts, as ROUGE-1's is; it splits words in another way,
does not stem, and rounds to two decimals. A judge has none: the graders of inspect-ai say right,
partly right or wrong, not a number on a rubric's scale.
"""

_MARK: Final = "\ue000"
"""Stands for the item while a prompt is rendered; no template holds it."""


@dataclass(frozen=True, slots=True)
class InspectParts:
    """What tasks get beside id, config and split.

    Attributes:
        parts: by id of the task; empty where one of the tasks cannot have them.
        reasons: why there are none, a sentence for each task that stands in the way.
    """

    parts: Mapping[str, Mapping[str, Any]]
    reasons: tuple[str, ...] = ()


def inspect_parts(run: Path, tasks: Sequence[Task]) -> InspectParts:
    """Return the parts of all tasks.

    Args:
        run: folder of the run that is released.
        tasks: the headline numbers.

    Raises:
        StoreError: the run is damaged or has no release.
    """
    found = open_run(Workspace(run.absolute().parent.parent), str(run.absolute()))
    recipe = _recipe(found)
    if recipe is None:
        return InspectParts({}, ("the recipe or a prompt is no longer what the run was made of",))
    columns = set(found.artifact("release").manifest.facts["columns"])
    parts: dict[str, Mapping[str, Any]] = {}
    reasons = []
    for task in tasks:
        made = _parts(recipe, task, columns)
        if isinstance(made, str):
            reasons.append(f"task '{task.id}': {made}")
        else:
            parts[task.id] = made
    return InspectParts({} if reasons else parts, tuple(reasons))


def _recipe(run: FinishedRun) -> Recipe | None:
    """Return the recipe of a run; None where what is asked is not what was asked then."""
    try:
        recipe = load_recipe(run.data["recipe"], trust_local=True)
    except ToolkitError:
        return None
    same = all(recipe.data.get(key) == run.recipe.get(key) for key in ("corpus", "prompts"))
    return recipe if same and all(_asked(recipe, step) for step in run.steps.values()) else None


def _asked(recipe: Recipe, step: Mapping[str, Any]) -> bool:
    """Return whether a prompt's files are those that a step asked with."""
    asked = step["params"].get("prompt_text") if step["stage"] == "generate" else None
    if not asked:
        return True
    prompt = recipe.prompts[step["params"]["prompt"]]
    files = {role: getattr(prompt, role) for role in ("file", "system", "user")}
    return all(
        path is None or asked.get(role) == text_digest(Path(path).read_text(encoding="utf-8"))
        for role, path in files.items()
    )


def _parts(recipe: Recipe, task: Task, columns: set[str]) -> Mapping[str, Any] | str:
    """Return the parts of a task, or why it has none."""
    scorer = COUNTERPARTS.get(task.score)
    if scorer is None:
        return f"'{task.score}' has no counterpart among the scorers of inspect-ai"
    prompt = recipe.prompts.get(task.prompt)
    if prompt is None:
        return f"'{task.prompt}' is a chain of prompts"
    reference = prompt.reference or recipe.reference
    absent = sorted({recipe.corpus.input, reference} - columns)
    if absent:
        return f"the release holds no {' and no '.join(absent)}"
    slots = [parse_slot(value) for value in prompt.slots.values()]
    fields = {slot.name for slot in slots if slot.kind != "literal"}
    plain = all(slot.kind in ("literal", "field") for slot in slots)
    if not plain or fields != {recipe.corpus.input} or prompt.shots or prompt.parser != "text":
        return f"prompt '{task.prompt}' is filled by more than the item's input, or is parsed"
    return {
        "field_spec": {"input": recipe.corpus.input, "target": reference},
        "solvers": list(_solvers(task.prompt, recipe)),
        "scorers": [dict(scorer)],
    }


def _solvers(name: str, recipe: Recipe) -> list[dict[str, Any]]:
    """Return what asks the question: the prompt with braces doubled but around the input."""
    turns = Renderer(name, recipe.prompts[name]).turns({recipe.corpus.input: _MARK})
    solvers = []
    for role, text in turns:
        template = text.replace("{", "{{").replace("}", "}}").replace(_MARK, "{prompt}")
        solver = "system_message" if role == "system" else "prompt_template"
        solvers.append({"name": solver, "args": {"template": template}})
    return [*solvers, {"name": "generate"}]
