"""Check what the schema cannot: names that must exist, keys that belong together."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from toolkit.errors import Fault, suggest
from toolkit.recipe.faults import Places
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.strict_yaml import Path
from toolkit.recipe.template_check import prompt_faults

__all__ = ["cross_faults", "is_loopback", "selection_names"]


def cross_faults(recipe: Recipe, places: Places) -> list[Fault]:
    """Return every fault between the sections of a recipe that passed its schema."""
    faults: list[Fault] = []
    for check in (_splits, _generate, _judges, _metrics, _corpus, _access):
        faults += check(recipe, places)
    for name, prompt in recipe.prompts.items():
        faults += prompt_faults(recipe, prompt, ("prompts", name), places)
    return faults


def selection_names(recipe: Recipe) -> list[str]:
    """Return the names ``generate.split`` may use: splits, views, and ``all``."""
    splits = recipe.splits
    if splits is None:
        return ["all"]
    return list(dict.fromkeys([*splits.names, *splits.views, "all"]))


def is_loopback(url: str) -> bool:
    """Return whether an endpoint is on this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _splits(recipe: Recipe, places: Places) -> Iterator[Fault]:
    splits = recipe.splits
    if splits is None:
        return
    for fault in splits.faults():
        name, _, rest = fault.partition(" ")
        inner = (
            tuple(name.split(".")) if name.split(".")[0] in ("fractions", "sizes", "date") else ()
        )
        yield places.fault(("splits", *inner), f"{name} {rest}", key=not inner)
    for name, view in splits.views.items():
        path: Path = ("splits", "views", name)
        if name in splits.names:
            yield places.fault(path, f"'{name}' is the name of a split already", key=True)
        if view.of is not None and view.of not in splits.names:
            yield _unknown(places, (*path, "of"), "split", view.of, splits.names)


def _generate(recipe: Recipe, places: Places) -> Iterator[Fault]:
    listed = isinstance(recipe.data.get("generate"), list)
    for index, entry in enumerate(recipe.generate):
        path: Path = ("generate", index) if listed else ("generate",)
        known = selection_names(recipe)
        if entry.split not in known:
            yield _unknown(places, (*path, "split"), "split or view", entry.split, known)
        yield from _all_known(places, (*path, "models"), "model", entry.models, recipe.models)
        yield from _all_known(places, (*path, "prompts"), "prompt", entry.prompts, recipe.prompts)
        for name, steps in entry.strategies.items():
            yield from _all_known(
                places, (*path, "strategies", name), "prompt", steps, recipe.prompts
            )
            if name in recipe.prompts:
                yield places.fault(
                    (*path, "strategies", name), f"'{name}' is the name of a prompt", key=True
                )
        asked = [
            name
            for name in entry.models
            if name in recipe.models and recipe.models[name].provider != "baseline"
        ]
        if asked and not entry.prompts and not entry.strategies:
            yield places.fault(path, f"'{asked[0]}' needs prompts or strategies", key=True)


def _judges(recipe: Recipe, places: Places) -> Iterator[Fault]:
    for name, judge in recipe.judges.items():
        path: Path = ("judges", name)
        model = getattr(judge.params, "model", None)
        if judge.type in ("llm", "pairwise"):
            if model is None:
                yield places.fault(path, f"a judge of type {judge.type} needs model:", key=True)
            elif model not in recipe.models:
                yield _unknown(places, (*path, "model"), "model", model, recipe.models)
        if judge.type == "panel":
            yield from _all_known(
                places, (*path, "judges"), "judge", judge.params.judges, recipe.judges
            )
        if judge.type == "nli":
            known = [*recipe.judges, "from_claims"]
            if judge.params.pairs not in known:
                yield _unknown(places, (*path, "pairs"), "judge", judge.params.pairs, known)
        if judge.type == "llm":
            yield from _llm_prompts(recipe, places, name)


def _llm_prompts(recipe: Recipe, places: Places, name: str) -> Iterator[Fault]:
    params = recipe.judges[name].params
    if params.prompt is None and not params.stages:
        yield places.fault(
            ("judges", name), "a judge of type llm needs prompt: or stages:", key=True
        )
    if params.prompt is not None:
        yield from prompt_faults(recipe, params.prompt, ("judges", name, "prompt"), places)
    for stage, prompt in params.stages.items():
        yield from prompt_faults(recipe, prompt, ("judges", name, "stages", stage), places)


def _metrics(recipe: Recipe, places: Places) -> Iterator[Fault]:
    seen: set[str] = set()
    for index, metric in enumerate(recipe.metrics):
        path: Path = ("metrics", index)
        if metric.name == "local":
            if not recipe.trust_local:
                yield places.fault(
                    path,
                    "a local metric runs code that stands beside the recipe",
                    "read that code, then run with --trust-local",
                )
            continue
        if metric.name in seen:
            yield places.fault(path, f"metric '{metric.name}' is listed twice")
        seen.add(metric.name)
        nli = getattr(metric.params, "nli", None)
        if nli is not None and nli not in recipe.judges:
            yield _unknown(places, (*path, metric.name, "nli"), "judge", nli, recipe.judges)
    for index, analysis in enumerate(recipe.analyses):
        where: Path = ("analyses", index, analysis.name)
        for key in ("judges", "raters"):
            named = getattr(analysis.params, key, ())
            yield from _all_known(places, (*where, key), "judge", named, recipe.judges)
        prompt = getattr(analysis.params, "prompt", None)
        if prompt is not None and prompt not in recipe.prompts:
            yield _unknown(places, (*where, "prompt"), "prompt", prompt, recipe.prompts)
    if recipe.metrics and not recipe.generate:
        yield places.fault(
            ("metrics",), "nothing is generated that could be scored", "add generate:", key=True
        )


def _corpus(recipe: Recipe, places: Places) -> Iterator[Fault]:
    pubmed = recipe.corpus.source in ("pubmed_xml", "eutils")
    needs = bool(recipe.metrics) and any(
        recipe.prompts[name].reference is None
        for entry in recipe.generate
        for name in entry.prompts
        if name in recipe.prompts
    )
    if recipe.corpus.reference is None and not pubmed and needs:
        yield places.fault(
            ("corpus",), "metrics compare with a reference", "add reference: COLUMN", key=True
        )


def _access(recipe: Recipe, places: Places) -> Iterator[Fault]:
    if recipe.corpus.access != "credentialed":
        return
    for name, model in recipe.models.items():
        url = getattr(model.params, "base_url", None)
        if url is not None and not is_loopback(url):
            yield places.fault(
                ("models", name),
                f"credentialed texts would be sent to {urlsplit(url).hostname}",
                "use a model on this machine (base_url on 127.0.0.1, llama_cpp)",
                key=True,
            )
    if recipe.publish is not None and recipe.publish.redistribution != "ids_only":
        yield places.fault(
            ("publish", "redistribution"),
            "credentialed data never leaves the machine",
            "remove publish:, or write redistribution: ids_only",
        )


def _all_known(
    places: Places, path: Path, what: str, names: Iterable[str], known: Iterable[str]
) -> Iterator[Fault]:
    allowed = list(known)
    for index, name in enumerate(names):
        if name not in allowed:
            yield _unknown(places, (*path, index), what, name, allowed)


def _unknown(places: Places, path: Path, what: str, name: str, known: Iterable[str]) -> Fault:
    return places.fault(path, f"there is no {what} called '{name}'", suggest(name, list(known)))
