"""Say in a sentence which parts of a recipe this version cannot run yet."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.errors import UserError
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.slots import parse_slot
from toolkit.registry import is_built

__all__ = ["refuse_unbuilt", "unbuilt_sentences"]


def refuse_unbuilt(recipe: Recipe) -> None:
    """Refuse a recipe that uses what this version cannot run.

    Raises:
        UserError: one sentence for each thing that is not built.
    """
    sentences = list(dict.fromkeys(unbuilt_sentences(recipe)))
    if sentences:
        raise UserError(
            f"this version cannot run '{recipe.name}' yet:\n"
            + "\n".join(f"  {sentence}" for sentence in sentences),
            hint="the recipe is well formed; remove these parts to run the rest",
        )


def unbuilt_sentences(recipe: Recipe) -> Iterator[str]:
    """Yield a sentence for each part of the recipe that is not built."""
    yield from _members(recipe)
    yield from _analyses(recipe)
    yield from _judges(recipe)
    yield from _generate(recipe)
    yield from _prompts(recipe)
    for name, view in (recipe.splits.views if recipe.splits else {}).items():
        if view.ordered_pairs_within is not None:
            yield f"splits.views.{name}: ordered pairs are not built yet."


def _members(recipe: Recipe) -> Iterator[str]:
    for name, model in recipe.models.items():
        if not is_built("models", model.provider):
            yield f"models.{name}: provider '{model.provider}' is not built yet."
    for name, judge in recipe.judges.items():
        if not is_built("judges", judge.type):
            yield f"judges.{name}: judges of type '{judge.type}' are not built yet."
    for metric in recipe.metrics:
        if metric.name != "local" and not is_built("metrics", metric.name):
            yield f"metrics: '{metric.name}' is not built yet."
    for analysis in recipe.analyses:
        if not is_built("analyses", analysis.name):
            yield f"analyses: '{analysis.name}' is not built yet."


def _analyses(recipe: Recipe) -> Iterator[str]:
    for analysis in recipe.analyses:
        if analysis.name == "correlation" and analysis.params.answers:
            yield "analyses.correlation.answers: numbers of answers are not built yet."
        elif analysis.name == "score_by_count" and analysis.params.count != "sentences":
            count = analysis.params.count
            yield f"analyses.score_by_count.count: counts of {count} are not built yet."


_JUDGED = ("edits", "first", "original_output", "output", "reference", "second", "variant")
"""What a judge can be shown so far; claims come with their protocol."""


def _judges(recipe: Recipe) -> Iterator[str]:
    for name, judge in recipe.judges.items():
        params = judge.params
        where = f"judges.{name}"
        if getattr(params, "task", "score") != "score":
            yield f"{where}.task: '{params.task}' is not built yet."
        if judge.type == "nli" and params.pairs != "texts":
            yield f"{where}.pairs: '{params.pairs}' is not built yet; write pairs: texts."
        if judge.type == "human" and params.form is not None:
            yield (
                f"{where}.form: the rating page is not built yet; `toolkit readers export` writes "
                "the form as files, `toolkit readers import` a table of ratings for file:."
            )
        prompts = [getattr(params, "prompt", None), *getattr(params, "stages", {}).values()]
        for prompt in prompts:
            for value in prompt.slots.values() if prompt is not None else ():
                slot = parse_slot(value)
                if slot.kind == "judged" and slot.name not in _JUDGED:
                    yield f"{where}: the slot 'judged:{slot.name}' is not built yet."


def _generate(recipe: Recipe) -> Iterator[str]:
    for entry in recipe.generate:
        for over in entry.over:
            if over == "pairs":
                yield f"generate.over: asking about {over} is not built yet."
        if entry.strategies:
            yield "generate.strategies: chains of prompts are not built yet."
        if entry.vote != "none":
            yield f"generate.vote: '{entry.vote}' over repeats is not built yet."


def _prompts(recipe: Recipe) -> Iterator[str]:
    for name, prompt in recipe.prompts.items():
        for value in prompt.slots.values():
            kind = parse_slot(value).kind
            if kind in ("answer", "run"):
                yield f"prompts.{name}.slots: '{kind}:' slots are not built yet."
