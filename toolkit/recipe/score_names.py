"""The scores a recipe will give: what analyses may name."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.errors import Fault, UserError
from toolkit.recipe.faults import Places
from toolkit.recipe.recipe import Recipe
from toolkit.registry import is_built, member

__all__ = ["metric_faults", "score_names"]


def score_names(recipe: Recipe) -> list[str]:
    """Return the names of all scores of the recipe's metrics and judges."""
    names: list[str] = []
    for metric in recipe.metrics:
        if metric.name == "local":
            names.append(str(metric.params).rpartition(":")[2])
        elif not is_built("metrics", metric.name):
            names += metric.params.SCORES
        else:
            try:
                made = member("metrics", metric.name)(metric.params)
            except UserError:
                # Reported by metric_faults, which keeps the metric's own message.
                continue
            names += [definition.name for definition in made.definitions()]
    for judge in recipe.judges.values():
        names += getattr(judge.params, "scores", {})
    return list(dict.fromkeys(names))


def metric_faults(recipe: Recipe, places: Places) -> Iterator[Fault]:
    """Yield a fault for each metric that refuses its parameters."""
    for index, metric in enumerate(recipe.metrics):
        if metric.name == "local" or not is_built("metrics", metric.name):
            continue
        try:
            member("metrics", metric.name)(metric.params)
        except UserError as error:
            yield places.fault(("metrics", index, metric.name), error.message, error.hint)
