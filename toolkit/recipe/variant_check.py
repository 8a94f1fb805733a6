"""Check that judges are shown edits only where models are asked about edited texts."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Final

from toolkit.errors import Fault
from toolkit.recipe.faults import Places
from toolkit.recipe.known_names import UNEDITED
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.sections import Prompt
from toolkit.recipe.slots import parse_slot
from toolkit.recipe.strict_yaml import Path

__all__ = ["variant_slot_faults"]

_OF_VARIANTS: Final = ("edits", "original_output", "variant")


def variant_slot_faults(recipe: Recipe, places: Places, name: str) -> Iterator[Fault]:
    """Yield the faults of what a judge of type llm is shown of edits, and of its levels.

    Args:
        recipe: the recipe.
        places: where its parts stand.
        name: of the judge.
    """
    params = recipe.judges[name].params
    path: Path = ("judges", name)
    # Of every entry: an answer to a variant is compared with one of the same entry.
    entries: list[set[str]] = [set(entry.over) for entry in recipe.generate]
    asked: set[str] = set.intersection(*entries) if entries else set()
    for where, prompt in _prompts(params, path):
        for slot, value in prompt.slots.items():
            yield from _slot_faults(places, (*where, "slots", slot), value, asked)
    # Without perturb: no level is known, which is a fault of its own.
    if params.levels and "variants" not in asked and recipe.perturb is not None:
        yield places.fault(
            (*path, "levels"), "no variants are asked about", "write generate.over: variants"
        )
    elif UNEDITED in params.levels and "items" not in asked:
        yield places.fault(
            (*path, "levels"),
            f"'{UNEDITED}' is judged, but only variants are asked about",
            "write generate.over: [items, variants]",
        )
    if params.reveal_edits and "variants" not in asked:
        yield places.fault(
            (*path, "reveal_edits"), "there are no edits to reveal", "remove reveal_edits:"
        )


def _slot_faults(places: Places, where: Path, value: object, asked: Set[str]) -> Iterator[Fault]:
    if not isinstance(value, str):
        return
    try:
        slot = parse_slot(value)
    except ValueError:
        # Reported where slots are checked.
        return
    if slot.kind != "judged" or slot.name not in _OF_VARIANTS:
        return
    if "variants" not in asked:
        yield places.fault(where, f"'{value}' needs edited texts", "write generate.over: variants")
    elif slot.name == "original_output" and "items" not in asked:
        yield places.fault(
            where,
            f"'{value}' needs answers to the unedited texts",
            "write generate.over: [items, variants]",
        )


def _prompts(params: object, path: Path) -> Iterator[tuple[Path, Prompt]]:
    prompt: Prompt | None = getattr(params, "prompt", None)
    if prompt is not None:
        yield (*path, "prompt"), prompt
    for stage, staged in getattr(params, "stages", {}).items():
        yield (*path, "stages", stage), staged
