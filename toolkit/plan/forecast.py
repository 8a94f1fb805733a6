"""What a run will take: rows, calls, tokens, money, disk, memory and time of each step.

Everything here is an estimate and says so. Tokens are counted on at most 200 seeded rows once
the items exist; before that, only what the recipe states is known.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from toolkit.models.token_counter import counter_of
from toolkit.plan.cost import Cost
from toolkit.plan.judge_forecast import judging
from toolkit.plan.measure_forecast import measuring
from toolkit.plan.perturb_forecast import perturbing
from toolkit.plan.step import Plan, Step
from toolkit.plan.variants import PERTURB
from toolkit.recipe.access_check import attested_sentences
from toolkit.registry import member
from toolkit.store.artifact import Artifact, open_artifact
from toolkit.store.ledger_types import PICO
from toolkit.store.ledger_view import LedgerView

__all__ = ["SAMPLE_ROWS", "Cost", "Forecast", "forecast"]

SAMPLE_ROWS: Final = 200
CHARACTERS_A_TOKEN: Final = 4.0
"""Where no tokenizer is at hand: English text has about four characters a token."""

XML_BYTES_A_SECOND: Final = 20e6
LOCAL_PROMPT_TOKENS_A_SECOND: Final = 80.0
LOCAL_NEW_TOKENS_A_SECOND: Final = 40.0
SERVER_SECONDS_A_CALL: Final = 2.0
SCORES_A_SECOND: Final = {"bleu": 1000.0}
ROW_BYTES: Final = {"generate": 1500, "score": 40, "corpus": 1200, "splits": 1200}
SMALL_BYTES: Final = 100_000
WORKER_BYTES: Final = {
    "corpus": 200_000_000,
    "splits": 300_000_000,
    "generate": 400_000_000,
    "score": 900_000_000,
    "validate": 600_000_000,
}


@dataclass(frozen=True, slots=True)
class Forecast:
    """The costs by step and the sentences that say how far they can be trusted."""

    steps: Mapping[str, Cost]
    sentences: tuple[str, ...] = field(default=())

    def to_dict(self, plan: Plan) -> dict[str, Any]:
        """Return the plan and its costs as JSON."""
        return {
            "recipe": plan.recipe.name,
            "run": plan.run_name,
            "steps": [
                {
                    "name": step.name,
                    "stage": step.stage,
                    "fingerprint": step.fingerprint,
                    "state": step.state,
                    "why": step.why,
                    **asdict(self.steps[step.name]),
                }
                for step in plan.steps
            ],
            "sentences": list(self.sentences),
        }


def forecast(plan: Plan) -> Forecast:
    """Estimate what the steps that would run take; a reused step takes nothing."""
    rows: dict[str, int | None] = {}
    costs: dict[str, Cost] = {}
    for step in plan.steps:
        cost = _cost(plan, step, rows)
        rows[step.name] = cost.rows
        if step.state == "reused":
            cost = Cost(rows=cost.rows, disk_bytes=cost.disk_bytes, hours=0.0)
        costs[step.name] = cost
    return Forecast(costs, tuple(_sentences(plan, costs)))


def _cost(plan: Plan, step: Step, rows: Mapping[str, int | None]) -> Cost:
    artifact = _artifact(plan, step)
    if step.stage == "corpus":
        return _corpus(plan, artifact)
    if step.stage == "splits":
        return _splits(plan, artifact, rows)
    if step.stage == "perturb":
        return perturbing(plan, step, _selected(plan, step, rows), artifact)
    if step.stage == "generate":
        return _generate(plan, step, rows)
    if step.stage == "audit":
        rows = {**rows, step.name: _selected(plan, step, rows)}
    if step.stage in ("judge", "canary", "audit"):
        return _judge(plan, step, rows, artifact)
    if step.stage == "measure":
        return measuring(plan, step, rows, artifact)
    if step.stage == "score":
        return _score(plan, step, rows)
    return _rest(plan, step, rows, artifact)


def _rest(
    plan: Plan, step: Step, rows: Mapping[str, int | None], artifact: Artifact | None
) -> Cost:
    """Return the cost of a step that asks nobody: validation, leaderboard, report, release."""
    read = [rows.get(name) for name in step.inputs]
    known = None if None in read else sum(count or 0 for count in read)
    disk: int | None = SMALL_BYTES
    if step.stage == "leaderboard":
        known = _leaderboard_rows(plan)
    elif step.stage == "report":
        known = rows.get("leaderboard")
    elif step.stage == "release":
        known = rows.get(step.inputs[0])
        disk = None if known is None else known * ROW_BYTES["splits"]
    # Great Expectations takes seconds to import, once a run, then reads some 10,000 rows a second.
    seconds = 1.0 + (known or 0) / 10_000
    return Cost(
        rows=known,
        disk_bytes=_size(artifact) if artifact else disk,
        memory_bytes=WORKER_BYTES.get(step.stage, 200_000_000),
        hours=seconds / 3600,
    )


def _artifact(plan: Plan, step: Step) -> Artifact | None:
    if step.fingerprint is None:
        return None
    return open_artifact(plan.workspace.artifact(step.stage, step.fingerprint))


def _size(artifact: Artifact) -> int:
    return sum(shard.bytes for shard in artifact.manifest.shards)


def _workers(plan: Plan) -> int:
    return plan.recipe.execution.workers or os.cpu_count() or 1


def _corpus(plan: Plan, artifact: Artifact | None) -> Cost:
    if artifact is not None:
        return Cost(rows=artifact.manifest.rows("items"), disk_bytes=_size(artifact), hours=0.0)
    corpus = plan.recipe.corpus
    source = member("sources", corpus.source)(corpus.params, plan.recipe.folder)
    size = 0
    if not source.remote:
        for part in source.parts():
            if part.path is not None:
                packed = part.path.suffix == ".gz"
                size += part.path.stat().st_size * (7 if packed else 1)
    return Cost(
        disk_bytes=int(size * 0.25) or None,
        memory_bytes=WORKER_BYTES["corpus"],
        hours=size / XML_BYTES_A_SECOND / _workers(plan) / 3600 if size else None,
    )


def _splits(plan: Plan, artifact: Artifact | None, rows: Mapping[str, int | None]) -> Cost:
    splits = plan.recipe.splits
    assert splits is not None
    known = sum(splits.sizes.values()) if splits.sizes else rows.get("corpus")
    if artifact is not None:
        known = artifact.manifest.rows("assignment")
    return Cost(
        rows=known,
        disk_bytes=_size(artifact) if artifact else known and known * ROW_BYTES["splits"],
        memory_bytes=WORKER_BYTES["splits"],
        hours=None if known is None else known / 300 / _workers(plan) / 3600,
    )


def _selected(plan: Plan, step: Step, rows: Mapping[str, int | None]) -> int | None:
    where, table = step.items_from, step.params["table"]
    artifact = _artifact(plan, plan.step(where))
    splits = plan.recipe.splits
    known: int | None
    if artifact is not None:
        known = artifact.manifest.rows(table)
    elif where == PERTURB:
        return rows.get(where)
    elif splits is not None and splits.sizes and step.options["split"] in splits.sizes:
        known = splits.sizes[step.options["split"]]
    elif splits is not None and step.options["split"] in splits.views:
        view = splits.views[step.options["split"]]
        # How many values the column has is not known before the items are there.
        known = view.sample if view.per is None else None
    else:
        known = rows.get(where) if table == "items" else None
    limit = step.params["limit"]
    return known if known is None or limit is None else min(known, limit)


def _generate(plan: Plan, step: Step, rows: Mapping[str, int | None]) -> Cost:
    items = _selected(plan, step, rows)
    calls = None if items is None else items * step.params["repeats"]
    disk = None if calls is None else calls * ROW_BYTES["generate"]
    if not step.params["prompt"]:
        return Cost(rows=calls, disk_bytes=disk, memory_bytes=200_000_000, hours=0.0)
    model = plan.recipe.models[step.params["model"]]
    prompt_tokens = _prompt_tokens(plan, step)
    most_new = int(getattr(model.params, "max_tokens", 0) or 0)
    tokens = None
    if calls is not None and prompt_tokens is not None:
        tokens = int(calls * (prompt_tokens + most_new))
    low, high = _price(plan, step, calls, prompt_tokens, most_new)
    return Cost(
        rows=calls,
        calls=calls,
        tokens=tokens,
        usd_low=low,
        usd_high=high,
        disk_bytes=disk,
        memory_bytes=WORKER_BYTES["generate"],
        hours=_hours(plan, step, step.params["model"], calls, prompt_tokens, most_new),
    )


def _hours(
    plan: Plan,
    step: Step,
    name: str,
    calls: int | None,
    prompt_tokens: float | None,
    most_new: int,
) -> float | None:
    if calls is None:
        return None
    if step.options["where"] == "server":
        model = plan.recipe.models[name]
        at_once = getattr(model.params, "concurrency", 1)
        return calls * SERVER_SECONDS_A_CALL / at_once / 3600
    reading = (prompt_tokens or 400.0) / LOCAL_PROMPT_TOKENS_A_SECOND
    writing = most_new / LOCAL_NEW_TOKENS_A_SECOND
    return calls * (reading + writing) / _workers(plan) / 3600


def _price(
    plan: Plan, step: Step, calls: int | None, prompt_tokens: float | None, most_new: int
) -> tuple[float | None, float | None]:
    if step.options["where"] != "server":
        return 0.0, 0.0
    model = plan.recipe.models[step.params["model"]]
    made = member("models", model.provider)(model.params, plan.recipe.folder)
    price, batch = made.price, made.execution == "batch"
    if price is None or calls is None or prompt_tokens is None:
        return None, None
    low = calls * price.cost(round(prompt_tokens), 0, batch=batch)
    high = calls * price.bound(round(prompt_tokens), most_new, batch=batch)
    return low / 1e12, high / 1e12


def _prompt_tokens(plan: Plan, step: Step) -> float | None:
    """Return the mean number of tokens of a rendered prompt over a sample, None without items."""
    from toolkit.prompts.render import Renderer

    where, table = step.items_from, step.params["table"]
    artifact = _artifact(plan, plan.step(where))
    if artifact is None or artifact.manifest.rows(table) == 0:
        return None
    name = step.params["prompt"]
    renderer = Renderer(name, plan.recipe.prompts[name])
    count = counter_of(plan.recipe.models[step.params["model"]].params) or _estimated
    lengths = [
        sum(count(text) for _, text in renderer.turns(row))
        for row in _sample(artifact, table, plan.recipe.seed)
    ]
    return sum(lengths) / len(lengths)


def _estimated(text: str) -> float:
    return len(text) / CHARACTERS_A_TOKEN


def _sample(artifact: Artifact, table: str, seed: int) -> Iterator[dict[str, Any]]:
    import random

    total = artifact.manifest.rows(table)
    wanted = set(random.Random(seed).sample(range(total), min(SAMPLE_ROWS, total)))  # noqa: S311
    for number, row in enumerate(artifact.rows(table)):
        if number in wanted:
            yield row


def _judge(
    plan: Plan, step: Step, rows: Mapping[str, int | None], artifact: Artifact | None
) -> Cost:
    ahead = judging(plan, step, rows)
    answers = rows.get(step.options.get("generation", ""))
    if ahead is None:
        return _rest(plan, step, rows, artifact)
    tokens = None
    if ahead.most_calls is not None:
        tokens = int(ahead.most_calls * (ahead.prompt_tokens + ahead.most_new))
    name = plan.recipe.judges[step.params["judge"]].params.model
    return Cost(
        rows=answers if answers is not None else ahead.calls,
        calls=ahead.calls,
        tokens=tokens,
        usd_low=ahead.usd_low,
        usd_high=ahead.usd_high,
        disk_bytes=None if ahead.calls is None else ahead.calls * ROW_BYTES["generate"],
        memory_bytes=WORKER_BYTES["generate"],
        hours=_hours(plan, step, name, ahead.calls, ahead.prompt_tokens, ahead.most_new),
    )


def _score(plan: Plan, step: Step, rows: Mapping[str, int | None]) -> Cost:
    answers = rows.get(step.options["generation"])
    rate = SCORES_A_SECOND.get(step.params["metric"], 5000.0)
    return Cost(
        rows=answers,
        disk_bytes=None if answers is None else answers * ROW_BYTES["score"],
        memory_bytes=WORKER_BYTES["score"],
        hours=None if answers is None else answers / rate / _workers(plan) / 3600,
    )


def _leaderboard_rows(plan: Plan) -> int:
    return sum(step.stage == "score" for step in plan.steps)


def _sentences(plan: Plan, costs: Mapping[str, Cost]) -> Iterator[str]:
    states = [step.state for step in plan.steps]
    yield (
        f"{len(states)} steps: {states.count('reused')} reused, {states.count('resumes')} resumed, "
        f"{states.count('runs')} to run"
        + (f", {states.count('blocked')} blocked" if "blocked" in states else "")
    )
    local, server = _calls(plan, costs, "worker"), _calls(plan, costs, "server")
    yield f"model calls on this machine: {local}; to servers: {server}"
    high = [cost.usd_high for cost in costs.values()]
    if any(value is None for value in high):
        yield "price: not known for every step; give models prices to see it"
        yield from _budget(plan, None)
    else:
        low = sum(cost.usd_low or 0 for cost in costs.values())
        most = sum(value or 0 for value in high)
        yield f"price: ${low:.2f} to ${most:.2f}"
        yield from _budget(plan, most)
    asked = {step.params["model"] for step in plan.steps if step.stage == "generate"}
    counted = sorted(name for name in asked if counter_of(plan.recipe.models[name].params))
    how = f"estimated at {CHARACTERS_A_TOKEN:g} characters a token"
    if counted:
        how = f"counted with the tokenizer of {', '.join(counted)}, for the others {how}"
    yield (
        f"tokens are {how} on at most {SAMPLE_ROWS} seeded rows, plus the most new tokens a call "
        "may write; hours are rough"
    )
    yield from attested_sentences(plan.recipe)
    for step in plan.steps:
        if step.state == "blocked":
            yield f"blocked: {step.name}: {step.unknown}"


def _budget(plan: Plan, most: float | None) -> Iterator[str]:
    """Say what is left of the budget, and whether the dearest case fits."""
    budget = plan.recipe.execution.budget_usd
    if budget is None:
        return
    view = LedgerView(plan.workspace.ledger)
    spent = 0.0
    if plan.run_name is not None and view.exists:
        spent = view.counts(plan.run_name).spent_pico_usd / PICO
    left = budget - spent
    fits = "what it takes is not known yet"
    if most is not None:
        fits = "the dearest case fits" if most <= left else "the dearest case would end it early"
    yield f"budget: ${budget:.2f}, ${spent:.4f} spent by this run so far, ${left:.2f} left: {fits}"


def _calls(plan: Plan, costs: Mapping[str, Cost], where: str) -> str:
    counts = [
        costs[step.name].calls
        for step in plan.steps
        if step.stage in ("generate", "judge", "canary", "audit") and step.options["where"] == where
    ]
    known = sum(count or 0 for count in counts)
    if None in counts:
        return f"at least {known:,}" if known else "not known before the items are built"
    return f"{known:,}"
