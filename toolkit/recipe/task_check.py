"""Check the headline numbers of a public benchmark: what each names must exist and rank."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolkit.errors import Fault, UserError
from toolkit.recipe.faults import Places
from toolkit.recipe.known_names import unknown_name
from toolkit.recipe.publish_section import Task
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.score_names import judge_columns, score_names
from toolkit.recipe.strict_yaml import Path
from toolkit.registry import is_built, member

__all__ = ["task_faults"]

_LONE: Final = "test"
"""The split of a release whose recipe has no splits."""


def task_faults(recipe: Recipe, places: Places) -> Iterator[Fault]:
    """Yield a fault for each headline number that the Hub could not rank or load.

    The Hub has one number a task and puts the highest first, so a score that is better lower,
    or has no better end, is refused.
    """
    tasks = recipe.publish.tasks if recipe.publish is not None else ()
    directions = _directions(recipe) if tasks else {}
    seen: set[str] = set()
    for index, task in enumerate(tasks):
        path: Path = ("publish", "tasks", index)
        if task.id in seen:
            yield places.fault((*path, "id"), f"two tasks are called '{task.id}'", "rename one")
        seen.add(task.id)
        yield from _score(recipe, task, directions, path, places)
        yield from _asked(recipe, task, path, places)


def _score(
    recipe: Recipe, task: Task, directions: dict[str, str], path: Path, places: Places
) -> Iterator[Fault]:
    known = score_names(recipe)
    if task.score not in known:
        yield unknown_name(places, (*path, "score"), "score", task.score, known)
        return
    direction = directions.get(task.score, "higher")
    if direction != "higher":
        what = {"lower": "is better lower", "target": "is best at a target"}.get(
            direction, "has no better end"
        )
        ranked = [name for name in known if directions.get(name) == "higher"]
        yield places.fault(
            (*path, "score"),
            f"'{task.score}' {what}, and the Hub puts the highest number first",
            f"name a score that is better higher: {', '.join(ranked[:8])}" if ranked else "",
        )


def _asked(recipe: Recipe, task: Task, path: Path, places: Places) -> Iterator[Fault]:
    prompts = [name for entry in recipe.generate for name in (*entry.prompts, *entry.strategies)]
    if task.prompt not in prompts:
        yield unknown_name(places, (*path, "prompt"), "prompt of generate", task.prompt, prompts)
        return
    released = list(recipe.splits.names) if recipe.splits and recipe.splits.names else [_LONE]
    answered = {
        entry.split
        for entry in recipe.generate
        if task.prompt in (*entry.prompts, *entry.strategies)
    }
    if task.split is not None:
        if task.split not in released:
            yield unknown_name(places, (*path, "split"), "released split", task.split, released)
    elif not answered <= {*released, *(("all",) if released == [_LONE] else ())}:
        asked = ", ".join(sorted(answered))
        yield places.fault(
            path,
            f"'{task.prompt}' is asked on {asked}, which is no released split",
            f"add split: and one of {', '.join(released)}",
            key=True,
        )


def _directions(recipe: Recipe) -> dict[str, str]:
    """Return which way each score of the recipe is better, as far as its member can say."""
    found: dict[str, str] = {}
    for metric in recipe.metrics:
        if metric.name == "local" or not is_built("metrics", metric.name):
            continue
        try:
            made = member("metrics", metric.name)(metric.params).definitions()
        except UserError:
            # Reported where metrics are checked, with the metric's own message.
            continue
        found |= {metric.named(one.name): one.direction for one in made}
    for judge, columns in judge_columns(recipe).items():
        for name, direction in _judged(recipe, judge, columns).items():
            found.setdefault(name, direction)
    return found


def _judged(recipe: Recipe, judge: str, columns: dict[str, str]) -> dict[str, str]:
    section = recipe.judges[judge]
    if section.type == "panel":
        # What a score means is the same to all members of a panel.
        first = next((name for name in section.params.judges if name in recipe.judges), None)
        return {} if first is None else _judged(recipe, first, columns)
    if not is_built("judges", section.type):
        return {}
    try:
        made = member("judges", section.type)(section.params)
        own = {name: columns.get(name, name) for name in made.score_names()}
        return {one.name: one.direction for one in made.definitions(own)}
    except UserError:
        # Reported where judges are checked, with the judge's own message.
        return {}
