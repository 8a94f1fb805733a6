"""Load a recipe: every fault at once, nothing started before all of it is known to be good."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolkit.errors import Fault, RecipeError, suggest
from toolkit.recipe import sections
from toolkit.recipe.clusters import with_clusters
from toolkit.recipe.compose import compose
from toolkit.recipe.crosscheck import cross_faults
from toolkit.recipe.faults import Places, schema_faults
from toolkit.recipe.human_section import Human
from toolkit.recipe.language import recipe_schema
from toolkit.recipe.params import build
from toolkit.recipe.paths import resolve_paths
from toolkit.recipe.publish_section import Publish
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.secret_scan import secret_faults
from toolkit.recipe.splits_section import Splits
from toolkit.records import SCHEMA_VERSION
from toolkit.registry import Kind, params_class

__all__ = ["load_recipe"]


def load_recipe(
    file: str | os.PathLike[str],
    *,
    overrides: Sequence[str] = (),
    limit: int | None = None,
    trust_local: bool = False,
) -> Recipe:
    """Load and check a recipe.

    Args:
        file: the YAML file.
        overrides: texts ``key.inner=VALUE`` that replace values of the recipe; their paths are
            relative to the current folder and may lead anywhere.
        limit: ask at most this many items in each ``generate``.
        trust_local: allow metrics that are functions in files of the user's own.

    Returns:
        The recipe, with absolute paths.

    Raises:
        RecipeError: the recipe has faults; all of them are listed with file, line and remedy.
        UserError: the file cannot be read.
    """
    path = Path(file)
    composed = compose(path, overrides)
    data, places = composed.data, composed.places
    written = deepcopy(data)
    _refuse_newer(data, places)
    faults = _extend_judges(data, places)
    faults += secret_faults(data, places)
    faults += schema_faults(data, recipe_schema(data), places)
    if faults:
        raise RecipeError(faults)
    faults = resolve_paths(data, places, path)
    recipe = _build(data, _Options(path.absolute(), written, limit, trust_local))
    faults += cross_faults(recipe, places)
    if faults:
        raise RecipeError(list(dict.fromkeys(faults)))
    return recipe


@dataclass(frozen=True, slots=True)
class _Options:
    file: Path
    written: dict[str, Any]
    limit: int | None
    trust_local: bool


def _refuse_newer(data: Mapping[str, Any], places: Places) -> None:
    version = data.get("schema_version")
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise RecipeError(
            [
                places.fault(
                    ("schema_version",),
                    f"the recipe is written in language version {version}, "
                    f"this program knows {SCHEMA_VERSION}",
                    "upgrade leaderboard-toolkit",
                )
            ]
        )


def _extend_judges(data: dict[str, Any], places: Places) -> list[Fault]:
    judges = data.get("judges")
    if not isinstance(judges, dict):
        return []
    faults: list[Fault] = []
    done: dict[str, Any] = {}

    def resolve(name: str, trail: tuple[str, ...]) -> Any:
        entry = judges[name]
        if name in done or not isinstance(entry, dict) or not isinstance(entry.get("extends"), str):
            return done.setdefault(name, entry)
        parent = entry["extends"]
        where = ("judges", name, "extends")
        if parent not in judges:
            faults.append(
                places.fault(
                    where, f"there is no judge called '{parent}'", suggest(parent, list(judges))
                )
            )
            return done.setdefault(name, entry)
        if parent in (*trail, name):
            faults.append(places.fault(where, f"'{name}' extends itself"))
            return done.setdefault(name, entry)
        base = resolve(parent, (*trail, name))
        own = {key: value for key, value in entry.items() if key != "extends"}
        done[name] = {**deepcopy(base), **own} if isinstance(base, dict) else entry
        for marks in (places.values, places.keys):
            for old, mark in list(marks.items()):
                if old[:2] == ("judges", parent) and len(old) > 2:
                    marks.setdefault(("judges", name, *old[2:]), mark)
        return done[name]

    for name in list(judges):
        resolve(name, ())
    judges.update(done)
    return faults


def _build(data: Mapping[str, Any], options: _Options) -> Recipe:
    generate = data.get("generate", [])
    simple = {key: data[key] for key in ("name", "description", "version", "seed") if key in data}
    models = {
        name: _member(sections.Model, "models", entry["provider"], entry)
        for name, entry in data.get("models", {}).items()
    }
    return Recipe(
        **simple,
        title=data.get("title", data["name"]),
        file=options.file,
        corpus=_member(sections.Corpus, "sources", data["corpus"]["source"], data["corpus"]),
        splits=_optional(Splits, data.get("splits")),
        perturb=_optional(sections.Perturb, data.get("perturb")),
        prompts={
            name: build(sections.Prompt, entry) for name, entry in data.get("prompts", {}).items()
        },
        models=models,
        generate=tuple(
            build(sections.Generate, entry)
            for entry in (generate if isinstance(generate, list) else [generate])
        ),
        judges={
            name: _member(sections.Judge, "judges", entry["type"], entry)
            for name, entry in data.get("judges", {}).items()
        },
        metrics=tuple(
            _listed(sections.Metric, "metrics", entry) for entry in data.get("metrics", [])
        ),
        analyses=tuple(
            _listed(sections.Analysis, "analyses", entry) for entry in with_clusters(data)
        ),
        human=_optional(Human, data.get("human")),
        validation={
            name: build(sections.Validation, entry)
            for name, entry in data.get("validation", {}).items()
        },
        execution=_optional(sections.Execution, data.get("execution", {})),
        publish=_optional(Publish, data.get("publish")),
        limit=options.limit,
        trust_local=options.trust_local,
        secret_names=_secret_names(models, data),
        data=options.written,
    )


def _secret_names(models: Mapping[str, sections.Model], data: Mapping[str, Any]) -> tuple[str, ...]:
    # The Hub token is only needed to upload, so a run does not ask for it.
    entries = [*(model.params for model in models.values())]
    found = {getattr(entry, "api_key_env", None) for entry in entries}
    corpus = data["corpus"]
    found |= {value for key, value in corpus.items() if key.endswith("_env")}
    return tuple(sorted(name for name in found if name))


def _optional(cls: type, data: Mapping[str, Any] | None) -> Any:
    return None if data is None else build(cls, data)


def _member(cls: Any, kind: Kind, name: str, data: Mapping[str, Any]) -> Any:
    own = set(cls.__dataclass_fields__) - {"params"}
    params_type = params_class(kind, name)
    common = build(cls, {key: value for key, value in data.items() if key in own})
    inner = {key: value for key, value in data.items() if key not in own and key != "extends"}
    fields = {item: getattr(common, item) for item in cls.__dataclass_fields__}
    return cls(**{**fields, "params": build(params_type, inner)})


def _listed(cls: Any, kind: Kind, entry: str | dict[str, Any]) -> Any:
    name, inner = (entry, {}) if isinstance(entry, str) else next(iter(entry.items()))
    if name == "local":
        return cls(name="local", params=inner)
    inner = inner or {}
    if kind == "metrics":
        own = {key: value for key, value in inner.items() if key not in ("prompts", "suffix")}
        return cls(
            name=name,
            params=build(params_class(kind, name), own),
            prompts=tuple(inner.get("prompts", ())),
            suffix=inner.get("suffix", ""),
        )
    return cls(name=name, params=build(params_class(kind, name), inner))
