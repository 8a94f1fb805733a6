"""Check answers that feed prompts: steps of a strategy, stages of a judge, other prompts' runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from toolkit.errors import Fault, suggest
from toolkit.recipe.faults import Places
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.sections import Prompt
from toolkit.recipe.slots import Slot, parse_slot
from toolkit.recipe.strict_yaml import Path

__all__ = ["chain_faults"]


def chain_faults(recipe: Recipe, places: Places) -> Iterator[Fault]:
    """Yield a fault for each slot whose answer does not exist when its prompt is asked."""
    for entry in recipe.generate:
        for name in entry.prompts:
            if name in recipe.prompts:
                yield from _answers(recipe.prompts, name, (), ("prompts", name), places)
        for steps in entry.strategies.values():
            for position, name in enumerate(steps):
                if name in recipe.prompts:
                    earlier = steps[:position]
                    yield from _answers(recipe.prompts, name, earlier, ("prompts", name), places)
    for name, prompt in recipe.prompts.items():
        yield from _runs(recipe, name, prompt, places)
    yield from _stages(recipe, places)


def _stages(recipe: Recipe, places: Places) -> Iterator[Fault]:
    for name, judge in recipe.judges.items():
        stages: Mapping[str, Prompt] = getattr(judge.params, "stages", {})
        order = list(stages)
        for position, stage in enumerate(order):
            path: Path = ("judges", name, "stages", stage)
            yield from _answers(stages, stage, order[:position], path, places)
        single: Prompt | None = getattr(judge.params, "prompt", None)
        if single is not None:
            path = ("judges", name, "prompt")
            yield from _answers({"prompt": single}, "prompt", (), path, places)


def _answers(
    prompts: Mapping[str, Prompt], name: str, earlier: Sequence[str], path: Path, places: Places
) -> Iterator[Fault]:
    for key, slot in _slots(prompts[name], "answer"):
        here = (*path, "slots", key)
        if slot.name not in earlier:
            what = "step" if path[0] == "prompts" else "stage"
            yield places.fault(
                here,
                f"'{name}' needs an answer to '{slot.name}', which is no earlier {what}",
                suggest(slot.name, list(earlier)) if earlier else "put that step before it",
            )
        elif slot.name in prompts:
            yield from _part(prompts[slot.name], slot, here, places)


def _runs(recipe: Recipe, name: str, prompt: Prompt, places: Places) -> Iterator[Fault]:
    asked = {other for entry in recipe.generate for other in entry.prompts}
    for key, slot in _slots(prompt, "run"):
        here = ("prompts", name, "slots", key)
        if slot.name == name:
            yield places.fault(here, f"'{name}' would need its own answer")
        elif slot.name in recipe.prompts and slot.name not in asked:
            yield places.fault(
                here, f"'{slot.name}' is never asked", "name it in the prompts of a generate entry"
            )
        elif slot.name in recipe.prompts:
            yield from _part(recipe.prompts[slot.name], slot, here, places)


def _slots(prompt: Prompt, kind: str) -> Iterator[tuple[str, Slot]]:
    for key, value in prompt.slots.items():
        try:
            slot = parse_slot(value)
        except ValueError:
            # Reported where slots are checked one by one.
            continue
        if slot.kind == kind:
            yield key, slot


def _part(prompt: Prompt, slot: Slot, path: Path, places: Places) -> Iterator[Fault]:
    if not slot.part:
        return
    known = _parts(prompt)
    if slot.part not in known:
        reason = f"the answer to '{slot.name}' has no part '{slot.part}'"
        yield places.fault(path, reason, suggest(slot.part, known))


def _parts(prompt: Prompt) -> list[str]:
    if not isinstance(prompt.parser, Mapping):
        return []
    name, params = next(iter(prompt.parser.items()), ("", {}))
    if not isinstance(params, Mapping):
        return []
    if name == "json":
        schema = params.get("schema")
        return list(schema.get("properties", {})) if isinstance(schema, Mapping) else []
    return list(params.get("parts", ()))
