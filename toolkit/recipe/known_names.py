"""Names that a recipe defines, and faults of those it does not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolkit.errors import Fault, suggest
from toolkit.recipe.faults import Places
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.strict_yaml import Path

__all__ = [
    "UNEDITED",
    "all_known",
    "asked_names",
    "level_names",
    "selection_names",
    "unedited_fault",
    "unknown_name",
]

UNEDITED = "unedited"
"""The level of items that were not edited: the control."""


def selection_names(recipe: Recipe) -> list[str]:
    """Return the names ``generate.split`` may use: splits, views, and ``all``."""
    splits = recipe.splits
    if splits is None:
        return ["all"]
    return list(dict.fromkeys([*splits.names, *splits.views, "all"]))


def level_names(recipe: Recipe) -> list[str]:
    """Return the names of the levels of editing, the unedited one last."""
    return [*(recipe.perturb.levels if recipe.perturb else ()), UNEDITED]


def asked_names(recipe: Recipe) -> list[str]:
    """Return the names under which answers are stored: prompts and strategies."""
    strategies = [name for entry in recipe.generate for name in entry.strategies]
    return [*recipe.prompts, *strategies]


def all_known(
    places: Places, path: Path, what: str, names: Iterable[str], known: Iterable[str]
) -> Iterator[Fault]:
    """Yield a fault for each name of a list that nothing has."""
    allowed = list(known)
    for index, name in enumerate(names):
        if name not in allowed:
            yield unknown_name(places, (*path, index), what, name, allowed)


def unedited_fault(recipe: Recipe, places: Places, path: Path) -> Iterator[Fault]:
    """Yield a fault for what needs edits of a recipe where models see no edited item."""
    if not any("variants" in entry.over for entry in recipe.generate):
        yield places.fault(
            path,
            "no edited items are asked about",
            "add perturb: and write generate.over: variants, or remove it",
            key=True,
        )


def unknown_name(places: Places, path: Path, what: str, name: str, known: Iterable[str]) -> Fault:
    """Return the fault of a name that nothing has."""
    return places.fault(path, f"there is no {what} called '{name}'", suggest(name, list(known)))
