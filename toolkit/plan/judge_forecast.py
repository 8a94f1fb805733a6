"""What judging will take: calls, tokens and price of the steps that ask a judge's model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from toolkit.plan.audits import questions_ahead
from toolkit.plan.step import Plan, Step
from toolkit.plan.variants import BOTH, PERTURB
from toolkit.recipe.sections import Prompt
from toolkit.recipe.slots import parse_slot
from toolkit.registry import member
from toolkit.store.artifact import open_artifact

__all__ = ["Judging", "judging"]

_CHARACTERS_A_TOKEN: Final = 4.0
_USUAL_TEXT: Final = 60.0
"""Tokens of a text that is not there yet: a conclusion has about as many."""

_CANARIES: Final = 7

_ANSWERS: Final = frozenset(("first", "original_output", "output", "second"))
"""What a judge is shown that differs from one model to the next."""


@dataclass(frozen=True, slots=True)
class Judging:
    """The forecast of one step that judges.

    Attributes:
        calls: calls without any re-ask; None where the answers are not known yet.
        most_calls: with every reply asked again as often as allowed.
        prompt_tokens: tokens read by a call, estimated.
        most_new: most tokens that a call may write.
        usd_low: price when nothing is written and nothing asked again; None without prices.
        usd_high: price when every call writes to its limit and is asked again.
    """

    calls: int | None
    most_calls: int | None
    prompt_tokens: float
    most_new: int
    usd_low: float | None
    usd_high: float | None


def judging(plan: Plan, step: Step, rows: Mapping[str, int | None]) -> Judging | None:
    """Return the forecast of a judging step; None for one that asks no model."""
    params = plan.recipe.judges[step.params["judge"]].params
    name = getattr(params, "model", None)
    if step.options.get("source", "asks") not in ("asks", "compares") or name is None:
        return None
    calls = _calls(plan, step, params, rows)
    prompts = _prompts(params)
    longer = max([params.retry_tokens or 0, *(p.retry_tokens or 0 for p in prompts)])
    reask = max([params.reask, *(p.reask or 0 for p in prompts)])
    most = None if calls is None else calls * (1 + reask + bool(longer))
    model = plan.recipe.models[name]
    most_new = max(int(getattr(model.params, "max_tokens", 0) or 0), longer)
    read = _prompt_tokens(params)
    low, high = _price(plan, name, calls, most, read, most_new)
    return Judging(calls, most, read, most_new, low, high)


def _calls(plan: Plan, step: Step, params: Any, rows: Mapping[str, int | None]) -> int | None:
    stages = max(1, len(getattr(params, "stages", {})))
    if step.stage == "canary":
        return int(step.params["canaries"]) * _CANARIES * stages
    if step.stage == "audit":
        audit = plan.recipe.analyses[step.options["index"]].params
        source = plan.step(step.inputs[0])
        made = source.fingerprint and open_artifact(
            plan.workspace.artifact(source.stage, source.fingerprint)
        )
        where = (made or None, step.params["table"])
        items = rows.get(step.name)
        return questions_ahead(plan.recipe, params, audit, items, where) * stages
    if step.options["source"] == "compares":
        return _pairs(step, params, rows)
    answers = rows.get(step.options["generation"])
    if answers is None:
        return None
    asked, judged = _levels(plan, step, params)
    rows_judged = answers * judged / asked
    calls = rows_judged * stages
    for variants in _about_items(params):
        once = rows_judged if variants else answers / asked
        calls += (once if _is_first(plan, step) else 0) - rows_judged
    return round(calls * int(params.repeats))


def _levels(plan: Plan, step: Step, params: Any) -> tuple[int, int]:
    """Return how many rows of answers an item has, and how many of them are judged."""
    generation = plan.step(step.options["generation"])
    perturb = plan.recipe.perturb
    if perturb is None or generation.items_from != PERTURB:
        return 1, 1
    asked = len(perturb.levels) + (generation.params["table"] == BOTH)
    return asked, len(getattr(params, "levels", ()) or perturb.levels)


def _about_items(params: Any) -> list[bool]:
    """Return, of each stage that asks the same of every model's answers, if it shows variants."""
    found: dict[str, bool] = {}
    for name, prompt in getattr(params, "stages", {}).items():
        slots = [parse_slot(value) for value in prompt.slots.values()]
        shown = {slot.name for slot in slots if slot.kind == "judged"}
        earlier = [slot.name for slot in slots if slot.kind == "answer"]
        if not shown & _ANSWERS and all(stage in found for stage in earlier):
            found[name] = bool(shown) or any(found[stage] for stage in earlier)
    return list(found.values())


def _is_first(plan: Plan, step: Step) -> bool:
    """Return whether a step is the first in which its judge looks at the items of a table."""
    for other in plan.steps:
        if other.stage == "judge" and other.params["judge"] == step.params["judge"]:
            tables = [plan.step(one.options["generation"]).params["table"] for one in (other, step)]
            if tables[0] == tables[1]:
                return other.name == step.name
    return True


def _pairs(step: Step, params: Any, rows: Mapping[str, int | None]) -> int | None:
    group = [rows.get(name) for name in step.options["generations"]]
    if None in group or not group:
        return None
    answers = min(count or 0 for count in group)
    models, against = len(group), len(step.options["opponents"])
    pairs = models * against or models * (models - 1) // 2
    return answers * pairs * (2 if params.both_orders else 1)


def _prompt_tokens(params: Any) -> float:
    """Estimate the tokens of a question: its template, and a usual text for each slot."""
    prompts = _prompts(params)
    tokens = 0.0
    for prompt in prompts:
        files = [file for file in (prompt.file, prompt.system, prompt.user) if file]
        length = sum(len(Path(file).read_text(encoding="utf-8")) for file in files)
        tokens += length / _CHARACTERS_A_TOKEN + _USUAL_TEXT * len(prompt.slots)
    return tokens / max(1, len(prompts))


def _prompts(params: Any) -> list[Prompt]:
    asked = (params.prompt, *getattr(params, "stages", {}).values())
    return [prompt for prompt in asked if prompt is not None]


def _price(
    plan: Plan,
    name: str,
    calls: int | None,
    most: int | None,
    read: float,
    most_new: int,
) -> tuple[float | None, float | None]:
    model = plan.recipe.models[name]
    made = member("models", model.provider)(model.params, plan.recipe.folder)
    if made.where != "server":
        return 0.0, 0.0
    if made.price is None or calls is None or most is None:
        return None, None
    batch = made.execution == "batch"
    low = calls * made.price.cost(round(read), 0, batch=batch)
    high = most * made.price.bound(round(read), most_new, batch=batch)
    return low / 1e12, high / 1e12
