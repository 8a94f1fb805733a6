"""What a form may show: the answers of a finished run, and the texts beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from toolkit.errors import UserError, suggest
from toolkit.plan.make import make_plan
from toolkit.plan.step import Plan, Step
from toolkit.plan.variants import PERTURB
from toolkit.readers.cases import Candidate
from toolkit.recipe.human_section import Form
from toolkit.recipe.recipe import Recipe
from toolkit.stages.answer_texts import SCORED
from toolkit.stages.targets import text_of
from toolkit.store.artifact import Artifact, open_artifact
from toolkit.store.workspace import Workspace

__all__ = ["RUN", "Offer", "Source", "answer_sources", "offered", "shown_texts"]

RUN: Final = "run:"
"""Begins an entry of ``on`` that names a prompt, not a column."""


@dataclass(frozen=True, slots=True)
class Source:
    """The answers of one model to one prompt.

    Attributes:
        model: name of the model in the recipe.
        prompt: name of the prompt.
        generation: the artifact with the table ``generations``.
        items: the artifact that holds what was asked about.
        table: the table of it.
        variants: the table holds variants: it has ``original_id`` and ``level``.
    """

    model: str
    prompt: str
    generation: Artifact
    items: Artifact
    table: str
    variants: bool


@dataclass(slots=True)
class Offer:
    """What readers may be shown.

    Attributes:
        candidates: answers that can be shown.
        failed: answers that cannot, by status.
    """

    candidates: list[Candidate] = field(default_factory=list)
    failed: Counter[str] = field(default_factory=Counter)


def answer_sources(recipe: Recipe, name: str, form: Form, workspace: Workspace) -> list[Source]:
    """Return the answers that a form is about, as a run of the recipe left them.

    Raises:
        UserError: the form shows no answer, nobody is asked its prompts, or a step that it needs
            was not run yet.
    """
    prompts = [shown.removeprefix(RUN) for shown in form.on if shown.startswith(RUN)]
    if not prompts:
        raise UserError(
            f"{recipe.file}: the form '{name}' shows no answer that its ratings could belong to",
            hint=f'add "run:PROMPT" to human.forms.{name}.on',
        )
    # What readers look at depends on no score, and their own ratings may not be there yet.
    upper = replace(recipe, judges={}, metrics=(), analyses=(), publish=None)
    plan = make_plan(upper, workspace=workspace)
    steps = [
        step
        for step in plan.steps
        if step.stage == "generate"
        and step.params["prompt"] in prompts
        and step.params["model"] in (form.models or recipe.models)
    ]
    asked = {(step.params["model"], step.params["prompt"]) for step in steps}
    lacking = [prompt for prompt in prompts if prompt not in {prompt for _, prompt in asked}]
    lacking += [model for model in form.models if model not in {model for model, _ in asked}]
    if lacking:
        raise UserError(
            f"{recipe.file}: the form '{name}' shows answers of {', '.join(lacking)}, and no step "
            "of generate: makes them",
            hint="correct human.forms or generate:",
        )
    return [_source(recipe, plan, step) for step in steps]


def _source(recipe: Recipe, plan: Plan, step: Step) -> Source:
    return Source(
        model=step.params["model"],
        prompt=step.params["prompt"],
        generation=_made(recipe, plan, step.name),
        items=_made(recipe, plan, step.items_from),
        table=step.params["table"],
        variants=step.items_from == PERTURB,
    )


def _made(recipe: Recipe, plan: Plan, name: str) -> Artifact:
    """Return the artifact of a step, without the rows that its validation took out."""
    found: Artifact | None = None
    for step in plan.steps:
        if step.fingerprint is None or (step.name != name and step.stage != "validate"):
            continue
        artifact = open_artifact(plan.workspace.artifact(step.stage, step.fingerprint))
        if artifact is None:
            continue
        if step.name == name or name in artifact.manifest.facts.get("replaces", []):
            found = artifact
    if found is None:
        raise UserError(
            f"{recipe.file}: {name} was not run to its end in {plan.workspace.root}",
            hint=f"toolkit run {recipe.file} --until generate",
        )
    return found


def offered(sources: Sequence[Source], items: Collection[str], levels: Sequence[str]) -> Offer:
    """Return the answers about some items.

    Args:
        sources: the answers.
        items: ids of the items, or of those that variants were made from.
        levels: levels of variants that are wanted; all where it is empty.
    """
    found = Offer()
    wanted = frozenset(items)
    for source in sources:
        about = {
            item_id: (original, level)
            for item_id, original, level in _about(source)
            if original in wanted and (not levels or level in levels)
        }
        columns = ["item_id", "repeat", "status", "answer"]
        for row in source.generation.rows("generations", columns):
            if row["item_id"] not in about:
                continue
            if row["status"] not in SCORED or not (row["answer"] or "").strip():
                found.failed[row["status"] if row["status"] not in SCORED else "empty"] += 1
                continue
            original, level = about[row["item_id"]]
            found.candidates.append(
                Candidate(
                    original, row["item_id"], level, source.model, source.prompt, row["repeat"]
                )
            )
    return found


def _about(source: Source) -> Iterator[tuple[str, str, str]]:
    """Yield (item id, original id, level) of what was asked about."""
    if not source.variants:
        for row in source.items.rows(source.table, ["item_id"]):
            yield row["item_id"], row["item_id"], ""
        return
    for row in source.items.rows(source.table, ["item_id", "original_id", "level"]):
        yield row["item_id"], row["original_id"], row["level"]


def shown_texts(
    sources: Sequence[Source], drawn: Sequence[Candidate], columns: Sequence[str]
) -> list[tuple[dict[str, str], str]]:
    """Return of each drawn answer its item's columns and its own text.

    Args:
        sources: the answers.
        drawn: those that are shown.
        columns: columns of the items; one that is null comes as an empty text.

    Raises:
        UserError: the items have no such column.
    """
    texts: dict[str, tuple[dict[str, str], str]] = {}
    for source in sources:
        mine = {
            (one.item_id, one.repeat): one.key
            for one in drawn
            if (one.model, one.prompt) == (source.model, source.prompt)
        }
        items = _item_texts(source, {item for item, _ in mine}, columns)
        for row in source.generation.rows("generations", ["item_id", "repeat", "answer"]):
            key = mine.get((row["item_id"], row["repeat"]))
            if key is not None:
                texts[key] = (items[row["item_id"]], row["answer"])
    return [texts[one.key] for one in drawn]


def _item_texts(
    source: Source, wanted: Collection[str], columns: Sequence[str]
) -> Mapping[str, dict[str, str]]:
    import pyarrow.parquet as pq

    have = pq.read_schema(source.items.path(source.items.shards(source.table)[0])).names
    for name in columns:
        if name not in have:
            raise UserError(f"the items have no column '{name}'", hint=suggest(name, have))
    found: dict[str, dict[str, str]] = {}
    for row in source.items.rows(source.table, list(dict.fromkeys(["item_id", *columns]))):
        if row["item_id"] in wanted:
            found[row["item_id"]] = {name: _text(row[name]) for name in columns}
    return found


def _text(value: Any) -> str:
    return text_of(value) or ""
