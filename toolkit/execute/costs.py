"""What the answers behind a run's report took: tokens from its artifacts, time from the ledger."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

from toolkit.ask.usage import USAGE, add_usage
from toolkit.plan.step import Plan, Step
from toolkit.registry import member
from toolkit.report.costs import CostRow, RunCosts
from toolkit.store.artifact import Artifact
from toolkit.store.ledger_types import PICO
from toolkit.store.ledger_view import Asked, LedgerView

__all__ = ["run_costs"]

_TABLES: Final[Mapping[str, tuple[str, ...]]] = {
    "generate": ("generations",),
    "judge": ("judgements", "comparisons"),
}
"""Tables whose rows say what an answer took; other stages say it in their manifest."""

_Role = Literal["candidate", "judge"]


def run_costs(plan: Plan, done: Mapping[str, Artifact], folder: Path) -> RunCosts:
    """Return what the answers of a run took, whoever asked for them and when.

    Tokens and money are those of all answers that the report rests on, money at the recipe's
    prices; calls, days and hours are those of this run, over all its starts.

    Args:
        plan: the plan of the run.
        done: its finished artifacts by step.
        folder: the run's folder.
    """
    usages: dict[tuple[_Role, str], list[Mapping[str, int]]] = {}
    for step in plan.steps:
        who = _asked(plan, step)
        if who is not None and step.name in done:
            usages.setdefault(who, []).append(_usage(step, done[step.name]))
    view = LedgerView(plan.workspace.ledger)
    asked = view.by_model(plan.run_name or "") if view.exists else []
    rows = [
        _row(plan, role, name, add_usage(parts), asked)
        for (role, name), parts in sorted(usages.items())
    ]
    return RunCosts(rows=rows, notes=[*_notes(folder, plan, usages), *_ledger_notes(plan, view)])


def _asked(plan: Plan, step: Step) -> tuple[_Role, str] | None:
    """Return which model a step asks and as what; None when it asks none."""
    if step.stage == "generate":
        return ("candidate", step.params["model"]) if step.options["kind"] == "model" else None
    if step.stage not in ("judge", "canary", "audit"):
        return None
    model = getattr(plan.recipe.judges[step.params["judge"]].params, "model", None)
    return ("judge", model) if isinstance(model, str) and model in plan.recipe.models else None


def _usage(step: Step, artifact: Artifact) -> dict[str, int]:
    parts = [artifact.manifest.facts.get("usage", dict.fromkeys(USAGE, 0))]
    for table in _TABLES.get(step.stage, ()):
        parts += [_sums(batch) for batch in artifact.batches(table, USAGE)]
    return add_usage(parts)


def _sums(batch: Any) -> dict[str, int]:
    import pyarrow.compute as pc

    return {name: pc.sum(batch[name]).as_py() or 0 for name in USAGE}


def _row(
    plan: Plan, role: _Role, name: str, usage: Mapping[str, int], asked: list[Asked]
) -> CostRow:
    section = plan.recipe.models[name]
    model = member("models", section.provider)(section.params, plan.recipe.folder)
    facts: dict[str, Any] = {
        "name": name,
        "role": role,
        "tokens_in": usage["prompt_tokens"],
        "tokens_out": usage["completion_tokens"],
        "tokens_reasoning": usage["reasoning_tokens"],
    }
    if model.where != "server":
        return CostRow(**facts, made=usage["asked"], usd=0.0)
    wire = getattr(section.params, "model", name)
    mine = [one for one in asked if (one.base_url, one.model) == (model.endpoint, wire)]
    finished = sum(one.finished for one in mine)
    if model.price is not None:
        pico = model.price.cost(
            usage["prompt_tokens"],
            usage["completion_tokens"],
            cached_tokens=usage["cached_tokens"],
            reasoning_tokens=usage["reasoning_tokens"],
            batch=model.execution == "batch",
        )
        facts["usd"] = pico / PICO
    return CostRow(
        **facts,
        made=finished,
        reused=max(0, usage["asked"] - finished),
        failed=sum(one.failed for one in mine),
        first_day=min((one.first_day for one in mine), default=None),
        last_day=max((one.last_day for one in mine), default=None),
        hours=sum(one.hours for one in mine) if mine else None,
    )


def _notes(folder: Path, plan: Plan, usages: Mapping[tuple[_Role, str], Any]) -> Iterator[str]:
    hours, starts = _wall(folder)
    if starts:
        times = "one start" if starts == 1 else f"{starts} starts"
        yield f"The run took {hours:.2f} hours on the clock, over {times}."
    both = sorted(
        name for role, name in usages if role == "judge" and ("candidate", name) in usages
    )
    if both:
        yield (
            f"Calls, days and hours of {', '.join(both)}, asked as candidate and as judge, stand "
            "in both lines."
        )
    if any(plan.recipe.models[name].provider != "openai_compatible" for _, name in usages):
        yield "Models on this machine cost no money here; what their time costs is not known."


def _ledger_notes(plan: Plan, view: LedgerView) -> Iterator[str]:
    run = plan.run_name
    if run is None or not view.exists:
        return
    spent = view.counts(run).spent_pico_usd
    if spent:
        bounded = view.bounded(run)
        least = f", ${bounded / PICO:.4f} of it an upper bound" if bounded else ""
        yield f"The ledger counts ${spent / PICO:.4f} for the calls of this run itself{least}."


def _wall(folder: Path) -> tuple[float, int]:
    """Return the hours of all starts of a run and how many there were."""
    try:
        data = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return 0.0, 0
    spans = [(start.get("started"), start.get("ended")) for start in data.get("earlier", [])]
    # The start in hand has not ended: its report is what is being written.
    spans.append((data.get("started"), data.get("ended") or datetime.now(UTC).isoformat()))
    known = [(first, last) for first, last in spans if first and last]
    seconds = [
        (datetime.fromisoformat(last) - datetime.fromisoformat(first)).total_seconds()
        for first, last in known
    ]
    return sum(seconds) / 3600, len(known)
