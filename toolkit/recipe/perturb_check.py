"""Check what is edited: a split that exists, levels with names for ids, numbers that edit."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Final

from toolkit.errors import Fault
from toolkit.recipe.faults import Places
from toolkit.recipe.known_names import UNEDITED, selection_names, unknown_name
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.sections import Measurements, Perturb, Removal, Substitution
from toolkit.recipe.strict_yaml import Path

__all__ = ["perturb_faults"]

_LEVEL: Final = re.compile(r"[A-Za-z0-9_.-]+")


def perturb_faults(recipe: Recipe, places: Places) -> Iterator[Fault]:
    """Yield the faults of the section ``perturb``."""
    perturb = recipe.perturb
    if perturb is None:
        return
    known = selection_names(recipe)
    if perturb.split not in known:
        yield unknown_name(places, ("perturb", "split"), "split or view", perturb.split, known)
    if not perturb.levels:
        yield places.fault(("perturb",), "nothing is edited", "add substitution: or removal:")
    yield from _names(perturb, places)
    if perturb.substitution is not None:
        yield from _substitution(perturb.substitution, places)
    if perturb.removal is not None:
        yield from _removal(perturb.removal, places)
    if perturb.measurements is not None:
        yield from _factor(perturb.measurements, places)


def _names(perturb: Perturb, places: Places) -> Iterator[Fault]:
    for name in sorted({name for name in perturb.levels if perturb.levels.count(name) > 1}):
        yield places.fault(
            ("perturb", "removal", "levels", name),
            f"level '{name}' stands under substitution and removal",
            "give each level a name of its own",
            key=True,
        )
    if UNEDITED in perturb.levels:
        yield places.fault(("perturb",), f"no level may be called '{UNEDITED}'")
    for kind in ("substitution", "removal"):
        part: Substitution | Removal | None = getattr(perturb, kind)
        for name in part.levels if part is not None else ():
            if not _LEVEL.fullmatch(name):
                yield places.fault(
                    ("perturb", kind, "levels", name),
                    f"{name!r} cannot be a part of an id, which is ITEM:LEVEL",
                    "name the level with letters, digits, '_', '.' and '-'",
                    key=True,
                )


def _substitution(substitution: Substitution, places: Places) -> Iterator[Fault]:
    for name, numbers in substitution.levels.items():
        path: Path = ("perturb", "substitution", "levels", name)
        for at, (number, what) in enumerate(zip(numbers, ("categories", "terms"), strict=True)):
            if number < 1:
                yield places.fault(
                    (*path, at), f"{number} {what} edit nothing", "write at least 1 of each"
                )


def _removal(removal: Removal, places: Places) -> Iterator[Fault]:
    path: Path = ("perturb", "removal")
    for name, most in removal.levels.items():
        if most < 1:
            yield places.fault(
                (*path, "levels", name), f"{most} points removed edit nothing", "write at least 1"
            )
    if removal.keywords_by is not None and removal.keywords is None:
        yield places.fault(
            (*path, "keywords_by"),
            "keywords_by: goes with keywords:",
            f"add keywords: a table with the columns keyword and {removal.keywords_by}",
        )


def _factor(measurements: Measurements, places: Places) -> Iterator[Fault]:
    low, high = measurements.factor
    if not 0 < low <= high < math.inf:
        yield places.fault(
            ("perturb", "measurements", "factor"),
            f"{low:g} to {high:g} is no range of factors",
            "write two numbers above 0, the lower one first",
        )
