"""The maintainer's recipe, with one submission as its only competitor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from toolkit.models.replay import ReplayParams
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.sections import Generate, Judge, Model, Validation
from toolkit.submissions.manifest import Manifest
from toolkit.submissions.predictions import Prediction
from toolkit.submissions.recipe_items import asked_split

__all__ = ["Competitor", "derived_recipe", "replay_rows", "sampled_judges"]

_NAME: Final = "submission"
_RESCORED: Final = ("generations", "judgements", "scores", "leaderboard")


@dataclass(frozen=True, slots=True, kw_only=True)
class Competitor:
    """What stands in the place of all models.

    Attributes:
        manifest: who answered what.
        answers: JSON Lines for provider ``replay``; None where the maintainer's own model answers.
        model: name of that model in the recipe; None where answers are replayed.
        judge_items: items whose answers each judge looks at; judges that are not named look at
            none.
    """

    manifest: Manifest
    answers: Path | None = None
    model: str | None = None
    judge_items: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def derived_recipe(recipe: Recipe, competitor: Competitor) -> Recipe:
    """Return the recipe that scores a submission.

    Corpus, splits, prompts and metrics are the recipe's own, so whatever was made of them is
    used again. Judges stay, because their order names their scores.
    """
    name, model = _model(recipe, competitor)
    judged = {
        judge: competitor.judge_items.get(judge, ())
        for judge, section in recipe.judges.items()
        if section.type != "panel"
    }
    judges = {judge: _open_judge(section) for judge, section in recipe.judges.items()}
    models = {name: model, **_judging_models(recipe, judged)}
    entry = Generate(
        split=asked_split(recipe, competitor.manifest.benchmark.split),
        prompts=tuple(competitor.manifest.prompts),
        models=(name,),
        repeats=_repeats(recipe, competitor),
    )
    kept = tuple(analysis for analysis in recipe.analyses if analysis.name == "means")
    return replace(
        recipe,
        models=models,
        generate=(entry,),
        judges=judges,
        judge_items=judged,
        metrics=tuple(metric for metric in recipe.metrics if not _asks(metric.params)),
        analyses=kept,
        human=None,
        # What a stranger answered is no release of the benchmark's, and makes none.
        publish=None,
        validation=_validation(recipe),
        limit=None,
        secret_names=_secrets(recipe, models.values()),
        data=_data(recipe, name, model, entry, models),
    )


def replay_rows(predictions: Iterable[Prediction]) -> list[dict[str, Any]]:
    """Return answers as provider ``replay`` reads them."""
    return [
        {"item_id": one.item_id, "prompt": one.prompt, "text": one.output} for one in predictions
    ]


def sampled_judges(recipe: Recipe) -> list[str]:
    """Return the judges that a review asks: those that give one answer scores."""
    return [
        name
        for name, section in recipe.judges.items()
        if section.type in ("llm", "nli") and getattr(section.params, "scores", None)
    ]


def _model(recipe: Recipe, competitor: Competitor) -> tuple[str, Model]:
    about = competitor.manifest.model
    if competitor.model is not None:
        return competitor.model, recipe.models[competitor.model]
    name = _NAME
    while name in recipe.models:
        name += "_"
    params = ReplayParams(file=str(competitor.answers))
    return name, Model(
        provider="replay",
        title=about.name,
        hub_id=about.hub_id,
        cutoff=about.cutoff,
        params=params,
    )


def _repeats(recipe: Recipe, competitor: Competitor) -> int:
    if competitor.model is None:
        return 1
    return max(
        (entry.repeats for entry in recipe.generate if competitor.model in entry.models), default=1
    )


def _open_judge(section: Judge) -> Judge:
    """Return a judge that looks at any model; planted instructions are tried in full runs only."""
    changes: dict[str, Any] = {}
    if getattr(section.params, "models", ()):
        changes["models"] = ()
    if getattr(section.params, "canaries", 0):
        changes["canaries"] = 0
    return replace(section, params=replace(section.params, **changes)) if changes else section


def _judging_models(recipe: Recipe, judged: Mapping[str, tuple[str, ...]]) -> dict[str, Model]:
    asked = {
        getattr(recipe.judges[judge].params, "model", None)
        for judge, items in judged.items()
        if items
    }
    return {name: model for name, model in recipe.models.items() if name in asked}


def _asks(params: Any) -> bool:
    # Such a metric rests on a judge's reply to each answer: it is not recomputed for nothing.
    return any(getattr(params, key, None) is not None for key in ("nli", "decomposer"))


def _validation(recipe: Recipe) -> dict[str, Validation]:
    """Return the recipe's checks; answers of a submission are never taken out to pass one."""
    return {
        kind: replace(section, on_failure="stop")
        if kind in _RESCORED and section.on_failure == "quarantine"
        else section
        for kind, section in recipe.validation.items()
    }


def _secrets(recipe: Recipe, models: Iterable[Model]) -> tuple[str, ...]:
    """Return the variables that the derived recipe needs: no key of a model that is not asked."""
    kept = {getattr(model.params, "api_key_env", None) for model in models}
    dropped = {getattr(model.params, "api_key_env", None) for model in recipe.models.values()}
    return tuple(name for name in recipe.secret_names if name in kept or name not in dropped)


def _data(
    recipe: Recipe, name: str, model: Model, entry: Generate, models: Mapping[str, Model]
) -> dict[str, Any]:
    """Return the recipe as data, for the run's folder: what was run, not what was written."""
    data = deepcopy(dict(recipe.data))
    written = data.get("models", {})
    about = {"provider": model.provider, "title": model.title, "hub_id": model.hub_id}
    data["models"] = {
        other: written.get(other) or {key: value for key, value in about.items() if value}
        for other in models
    }
    data["generate"] = {
        "split": entry.split,
        "prompts": list(entry.prompts),
        "models": [name],
        "repeats": entry.repeats,
    }
    data["analyses"] = [one for one in data.get("analyses", []) if _named(one) == "means"]
    for section in ("human", "publish"):
        data.pop(section, None)
    return data


def _named(entry: Any) -> str:
    return entry if isinstance(entry, str) else str(next(iter(entry)))
