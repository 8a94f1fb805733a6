"""The step that edits items, and which rows models are asked about then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from toolkit.perturb.base import VERSION
from toolkit.plan.step import Step
from toolkit.recipe.params import canonical_params
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.sections import Generate
from toolkit.store.canonical import file_digest

__all__ = ["BOTH", "PERTURB", "VARIANTS", "asked_table", "perturb_step"]

PERTURB: Final = "perturb"
"""Name of the step."""

VARIANTS: Final = "variants"
"""Its table of edited items."""

BOTH: Final = "items_and_variants"
"""Its table of the items and their variants, each item before its own."""

_Selection = Callable[[Recipe, str], tuple[str, str]]
_Reads = Callable[[str], tuple[tuple[str, ...], tuple[str, ...]]]


def asked_table(recipe: Recipe, entry: Generate, selection: _Selection) -> tuple[str, str]:
    """Return the step and the table that hold what models are asked about.

    Args:
        recipe: the recipe.
        entry: one of its ``generate`` entries.
        selection: gives the step and the table that hold the items of a split.
    """
    if "variants" not in entry.over:
        return selection(recipe, entry.split)
    return PERTURB, BOTH if "items" in entry.over else VARIANTS


def perturb_step(recipe: Recipe, selection: _Selection, reads: _Reads) -> Step:
    """Return the step that edits items.

    Args:
        recipe: a recipe with a section ``perturb``.
        selection: gives the step and the table that hold the items of a split.
        reads: gives (inputs, gates) of a step that reads the items of such a step.
    """
    perturb = recipe.perturb
    assert perturb is not None
    where, table = selection(recipe, perturb.split)
    inputs, gates = reads(where)
    params: dict[str, Any] = {
        "perturb": canonical_params(perturb),
        "dictionary": file_digest(Path(perturb.dictionary)),
        "edits_version": VERSION,
        "table": table,
        "with_items": any({"items", "variants"} <= set(entry.over) for entry in recipe.generate),
        "limit": recipe.limit,
        "seed": recipe.seed,
    }
    keywords = perturb.removal.keywords if perturb.removal else None
    if keywords is not None:
        params["keywords"] = file_digest(Path(keywords))
    return Step(
        name=PERTURB, stage="perturb", inputs=inputs, gates=gates, params=params,
        options={"split": perturb.split},
    )  # fmt: skip
