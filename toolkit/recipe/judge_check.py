"""Check what judges need and what they name."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.errors import Fault
from toolkit.recipe.faults import Places
from toolkit.recipe.known_names import (
    all_known,
    asked_names,
    level_names,
    selection_names,
    unknown_name,
)
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.strict_yaml import Path
from toolkit.recipe.template_check import prompt_faults

__all__ = ["judge_faults"]


def judge_faults(recipe: Recipe, places: Places) -> Iterator[Fault]:
    """Yield the faults of the judges: what they need and what they name."""
    for name, judge in recipe.judges.items():
        path: Path = ("judges", name)
        if judge.type in ("llm", "pairwise"):
            yield from _judge_model(recipe, places, name)
        yield from _limits(recipe, places, name)
        if judge.type == "pairwise":
            yield from prompt_faults(recipe, judge.params.prompt, (*path, "prompt"), places)
            known = [*recipe.models, "all"]
            if judge.params.opponents not in known:
                yield unknown_name(
                    places, (*path, "opponents"), "model", judge.params.opponents, known
                )
        elif judge.type == "llm":
            yield from _llm(recipe, places, name)
            yield from _llm_prompts(recipe, places, name)
        elif judge.type == "panel":
            members = judge.params.judges
            yield from all_known(places, (*path, "judges"), "judge", members, recipe.judges)
        elif judge.type == "human":
            yield from _ratings(recipe, places, name)
        elif judge.type == "nli":
            known = [*recipe.judges, "from_claims", "texts"]
            if judge.params.pairs not in known:
                yield unknown_name(places, (*path, "pairs"), "judge", judge.params.pairs, known)


def _judge_model(recipe: Recipe, places: Places, name: str) -> Iterator[Fault]:
    judge = recipe.judges[name]
    path: Path = ("judges", name)
    if judge.params.model is None:
        yield places.fault(path, f"a judge of type {judge.type} needs model:", key=True)
    elif judge.params.model not in recipe.models:
        yield unknown_name(places, (*path, "model"), "model", judge.params.model, recipe.models)


def _llm(recipe: Recipe, places: Places, name: str) -> Iterator[Fault]:
    path: Path = ("judges", name)
    params = recipe.judges[name].params
    if (params.prompt is None) == (not params.stages):
        yield places.fault(path, "a judge of type llm needs prompt: or stages:, not both", key=True)
    if params.task == "score" and not params.scores:
        yield places.fault(path, "a judge that scores needs scores:", key=True)
    levels = level_names(recipe)
    yield from all_known(places, (*path, "levels"), "level", params.levels, levels)


def _ratings(recipe: Recipe, places: Places, name: str) -> Iterator[Fault]:
    params = recipe.judges[name].params
    if (params.file is None) == (params.form is None):
        yield places.fault(("judges", name), "ratings come from a file: or from a form:", key=True)
    forms = list(recipe.human.forms) if recipe.human else []
    if params.form is not None and params.form not in forms:
        yield unknown_name(places, ("judges", name, "form"), "form", params.form, forms)


def _llm_prompts(recipe: Recipe, places: Places, name: str) -> Iterator[Fault]:
    params = recipe.judges[name].params
    if params.prompt is not None:
        yield from prompt_faults(recipe, params.prompt, ("judges", name, "prompt"), places)
    for stage, prompt in params.stages.items():
        yield from prompt_faults(recipe, prompt, ("judges", name, "stages", stage), places)


def _limits(recipe: Recipe, places: Places, name: str) -> Iterator[Fault]:
    """Yield the faults of what limits the answers that are judged."""
    path: Path = ("judges", name)
    params = recipe.judges[name].params
    prompts, models = getattr(params, "prompts", ()), getattr(params, "models", ())
    yield from all_known(places, (*path, "prompts"), "prompt", prompts, asked_names(recipe))
    yield from all_known(places, (*path, "models"), "model", models, recipe.models)
    split, known = getattr(params, "split", None), selection_names(recipe)
    if split is not None and split not in known:
        yield unknown_name(places, (*path, "split"), "split or view", split, known)
