"""The steps of a recipe and what each reads, before fingerprints."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from toolkit.data import data_dir
from toolkit.plan.audits import audit_steps
from toolkit.plan.judging import canary_steps, judge_steps
from toolkit.plan.measuring import with_measures
from toolkit.plan.step import Step
from toolkit.plan.variants import PERTURB, VARIANTS, asked_table, perturb_step
from toolkit.recipe.params import canonical_params
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.sections import Generate, Validation
from toolkit.registry import member
from toolkit.store.canonical import file_digest, text_digest

__all__ = ["build_steps", "replaced", "selection", "suite_path"]

_NO_STEP: Final = ("judge_audit", "means")
"""Analyses that are steps of another stage: the audit of each judge, and the leaderboard itself."""

_SUITES: Final = {
    "corpus": "corpus.json",
    "splits": "splits.json",
    "variants": "variants.json",
    "generations": "generations.json",
    "judgements": "judgements.json",
    "scores": "scores.json",
    "leaderboard": "leaderboard.json",
}


def build_steps(recipe: Recipe) -> list[Step]:
    """Return the steps of a recipe in an order in which they can run."""
    steps = [_corpus(recipe)]
    steps += _checked(recipe, "corpus", "validate/corpus", ("corpus",), "items")
    if recipe.splits is not None:
        steps.append(_splits(recipe, _after(recipe, "corpus", ("corpus",))))
        steps += _checked(recipe, "splits", "validate/splits", ("splits",), "assignment")
    if recipe.perturb is not None:
        steps.append(perturb_step(recipe, selection, lambda where: _after(recipe, where, (where,))))
        steps += _checked(recipe, VARIANTS, "validate/variants", (PERTURB,), VARIANTS)
    generations = list(_generations(recipe))
    for step in generations:
        steps.append(step)
        steps += _checked(
            recipe, "generations", f"validate/{step.name}", (step.name,), "generations"
        )
    judged = _judged(recipe, generations)
    steps += judged
    steps += audit_steps(recipe, selection, lambda where: _after(recipe, where, (where,)))
    scores = [score for step in generations for score in _scores(recipe, step)]
    steps += with_measures(recipe, scores)
    scored = [*scores, *(step for step in judged if step.stage == "judge")]
    if scored:
        names = tuple(step.name for step in scored)
        steps += _checked(recipe, "scores", "validate/scores", names, "scores")
        steps += _analyses(recipe, names, generations)
        steps.append(_leaderboard(recipe, names, generations))
        steps += _checked(
            recipe, "leaderboard", "validate/leaderboard", ("leaderboard",), "leaderboard"
        )
        steps.append(_report(recipe, steps))
    if recipe.publish is not None:
        steps.append(_release(recipe))
    return steps


def selection(recipe: Recipe, split: str) -> tuple[str, str]:
    """Return the step and the table that hold the items of a split, a view or ``all``."""
    if recipe.splits is None or (split == "all" and "all" not in recipe.splits.views):
        return "corpus", "items"
    return "splits", f"items_{split}"


def suite_path(recipe: Recipe, kind: str) -> Path:
    """Return the suite file for a kind of artifact: the recipe's, else the shipped one."""
    own = recipe.validation.get(kind)
    if own is not None and own.suite is not None:
        return Path(own.suite)
    name = _SUITES[kind]
    if kind == "corpus" and recipe.corpus.source not in ("pubmed_xml", "eutils"):
        name = "table.json"
    return data_dir("validation") / name


def _corpus(recipe: Recipe) -> Step:
    corpus = recipe.corpus
    source = member("sources", corpus.source)
    return Step(
        name="corpus",
        stage="corpus",
        params={
            "source": corpus.source,
            "source_version": source.version,
            "params": canonical_params(corpus.params),
            "access": corpus.access,
        },
    )


def _splits(recipe: Recipe, inputs: tuple[tuple[str, ...], tuple[str, ...]]) -> Step:
    assert recipe.splits is not None
    params = canonical_params(recipe.splits)
    frozen = recipe.splits.frozen
    if frozen is not None and Path(frozen).is_file():
        params["frozen_sha256"] = file_digest(Path(frozen))
    params["seed"] = recipe.seed
    return Step(name="splits", stage="splits", inputs=inputs[0], gates=inputs[1], params=params)


def _generations(recipe: Recipe) -> Iterator[Step]:
    seen: set[str] = set()
    for entry in recipe.generate:
        for model_name in entry.models:
            model = recipe.models[model_name]
            cls = member("models", model.provider)
            instance = cls(model.params, recipe.folder)
            # A baseline answers without a question; answers made elsewhere were made to one.
            alone = instance.kind in ("baseline", "reference")
            prompts = ("",) if alone else entry.prompts or ("",)
            for prompt in prompts:
                step = _generation(recipe, entry, model_name, instance, prompt)
                if step.name not in seen:
                    seen.add(step.name)
                    yield step


