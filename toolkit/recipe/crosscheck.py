"""Check what the schema cannot: names that must exist, keys that belong together."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.errors import Fault, UserError, suggest
from toolkit.recipe.access_check import access_faults
from toolkit.recipe.analysis_check import analysis_faults
from toolkit.recipe.chain_check import chain_faults
from toolkit.recipe.compose import is_file
from toolkit.recipe.faults import Places
from toolkit.recipe.judge_check import judge_faults
from toolkit.recipe.known_names import (
    all_known,
    asked_names,
    level_names,
    selection_names,
    unknown_name,
)
from toolkit.recipe.local_code import defined_names
from toolkit.recipe.perturb_check import perturb_faults
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.score_names import metric_faults
from toolkit.recipe.sections import Generate
from toolkit.recipe.strict_yaml import Path
from toolkit.recipe.task_check import task_faults
from toolkit.recipe.template_check import prompt_faults
from toolkit.registry import is_built, member

__all__ = ["cross_faults"]


def cross_faults(recipe: Recipe, places: Places) -> list[Fault]:
    """Return every fault between the sections of a recipe that passed its schema."""
    faults: list[Fault] = []
    checks = (_splits, perturb_faults, _models, _titles, _generate, _asked_twice, judge_faults)
    for check in (*checks, _metrics, metric_faults, chain_faults, _human, _corpus, task_faults):
        faults += check(recipe, places)
    faults += access_faults(recipe, places)
    faults += analysis_faults(recipe, places, selection_names(recipe))
    for name, prompt in recipe.prompts.items():
        faults += prompt_faults(recipe, prompt, ("prompts", name), places)
    return faults


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
            yield unknown_name(places, (*path, "of"), "split", view.of, splits.names)
        if view.per is not None and view.sample is None:
            yield places.fault((*path, "per"), "per: goes with sample:", "add sample: NUMBER")


def _generate(recipe: Recipe, places: Places) -> Iterator[Fault]:
    listed = isinstance(recipe.data.get("generate"), list)
    for index, entry in enumerate(recipe.generate):
        path: Path = ("generate", index) if listed else ("generate",)
        known = selection_names(recipe)
        if entry.split not in known:
            yield unknown_name(places, (*path, "split"), "split or view", entry.split, known)
        yield from _over(recipe, entry, path, places)
        yield from _nothing(recipe, index, path, places)
        yield from all_known(places, (*path, "models"), "model", entry.models, recipe.models)
        yield from all_known(places, (*path, "prompts"), "prompt", entry.prompts, recipe.prompts)
        for name, steps in entry.strategies.items():
            yield from all_known(
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


def _nothing(recipe: Recipe, index: int, path: Path, places: Places) -> Iterator[Fault]:
    """Refuse empty lists: somebody meant to write a name there."""
    written = recipe.data["generate"]
    entry = written[index] if isinstance(written, list) else written
    for key, known in (("models", recipe.models), ("prompts", recipe.prompts)):
        if entry.get(key) == []:
            remedy = f"name some, {suggest('', list(known))}" if known else f"add {key}: above"
            if key == "prompts":
                remedy += ", or remove prompts:"
            yield places.fault((*path, key), f"{key}: names none", remedy, key=True)


def _asked_twice(recipe: Recipe, places: Places) -> Iterator[Fault]:
    """Refuse one model under one prompt in two entries: they would be one line of scores."""
    first: dict[tuple[str, str], int] = {}
    for index, entry in enumerate(recipe.generate):
        asked = [*entry.prompts, *entry.strategies]
        for model in entry.models:
            section = recipe.models.get(model)
            if section is None:
                continue
            alone = section.provider == "baseline" or not asked
            for prompt in [""] if alone else asked:
                if first.setdefault((model, prompt), index) == index:
                    continue
                split = recipe.generate[first[model, prompt]].split
                what = f"'{model}'" + (f" with prompt '{prompt}'" if prompt else "")
                yield places.fault(
                    ("generate", index, "split"),
                    f"{what} is asked on '{split}' already; both would be one line of the "
                    "leaderboard",
                    "give the model or the prompt a second name",
                )


def _over(recipe: Recipe, entry: Generate, path: Path, places: Places) -> Iterator[Fault]:
    views = recipe.splits.views if recipe.splits else {}
    view = views.get(entry.split)
    paired = view is not None and view.ordered_pairs_within is not None
    if "variants" in entry.over and recipe.perturb is None:
        yield places.fault(
            (*path, "over"), "variants are asked about, none are made", "add perturb:"
        )
    elif "variants" not in entry.over and any("variants" in one.over for one in recipe.generate):
        yield places.fault(
            (*path, "over"),
            "another entry asks about variants, this one does not: their lines would be means "
            "over different texts",
            "write the same over: in all entries, or make it a recipe of its own",
            key=True,
        )
    elif "variants" in entry.over and recipe.perturb and recipe.perturb.split != entry.split:
        yield places.fault(
            (*path, "split"),
            f"variants are made of '{recipe.perturb.split}', not of '{entry.split}'",
            f"write split: {recipe.perturb.split}",
        )
    if ("pairs" in entry.over) != paired and entry.split in selection_names(recipe):
        yield places.fault(
            (*path, "over"),
            "'over: pairs' goes with a view that has ordered_pairs_within",
            "write both or neither",
        )


def _human(recipe: Recipe, places: Places) -> Iterator[Fault]:
    for name, form in (recipe.human.forms if recipe.human else {}).items():
        path: Path = ("human", "forms", name)
        known = selection_names(recipe)
        if form.split not in known:
            yield unknown_name(places, (*path, "split"), "split or view", form.split, known)
        yield from all_known(places, (*path, "models"), "model", form.models, recipe.models)
        levels = level_names(recipe)
        yield from all_known(places, (*path, "levels"), "level", form.levels, levels)
        for index, shown in enumerate(form.on):
            kind, _, prompt = shown.partition(":")
            if kind == "run" and prompt not in recipe.prompts:
                yield unknown_name(places, (*path, "on", index), "prompt", prompt, recipe.prompts)


def _metrics(recipe: Recipe, places: Places) -> Iterator[Fault]:
    seen: dict[str, list[str]] = {}
    for index, metric in enumerate(recipe.metrics):
        path: Path = ("metrics", index)
        if metric.name == "local":
            if not recipe.trust_local:
                yield places.fault(
                    path,
                    "a local metric runs code that stands beside the recipe",
                    "read that code, then run with --trust-local",
                )
            yield from _local(recipe, str(metric.params), (*path, "local"), places)
            continue
        scored = metric.prompts or asked_names(recipe)
        called = metric.named(metric.name)
        for prompt in [name for name in scored if name in seen.get(called, [])][:1]:
            yield places.fault(
                path,
                f"metric '{called}' is listed twice for prompt '{prompt}'",
                "give each of the two its own prompts:, or one a suffix:, or remove one",
            )
        seen.setdefault(called, []).extend(scored)
        where = (*path, metric.name)
        for key in ("nli", "decomposer"):
            judge = getattr(metric.params, key, None)
            if judge is not None and judge not in recipe.judges:
                yield unknown_name(places, (*where, key), "judge", judge, recipe.judges)
        yield from all_known(
            places, (*where, "prompts"), "prompt", metric.prompts, asked_names(recipe)
        )
    if recipe.metrics and not recipe.generate:
        yield places.fault(
            ("metrics",), "nothing is generated that could be scored", "add generate:", key=True
        )


def _local(recipe: Recipe, text: str, path: Path, places: Places) -> Iterator[Fault]:
    name, _, function = text.rpartition(":")
    file = recipe.folder / name
    if not is_file(file):
        known = sorted(other.name for other in recipe.folder.glob("*.py"))
        yield places.fault(path, f"no file '{name}'", suggest(name, known))
        return
    try:
        defined = defined_names(file)
    except (OSError, ValueError) as error:
        yield places.fault(path, f"'{name}' is not Python: {error}", f"mend {name}")
        return
    if defined is not None and function not in defined:
        reason = f"'{name}' defines no function '{function}'"
        yield places.fault(path, reason, suggest(function, sorted(defined)))


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


def _models(recipe: Recipe, places: Places) -> Iterator[Fault]:
    """Yield a fault for each model or judge that refuses its parameters."""
    for name, model in recipe.models.items():
        if is_built("models", model.provider):
            try:
                member("models", model.provider)(model.params, recipe.folder)
            except UserError as error:
                yield places.fault(("models", name), error.message, error.hint, key=True)
    for name, judge in recipe.judges.items():
        if is_built("judges", judge.type):
            try:
                member("judges", judge.type)(judge.params)
            except UserError as error:
                yield places.fault(("judges", name), error.message, error.hint, key=True)


def _titles(recipe: Recipe, places: Places) -> Iterator[Fault]:
    """Yield a fault for each competitor that tables call like another."""
    competing = {name for entry in recipe.generate for name in entry.models}
    titled: dict[str, str] = {}
    for name, model in recipe.models.items():
        if name not in competing:
            continue
        title = model.title or name
        other = titled.setdefault(title, name)
        if other != name:
            reason = f"'{title}' is what tables call '{other}' as well"
            path: Path = ("models", name, "title")
            yield places.fault(path, reason, "give each model a title of its own")
