"""The steps that audit judges, and what each reference of theirs takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from toolkit.perturb.base import VERSION
from toolkit.plan.step import Step
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.score_names import judge_columns
from toolkit.recipe.slots import parse_slot
from toolkit.registry import member
from toolkit.store.artifact import Artifact

if TYPE_CHECKING:
    from toolkit.perturb.probes import Probe

# The rules of the edits are imported where they are used: every plan imports this module, and
# few plans audit a judge.

__all__ = ["audit_steps", "probed", "questions_ahead", "references", "shows_both"]

_COUNTED: Final = 200
"""References whose edits are made to count the calls ahead; more are taken to be like them."""

_Reads = Callable[[str], tuple[tuple[str, ...], tuple[str, ...]]]


def audit_steps(
    recipe: Recipe, selection: Callable[[Recipe, str], tuple[str, str]], reads: _Reads
) -> list[Step]:
    """Return a step for each judge that an analysis ``judge_audit`` names.

    Args:
        recipe: the recipe.
        selection: gives the step and the table that hold the items of a split.
        reads: gives (inputs, gates) of a step that reads the items of such a step.
    """
    columns = judge_columns(recipe)
    steps: list[Step] = []
    for index, use in enumerate(recipe.analyses):
        if use.name != "judge_audit":
            continue
        analysis = member("analyses", use.name)(use.params)
        where, table = selection(recipe, use.params.split)
        inputs, gates = reads(where)
        for name in use.params.judges:
            section = recipe.judges[name]
            model = recipe.models[section.params.model]
            steps.append(
                Step(
                    name=f"audit/{name}",
                    stage="audit",
                    inputs=inputs,
                    gates=gates,
                    params={
                        "judge": name,
                        "type": section.type,
                        "columns": columns[name],
                        "audit": analysis.fingerprint(),
                        "edits_version": VERSION,
                        "reference": recipe.reference,
                        "table": table,
                        "limit": recipe.limit,
                        "seed": recipe.seed,
                    },
                    options={
                        "index": index,
                        "split": use.params.split,
                        "source": "asks",
                        "where": member("models", model.provider).where,
                    },
                )
            )
    return steps


def shows_both(params: Any) -> bool:
    """Return whether a judge's prompts show it reference and output, so that they can be swapped.

    Args:
        params: parameters of a judge of type llm.
    """
    asked = [prompt for prompt in (params.prompt, *params.stages.values()) if prompt is not None]
    slots = [parse_slot(value) for prompt in asked for value in prompt.slots.values()]
    shown = {slot.name for slot in slots if slot.kind == "judged"}
    return {"reference", "output"} <= shown


def references(
    artifact: Artifact, table: str, column: str, *, limit: int | None, sample: int, seed: int
) -> list[tuple[int, str, str]]:
    """Return the references that an audit edits, as (row, item id, text), by ascending row.

    A row without a text is none of them. Which are drawn hangs on the seed and the ids alone.

    Args:
        artifact: what holds the items.
        table: its table.
        column: the column of the reference texts.
        limit: use only that many rows from the start; None for all.
        sample: references wanted.
        seed: the recipe's seed.
    """
    from toolkit.perturb.probes import drawn

    def known() -> Iterator[tuple[int, str]]:
        rows = artifact.rows(table, ["item_id", column])
        for number, row in enumerate(islice(rows, limit)):
            if isinstance(row[column], str) and row[column].strip():
                yield number, row["item_id"]

    wanted = set(drawn(known(), sample, seed))
    rows = artifact.rows(table, ["item_id", column])
    return [
        (number, row["item_id"], row[column])
        for number, row in enumerate(islice(rows, limit))
        if number in wanted
    ]


def probed(params: Any, audit: Any, seed: int, item: str, reference: str) -> tuple[Probe, ...]:
    """Return the probes of one reference.

    Args:
        params: parameters of the judge.
        audit: parameters of the audit.
        seed: the recipe's seed.
        item: id of the item.
        reference: its reference.
    """
    from toolkit.perturb.probes import probes

    return probes(
        reference,
        item,
        kinds=(*audit.edits, *audit.rewrites),
        repeats=audit.repeats,
        swap=shows_both(params),
        seed=seed,
    )


def questions_ahead(
    recipe: Recipe, params: Any, audit: Any, items: int | None, where: tuple[Artifact | None, str]
) -> int:
    """Return how many judgements an audit takes: counted where the items exist, else the most.

    Args:
        recipe: the recipe.
        params: parameters of the judge.
        audit: parameters of the audit.
        items: rows of the table; None where it is not known yet.
        where: the artifact with the items, None where it is not made yet, and its table.
    """
    from toolkit.perturb.probes import most_questions, questions

    artifact, table = where
    wanted = int(audit.sample if items is None else min(audit.sample, items))
    if artifact is None:
        kinds = (*audit.edits, *audit.rewrites)
        return wanted * most_questions(kinds, audit.repeats, swap=shows_both(params))
    found = references(
        artifact,
        table,
        recipe.reference,
        limit=recipe.limit,
        sample=audit.sample,
        seed=recipe.seed,
    )
    counted = found[:_COUNTED]
    asked = sum(
        questions(probed(params, audit, recipe.seed, item, text)) for _, item, text in counted
    )
    return round(asked * len(found) / max(1, len(counted)))
