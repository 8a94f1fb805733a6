"""Check what judges need and what they name."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.errors import Fault, UserError
from toolkit.recipe.faults import Places
from toolkit.recipe.known_names import (
    all_known,
    asked_names,
    level_names,
    selection_names,
    unknown_name,
)
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.score_names import judge_scores
from toolkit.recipe.strict_yaml import Path
from toolkit.recipe.template_check import prompt_faults
from toolkit.recipe.variant_check import variant_slot_faults
from toolkit.registry import is_built, member

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
            yield from _panel(recipe, places, name)
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
    yield from variant_slot_faults(recipe, places, name)


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


def _panel(recipe: Recipe, places: Places, name: str) -> Iterator[Fault]:
    """Yield what keeps judges from being one: their kind, or scores that mean different things."""
    path: Path = ("judges", name, "judges")
    members = [m for m in recipe.judges[name].params.judges if m in recipe.judges]
    for index, other in enumerate(members):
        if recipe.judges[other].type in ("panel", "pairwise"):
            kind = recipe.judges[other].type
            yield places.fault(
                (*path, index), f"'{other}' is of type {kind}, which has no place here"
            )
            return
    if not judge_scores(recipe, name):
        yield places.fault(path, "no score is given by all of these judges", key=True)
        return
    for score in judge_scores(recipe, name):
        meanings = {_meaning(recipe, other, score) for other in members} - {None}
        if len(meanings) > 1:
            yield places.fault(
                path,
                f"'{score}' has another range or direction in one of these judges",
                "give it the same range and direction in all of them, or another name",
                key=True,
            )


def _meaning(recipe: Recipe, name: str, score: str) -> tuple[object, ...] | None:
    section = recipe.judges[name]
    if not is_built("judges", section.type):
        return None
    try:
        judge = member("judges", section.type)(section.params)
    except UserError:
        return None
    names = judge.score_names()
    found = judge.definitions({own: own for own in names})[names.index(score)]
    return (found.low, found.high, found.direction)
