"""The scores a recipe will give: what analyses may name."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.errors import Fault, UserError
from toolkit.recipe.faults import Places
from toolkit.recipe.known_names import unedited_fault
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.strict_yaml import Path
from toolkit.registry import is_built, member

__all__ = ["judge_columns", "judge_scores", "metric_faults", "metric_scores", "score_names"]


def score_names(recipe: Recipe) -> list[str]:
    """Return the names of all scores of the recipe's metrics and judges."""
    names = metric_scores(recipe)
    for columns in judge_columns(recipe).values():
        names += columns.values()
    return list(dict.fromkeys(names))


def judge_columns(recipe: Recipe) -> dict[str, dict[str, str]]:
    """Return the name under which each judge's scores stand in the scores table.

    The first judge of the recipe that gives a score keeps its plain name; where a metric or an
    earlier judge has that name, it is ``judge.score``.

    Returns:
        By judge: the column by the score's own name.
    """
    taken = set(metric_scores(recipe))
    found: dict[str, dict[str, str]] = {}
    for judge in recipe.judges:
        own = judge_scores(recipe, judge)
        found[judge] = {name: f"{judge}.{name}" if name in taken else name for name in own}
        taken.update(own)
    return found


def judge_scores(recipe: Recipe, name: str) -> list[str]:
    """Return the names of the scores that a judge gives; a panel those of its members."""
    section = recipe.judges[name]
    if section.type == "panel":
        known = [other for other in section.params.judges if other in recipe.judges]
        # Panels of panels and of comparisons are refused where judges are checked.
        plain = [o for o in known if recipe.judges[o].type not in ("panel", "pairwise")]
        given = [judge_scores(recipe, other) for other in plain]
        return [s for s in given[0] if all(s in own for own in given)] if given else []
    if not is_built("judges", section.type):
        return list(getattr(section.params, "scores", {}))
    try:
        return list(member("judges", section.type)(section.params).score_names())
    except UserError:
        # Reported where judges are checked, which keeps the judge's own message.
        return list(getattr(section.params, "scores", {}))


def metric_scores(recipe: Recipe) -> list[str]:
    """Return the names of the scores of the recipe's metrics."""
    names: list[str] = []
    for metric in recipe.metrics:
        if metric.name == "local":
            names.append(str(metric.params).rpartition(":")[2])
        elif not is_built("metrics", metric.name):
            names += [metric.named(name) for name in metric.params.SCORES]
        else:
            try:
                made = member("metrics", metric.name)(metric.params)
            except UserError:
                # Reported by metric_faults, which keeps the metric's own message.
                continue
            names += [metric.named(definition.name) for definition in made.definitions()]
    return list(dict.fromkeys(names))


def metric_faults(recipe: Recipe, places: Places) -> Iterator[Fault]:
    """Yield a fault for each metric that refuses its parameters."""
    for index, metric in enumerate(recipe.metrics):
        if metric.name == "local" or not is_built("metrics", metric.name):
            continue
        path: Path = ("metrics", index, metric.name)
        try:
            made = member("metrics", metric.name)(metric.params)
        except UserError as error:
            yield places.fault(path, error.message, error.hint)
            continue
        if getattr(made, "input_column", "") == "edits":
            yield from unedited_fault(recipe, places, path)
