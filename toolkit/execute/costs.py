"""What the answers behind a run's report took: tokens from its artifacts, time from the ledger."""

from __future__ import annotations

import json
from collections import Counter
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

_Wire = tuple[str, str]
"""What the ledger knows a model by: the address of its server and the name it is asked by."""


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
    known = {who: add_usage(parts) for who, parts in sorted(usages.items())}
    behind: Counter[_Wire] = Counter()
    for (_, name), usage in known.items():
        behind[_wire(plan, name)] += usage["asked"]
    rows = [_row(plan, who, usage, asked, behind) for who, usage in known.items()]
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


def _model(plan: Plan, name: str) -> Any:
    section = plan.recipe.models[name]
    return member("models", section.provider)(section.params, plan.recipe.folder)


def _wire(plan: Plan, name: str) -> _Wire:
    """Return what the ledger knows a model by; one that is on no server stands for itself."""
    model = _model(plan, name)
    if model.where != "server":
        return "", name
    return model.endpoint, getattr(plan.recipe.models[name].params, "model", name)


def _row(
    plan: Plan,
    who: tuple[_Role, str],
    usage: Mapping[str, int],
    asked: list[Asked],
    behind: Mapping[_Wire, int],
) -> CostRow:
    role, name = who
    model = _model(plan, name)
    facts: dict[str, Any] = {
        "name": name,
        "role": role,
        "tokens_in": usage["prompt_tokens"],
        "tokens_out": usage["completion_tokens"],
        "tokens_reasoning": usage["reasoning_tokens"],
    }
    if model.where != "server":
        return CostRow(**facts, made=usage["asked"], usd=0.0)
    wire = _wire(plan, name)
    mine = [one for one in asked if (one.base_url, one.model) == wire]
    finished = sum(one.finished for one in mine)
    batch = model.execution == "batch"
    if model.price is not None:
        pico = model.price.cost(
            usage["prompt_tokens"],
            usage["completion_tokens"],
            cached_tokens=usage["cached_tokens"],
            reasoning_tokens=usage["reasoning_tokens"],
            batch=batch,
        )
        facts["usd"] = pico / PICO
    return CostRow(
        **facts,
        made=finished,
        reused=max(0, behind[wire] - finished),
        failed=sum(one.failed for one in mine),
        first_day=min((one.first_day for one in mine), default=None),
        last_day=max((one.last_day for one in mine), default=None),
        # A request in a batch waits with all others: its hours are those of the whole batch.
        hours=sum(one.hours for one in mine) if mine and not batch else None,
        asked_as=wire,
    )


def _notes(folder: Path, plan: Plan, usages: Mapping[tuple[_Role, str], Any]) -> Iterator[str]:
    hours, starts = _wall(folder)
    if starts:
        times = "one start" if starts == 1 else f"{starts} starts"
        yield f"The run took {hours:.2f} hours on the clock, over {times}."
    yield from _together(plan, usages)
    if any(getattr(_model(plan, name), "execution", "") == "batch" for _, name in usages):
        yield "How long models take to answer that were asked in batches is not known."
    if any(plan.recipe.models[name].provider != "openai_compatible" for _, name in usages):
        yield "Models on this machine cost no money here; what their time costs is not known."


def _together(plan: Plan, usages: Mapping[tuple[_Role, str], Any]) -> Iterator[str]:
    """Say which lines the ledger cannot tell apart."""
    lines: dict[_Wire, list[str]] = {}
    for role, name in sorted(usages):
        lines.setdefault(_wire(plan, name), []).append(f"{name} as {role}")
    for wire, names in lines.items():
        if wire[0] and len(names) > 1:
            yield (
                f"Calls, days and hours of {' and '.join(names)} are counted together, in each of "
                "these lines: a server is asked for all of them by one name."
            )


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
