"""Judge answers: scores that a model, a person, or several judges together give them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from importlib import import_module
from typing import Any, Final

from toolkit.judges.panel import Panel
from toolkit.metrics.base import Value
from toolkit.recipe.recipe import Recipe
from toolkit.registry import member
from toolkit.stages.context import Context
from toolkit.store.canonical import digest
from toolkit.store.manifest import Manifest

__all__ = ["judge_facts", "make_judge", "run", "score_row"]

STAGES: Final[Mapping[str, str]] = {
    "asks": "toolkit.stages.judge_asking",
    "combines": "toolkit.stages.judge_panel",
    "compares": "toolkit.stages.judge_pairs",
    "entails": "toolkit.stages.judge_nli",
    "reads": "toolkit.stages.judge_human",
}
"""Where judges of each source are run."""


def run(context: Context) -> Manifest:
    """Judge the answers of one generation step, or compare those of several.

    Returns:
        Table ``scores``, beside it ``judgements`` or ``comparisons`` with every reply; facts
        ``definitions``, ``signature``, ``notes`` and ``status`` (replies by status).
    """
    judge = make_judge(context.recipe, context.step.params["judge"])
    stage: Callable[[Context, Any], Manifest] = import_module(STAGES[judge.source]).run
    return stage(context, judge)


def make_judge(recipe: Recipe, name: str) -> Any:
    """Return the judge of that name in the recipe; a panel knows its members."""
    section = recipe.judges[name]
    cls = member("judges", section.type)
    if cls is Panel:
        members = {other: make_judge(recipe, other) for other in section.params.judges}
        return Panel(section.params, members)
    return cls(section.params)


def score_row(answer: Mapping[str, Any], judge: str, column: str, value: Value) -> dict[str, Any]:
    """Return a row of the ``scores`` table for an answer."""
    return {
        "item_id": answer["item_id"],
        "model": answer["model"],
        "prompt": answer["prompt"],
        "repeat": answer["repeat"],
        "metric": judge,
        "score": column,
        "value": value.value,
        "reason": value.reason,
    }


def judge_facts(
    context: Context, judge: Any, counts: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the facts of a judging step.

    Args:
        context: the step.
        judge: the judge.
        counts: facts of the pieces: ``status`` and ``notes`` counted.
    """
    columns = context.step.params["columns"]
    return {
        "definitions": [asdict(item) for item in judge.definitions(columns)],
        "signature": _signature(context, judge),
        "notes": _added(counts, "notes"),
        "status": _added(counts, "status"),
        "served": _added(counts, "served"),
    }


def _signature(context: Context, judge: Any) -> str:
    """Write whose scores these are; ``print`` covers prompts, parameters and the model."""
    params = context.step.params
    name = params["judge"]
    parts = [f"judge:{name}", f"type:{judge.name}", f"version:{judge.version}"]
    model = context.recipe.models.get(str(getattr(judge.params, "model", None)))
    if model is not None:
        parts.append(f"model:{getattr(model.params, 'model', None) or judge.params.model}")
    # Not their fingerprints: those differ with every model that is judged, and one panel is one
    # scorer for all of them.
    members = [
        [other.params.get("judge_identity"), other.params.get("model_identity")]
        for other in map(context.plan.step, context.step.options.get("members", []))
    ]
    identity = [params.get("judge_identity"), params.get("model_identity"), members]
    parts.append(f"print:{digest(identity)[:8]}")
    return "|".join(parts)


def _added(counts: Sequence[Mapping[str, Any]], key: str) -> dict[str, int]:
    total: dict[str, int] = {}
    for facts in counts:
        for name, count in facts.get(key, {}).items():
            total[name] = total.get(name, 0) + count
    return dict(sorted(total.items()))
