"""Fingerprints: a step's stage and version, its parameters, and what it reads."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from toolkit.errors import MissingError, SourceError
from toolkit.plan.graph import replaced
from toolkit.plan.measuring import measurer_of
from toolkit.plan.step import VERSIONS, Step
from toolkit.recipe.local_code import code_digest
from toolkit.recipe.recipe import Recipe
from toolkit.registry import member
from toolkit.store.canonical import digest
from toolkit.store.source_index import SourceIndex
from toolkit.store.workspace import Workspace

__all__ = ["expand", "fingerprint_steps", "parameter_files", "pinned_facts", "pinned_file"]


def fingerprint_steps(recipe: Recipe, workspace: Workspace, steps: list[Step]) -> list[Step]:
    """Return the steps with fingerprints, or with the reason why one is not known yet.

    Reads only: files are hashed when the index knows them or they are small.

    Raises:
        SourceError: source files are missing.
    """
    index = SourceIndex(workspace.source_index)
    done: dict[str, Step] = {}
    for step in steps:
        step, unknown = _with_identity(recipe, workspace, index, step)
        waiting = [name for name in step.inputs if done[name].fingerprint is None]
        if not unknown and waiting:
            unknown = done[waiting[0]].unknown
        fingerprint = None
        if not unknown:
            fingerprint = digest(
                {
                    "stage": step.stage,
                    "version": VERSIONS[step.stage],
                    "params": step.params,
                    "inputs": [[name, done[name].fingerprint] for name in step.inputs],
                }
            )
        done[step.name] = dataclasses.replace(step, fingerprint=fingerprint, unknown=unknown)
    return list(done.values())


def pinned_file(workspace: Workspace, recipe: Recipe) -> Path:
    """Return where a run records what a remote source was resolved to.

    Recipes that ask the same of the same source share it, whatever they do with the answer.
    """
    corpus = recipe.corpus
    source = member("sources", corpus.source)(corpus.params, recipe.folder)
    asked = digest({"source": corpus.source, "asks": source.asks()})
    return workspace.root / "sources" / f"{asked[:16]}.json"


def pinned_facts(workspace: Workspace, recipe: Recipe) -> dict[str, Any] | None:
    """Return what a run resolved the remote source to, or None when none did yet."""
    try:
        data = json.loads(pinned_file(workspace, recipe).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) else None


def _with_identity(
    recipe: Recipe, workspace: Workspace, index: SourceIndex, step: Step
) -> tuple[Step, str]:
    if step.stage == "corpus":
        return _corpus(recipe, workspace, index, step)
    if step.stage == "generate":
        return _identity(step, "model", recipe, recipe.models[step.params["model"]])
    if step.stage in ("judge", "entail", "canary", "audit"):
        return _judge(recipe, step)
    if step.stage == "measure":
        return _measure(recipe, step)
    if step.stage == "score":
        return _score(recipe, step)
    if step.stage == "analyse":
        return _analysis(recipe, index, step)
    return step, ""


def _corpus(
    recipe: Recipe, workspace: Workspace, index: SourceIndex, step: Step
) -> tuple[Step, str]:
    corpus = recipe.corpus
    source = member("sources", corpus.source)(corpus.params, recipe.folder)
    params: dict[str, Any] = {}
    parts: list[Path] = []
    if source.remote:
        facts = pinned_facts(workspace, recipe)
        if facts is None:
            return step, "the source is resolved to a fixed version when the run starts"
        params["pinned"] = facts
    else:
        parts = [part.path for part in source.parts() if part.path is not None]
    joined = [Path(join.file) for join in corpus.join]
    labels = list(source.inputs())
    journals = [Path(path) for path in expand(corpus.journals.sjr)] if corpus.journals else []
    found = _digests(index, [*parts, *joined, *labels, *journals])
    if isinstance(found, str):
        return step, found
    # What a file is for counts as well as its bytes: two tables may change places.
    params |= {
        "files": sorted([path.name, found[path]] for path in parts),
        "label_files": sorted([path.name, found[path]] for path in labels),
        "journal_files": sorted([path.name, found[path]] for path in journals),
        "join": [
            [join.on, path.name, found[path]]
            for join, path in zip(corpus.join, joined, strict=True)
        ],
    }
    return replaced(step, params), ""


def parameter_files(params: Any) -> list[Path]:
    """Return the files that the parameters of a member name or match, sorted.

    Raises:
        SourceError: a pattern matches nothing.
    """
    named: list[str] = []
    for field in dataclasses.fields(params):
        value = getattr(params, field.name)
        if field.metadata.get("path") and value is not None:
            named += [value] if isinstance(value, str) else value
    return [Path(name) for name in expand(tuple(named))]


def _analysis(recipe: Recipe, index: SourceIndex, step: Step) -> tuple[Step, str]:
    files = parameter_files(recipe.analyses[step.options["index"]].params)
    if not files:
        return step, ""
    found = _digests(index, files)
    if isinstance(found, str):
        return step, found
    return replaced(step, {"files": sorted([path.name, found[path]] for path in files)}), ""


def _digests(index: SourceIndex, files: Sequence[Path]) -> dict[Path, str] | str:
    """Return the sha256 of each file, or why not all of them are known yet."""
    known = {path: index.lookup(path) for path in files}
    found = {path: value for path, value in known.items() if value is not None}
    if len(found) == len(known):
        return found
    large = sum(path.stat().st_size for path in known.keys() - found.keys())
    return f"source files of {large / 1e9:.1f} GB are hashed when the run starts"


def expand(patterns: tuple[str, ...]) -> list[str]:
    """Return the files that absolute patterns match, sorted.

    Raises:
        SourceError: a pattern matches nothing.
    """
    import glob

    found: set[str] = set()
    for pattern in patterns:
        names = glob.glob(pattern, recursive=True)  # noqa: PTH207 - the pattern is absolute
        if not names:
            raise SourceError(f"'{pattern}' matches no file", hint="correct the path in the recipe")
        found.update(names)
    return sorted(found)


def _identity(step: Step, what: str, recipe: Recipe, section: Any) -> tuple[Step, str]:
    instance = member("models", section.provider)(section.params, recipe.folder)
    try:
        return replaced(step, {f"{what}_identity": instance.fingerprint()}), ""
    except MissingError as error:
        return step, str(error)


def _judge(recipe: Recipe, step: Step) -> tuple[Step, str]:
    section = recipe.judges[step.params["judge"]]
    try:
        judge = member("judges", section.type)(section.params)
        step = replaced(step, {"judge_identity": judge.fingerprint()})
    except MissingError as error:
        return step, str(error)
    model = getattr(section.params, "model", None)
    if step.options.get("source") == "entails" or not isinstance(model, str):
        return step, ""
    return _identity(step, "model", recipe, recipe.models[model])


def _measure(recipe: Recipe, step: Step) -> tuple[Step, str]:
    (_, indexes), *_ = step.options["asks"]
    try:
        return replaced(step, {"measurer": measurer_of(recipe, indexes[0]).fingerprint()}), ""
    except MissingError as error:
        return step, str(error)


def _score(recipe: Recipe, step: Step) -> tuple[Step, str]:
    metric = recipe.metrics[step.options["index"]]
    if metric.name == "local":
        path, _, function = str(metric.params).rpartition(":")
        identity: Mapping[str, Any] = {
            "function": function,
            "source_sha256": code_digest(recipe.folder / path),
        }
        return replaced(step, {"metric_identity": identity}), ""
    cls = member("metrics", metric.name)
    try:
        identity = {"version": cls.version, **cls(metric.params).fingerprint()}
    except MissingError as error:
        return step, str(error)
    return replaced(step, {"metric_identity": identity}), ""