def _generation(
    recipe: Recipe, entry: Generate, model_name: str, instance: Any, prompt: str
) -> Step:
    where, table = asked_table(recipe, entry, selection)
    read = [where]
    shots = recipe.prompts[prompt].shots if prompt else None
    if shots is not None:
        # Worked examples may come from a split while the questions come from the whole corpus.
        read.append(selection(recipe, shots.from_)[0])
    kind = VARIANTS if where == PERTURB else where
    inputs, gates = _after(recipe, kind, tuple(dict.fromkeys(read)))
    parts = ["generate", model_name, *([prompt] if prompt else [])]
    if len(recipe.generate) > 1:
        parts.insert(1, entry.split)
    params: dict[str, Any] = {
        "model": model_name,
        "provider": recipe.models[model_name].provider,
        "provider_version": instance.version,
        "prompt": prompt,
        "table": table,
        "repeats": entry.repeats,
        # Of variants, the step that makes them takes no more items than the limit.
        "limit": None if where == PERTURB else recipe.limit,
        "reference": recipe.reference,
        "seed": recipe.seed,
    }
    if prompt:
        params["prompt_text"] = _prompt_params(recipe, prompt)
    return Step(
        name="/".join(parts),
        stage="generate",
        inputs=inputs,
        gates=gates,
        params=params,
        options={"where": instance.where, "kind": instance.kind, "split": entry.split},
    )


def _prompt_params(recipe: Recipe, name: str) -> dict[str, Any]:
    prompt = recipe.prompts[name]
    params = canonical_params(prompt)
    for key in ("file", "system", "user"):
        file = getattr(prompt, key)
        if file is not None:
            params[key] = text_digest(Path(file).read_text(encoding="utf-8"))
    return params


def _scores(recipe: Recipe, generation: Step) -> Iterator[Step]:
    inputs, gates = _after(
        recipe,
        "generations",
        (generation.name, *generation.inputs),
        f"validate/{generation.name}",
    )
    prompt = generation.params["prompt"]
    reference = recipe.prompts[prompt].reference if prompt else None
    for index, metric in enumerate(recipe.metrics):
        if metric.prompts and prompt not in metric.prompts:
            continue
        own = metric.name if metric.name != "local" else str(metric.params).rpartition(":")[2]
        name = metric.named(own)
        params = {
            "metric": name,
            "reference": reference or recipe.reference,
            "model": generation.params["model"],
            "prompt": prompt,
            "table": generation.params["table"],
        }
        if metric.name != "local":
            made = member("metrics", metric.name)(metric.params)
            column = getattr(made, "input_column", recipe.corpus.input)
            params |= {"input": column} if "input" in made.reads else {}
        yield Step(
            name=f"score/{name}/{generation.name.removeprefix('generate/')}",
            stage="score",
            inputs=inputs,
            gates=gates,
            params=params,
            options={"index": index, "generation": generation.name},
        )


def _judged(recipe: Recipe, generations: list[Step]) -> list[Step]:
    gates = {
        step.name: _after(recipe, "generations", (step.name, *step.inputs), f"validate/{step.name}")
        for step in generations
    }
    only = {}
    for name, judge in recipe.judges.items():
        split = getattr(judge.params, "split", None)
        if split is not None:
            only[name] = selection(recipe, split)
    judged = judge_steps(recipe, generations, gates, only)
    asked = tuple(
        step.name
        for step in judged
        if step.stage == "judge" and step.options["source"] in ("asks", "reads")
    )
    checks = _checked(recipe, "judgements", "validate/judgements", asked, "judgements")
    return [*judged, *(checks if asked else []), *canary_steps(recipe, judged, generations)]


def _analyses(recipe: Recipe, scores: tuple[str, ...], generations: list[Step]) -> Iterator[Step]:
    inputs, gates = _after(recipe, "scores", scores)
    sources = tuple(dict.fromkeys(step.inputs[0] for step in generations))
    for index, analysis in enumerate(recipe.analyses):
        if analysis.name in _NO_STEP:
            continue
        made = member("analyses", analysis.name)(analysis.params)
        whole = bool(getattr(made, "reads_corpus", False))
        corpus, held = _after(recipe, "corpus", ("corpus",)) if whole else ((), ())
        read = (*inputs, *sources, *corpus, *(step.name for step in generations))
        asked = sorted({(step.inputs[0], step.params["table"]) for step in generations})
        yield Step(
            name=f"analyse/{index:02d}-{analysis.name}",
            stage="analyse",
            inputs=tuple(dict.fromkeys(read)),
            gates=tuple(dict.fromkeys((*gates, *held))),
            params={
                "analysis": made.fingerprint(),
                "seed": recipe.seed,
                "kinds": {step.params["model"]: step.options["kind"] for step in generations},
                "models": {
                    name: [model.title, model.group, model.access, model.scale, model.cutoff]
                    for name, model in recipe.models.items()
                },
                "judges": {
                    name: [judge.type, getattr(judge.params, "model", None)]
                    for name, judge in recipe.judges.items()
                },
                # Lines stand in the order of the recipe; its first judge is the headline.
                "order": {"models": list(recipe.models), "judges": list(recipe.judges)},
            },
            options={"index": index, "tables": [("corpus", "items")] if whole else asked},
        )


