"""Check what analyses name: judges, prompts, splits, scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolkit.errors import Fault, UserError, suggest
from toolkit.recipe.audit_check import audit_faults
from toolkit.recipe.faults import Places
from toolkit.recipe.known_names import unedited_fault
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.score_names import score_names
from toolkit.recipe.strict_yaml import Path
from toolkit.registry import is_built, member

__all__ = ["analysis_faults"]

_KEYS: Final[Mapping[str, str]] = {
    "answers": "prompt",
    "axes": "score",
    "base": "prompt",
    "baselines": "model",
    "competitors": "model",
    "human": "judge",
    "judge": "judge",
    "judges": "judge",
    "measures": "score",
    "models": "model",
    "nli": "judge",
    "outcomes": "score",
    "pairs": "prompt",
    "prompt": "prompt",
    "prompts": "prompt",
    "raters": "judge",
    "score": "score",
    "scores": "score",
    "split": "split or view",
    "texts": "text",
    "variants": "prompt",
}
"""What the values of a key name, in every analysis that has the key."""

_RANKED_BY_SCORES: Final = ("category_radar", "category_ranking")

_OF_EDITS: Final = ("edit_effect", "edit_misses")

_MEASURES: Final = ("answer", "copeland")
"""What deviates beside scores: a numeric answer, and a ranking's distance from a perfect one."""


def analysis_faults(recipe: Recipe, places: Places, selections: Sequence[str]) -> Iterator[Fault]:
    """Yield a fault for each name in an analysis that nothing in the recipe has.

    Args:
        recipe: the recipe.
        places: where its values stand.
        selections: names of its splits and views.
    """
    yield from audit_faults(recipe, places)
    strategies = [name for entry in recipe.generate for name in entry.strategies]
    known: dict[str, list[str]] = {
        "judge": list(recipe.judges),
        "model": list(recipe.models),
        "prompt": [*recipe.prompts, *strategies],
        "score": score_names(recipe),
        "split or view": list(selections),
    }
    for index, analysis in enumerate(recipe.analyses):
        where: Path = ("analyses", index, analysis.name)
        yield from _refused(places, where, analysis.name, analysis.params)
        for key, what in _KEYS.items():
            value = getattr(analysis.params, key, None)
            if what == "text":
                yield from _texts(places, (*where, key), value or (), recipe)
                continue
            allowed = [*known[what], *(_MEASURES if key == "measures" else ())]
            yield from _unknown(places, (*where, key), what, value, allowed)
        if analysis.name in _OF_EDITS:
            yield from unedited_fault(recipe, places, where)
        if analysis.name in _RANKED_BY_SCORES:
            by = analysis.params.by
            yield from _unknown(places, (*where, "by"), "score", by, known["score"])
        elif analysis.name == "regression":
            asked = [*(recipe.human.profile if recipe.human else ()), "seconds"]
            for key in ("covariates", "log"):
                value = getattr(analysis.params, key)
                yield from _unknown(places, (*where, key), "question", value, asked)


def _refused(places: Places, path: Path, name: str, params: Any) -> Iterator[Fault]:
    """Yield a fault when the analysis refuses its parameters."""
    if not is_built("analyses", name):
        return
    try:
        member("analyses", name)(params)
    except UserError as error:
        yield places.fault(path, error.message, error.hint)


def _unknown(
    places: Places, path: Path, what: str, value: Any, known: list[str]
) -> Iterator[Fault]:
    if isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from _unknown(places, (*path, index), what, item, known)
    elif isinstance(value, str) and value not in known:
        yield places.fault(path, f"there is no {what} called '{value}'", suggest(value, known))


def _texts(places: Places, path: Path, texts: Sequence[str], recipe: Recipe) -> Iterator[Fault]:
    for index, text in enumerate(texts):
        kind, colon, name = text.partition(":")
        if colon and kind == "run" and name not in recipe.prompts:
            known = list(recipe.prompts)
            yield from _unknown(places, (*path, index), "prompt", name, known)