def _leaderboard(recipe: Recipe, scores: tuple[str, ...], generations: list[Step]) -> Step:
    inputs, gates = _after(recipe, "scores", scores)
    means = [analysis for analysis in recipe.analyses if analysis.name == "means"]
    cls = member("analyses", "means")
    params = means[0].params if means else cls.Params()
    tables = sorted({(step.inputs[0], step.params["table"]) for step in generations})
    sources = tuple(dict.fromkeys(name for name, _ in tables))
    return Step(
        name="leaderboard",
        stage="leaderboard",
        inputs=(*inputs, *sources, *(step.name for step in generations)),
        gates=gates,
        params={
            "means": canonical_params(params),
            "means_version": cls.version,
            "seed": recipe.seed,
            "kinds": {step.params["model"]: step.options["kind"] for step in generations},
        },
        options={"means": params, "tables": tables},
    )


def _report(recipe: Recipe, steps: list[Step]) -> Step:
    # The report shows what every step found, warnings of validation included.
    return Step(
        name="report",
        stage="report",
        inputs=tuple(step.name for step in steps),
        params={
            "name": recipe.name,
            "title": recipe.title,
            "description": recipe.description,
            "version": recipe.version,
            "notes": [model.note for model in recipe.models.values() if model.note],
            "titles": {name: model.title or name for name, model in sorted(recipe.models.items())},
            "cutoffs": {name: model.cutoff for name, model in sorted(recipe.models.items())},
            "input": recipe.corpus.input,
            "attested": [canonical_params(one) for one in recipe.corpus.attested],
            "template": [
                file_digest(path)
                for kind in ("leaderboard.*", "browser.*")
                for path in sorted(data_dir("cards").glob(kind))
            ],
        },
    )


def _release(recipe: Recipe) -> Step:
    assert recipe.publish is not None
    where = "splits" if recipe.splits is not None else "corpus"
    inputs, gates = _after(recipe, where, (where,))
    extra = ("corpus",) if where == "splits" else ()
    return Step(
        name="release",
        stage="release",
        inputs=(*inputs, *(name for name in extra if name not in inputs)),
        gates=gates,
        params={
            "publish": canonical_params(recipe.publish),
            "hidden": recipe.publish.submissions and recipe.publish.submissions.hidden_split,
            "input": recipe.corpus.input,
            "reference": recipe.reference,
            "name": recipe.name,
            "title": recipe.title,
            "description": recipe.description,
            "version": recipe.version,
            "template": [file_digest(path) for path in sorted(data_dir("cards").glob("dataset*"))],
        },
    )


def _policy(recipe: Recipe, kind: str) -> Validation:
    if kind == "splits" and recipe.splits is not None and not recipe.splits.names:
        # A section of views alone assigns nothing that could be checked.
        return Validation(on_failure="off")
    return recipe.validation.get(kind, Validation())


def _checked(
    recipe: Recipe, kind: str, name: str, inputs: tuple[str, ...], table: str
) -> list[Step]:
    policy = _policy(recipe, kind)
    if policy.on_failure == "off":
        return []
    path = suite_path(recipe, kind)
    return [
        Step(
            name=name,
            stage="validate",
            inputs=inputs,
            params={
                "kind": kind,
                "table": table,
                "suite": file_digest(path) if path.is_file() else "missing",
                "on_failure": policy.on_failure,
            },
            options={"suite": str(path)},
        )
    ]


def _after(
    recipe: Recipe, kind: str, inputs: tuple[str, ...], name: str | None = None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return (inputs, gates) of a step that reads artifacts of a kind that is validated.

    Under ``quarantine`` the validation decides which rows go on, so it is an input; under
    ``stop`` it can only hold the step up, so a stricter suite re-runs nothing after it.
    """
    validated = name or f"validate/{kind}"
    policy = _policy(recipe, kind)
    if policy.on_failure == "off":
        return inputs, ()
    if policy.on_failure == "quarantine":
        return (*inputs, validated), ()
    return inputs, (validated,)


def replaced(step: Step, params: Mapping[str, Any]) -> Step:
    """Return a step with further parameters."""
    return dataclasses.replace(step, params={**step.params, **params})
