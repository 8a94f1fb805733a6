"""Gather what the report says from the artifacts of a run, and write it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolkit.corpus.funnel import KEPT, Funnel
from toolkit.corpus.rules import RULES
from toolkit.metrics.base import ScoreDefinition
from toolkit.plan.step import Step
from toolkit.report.build import build_report
from toolkit.report.inputs import (
    AnswerCounts,
    Evidence,
    EvidenceRow,
    Expectation,
    FunnelStep,
    ReportInputs,
    SuiteResult,
)
from toolkit.stages.context import Context, finish
from toolkit.stages.report_tables import report_tables
from toolkit.stages.slices import RowReader, Slice
from toolkit.store.manifest import Manifest
from toolkit.store.pieces import PieceWriter, ensure_piece

__all__ = ["run"]

SHOWN: Final = 200
"""Rows behind each line of the leaderboard that the page holds."""

LIMITS: Final = (
    "Word overlap and embedding similarity say how close an answer is to one author's wording, "
    "not whether it is true.",
    "Intervals cover the choice of items only, not the choice of prompt, reference or model "
    "version.",
)


def run(context: Context) -> Manifest:
    """Write the report.

    Returns:
        Files ``leaderboard.html``, ``.md``, ``.csv`` and ``.parquet``.
    """
    context.progress(0, 1, "report")
    inputs = _inputs(context)

    def write(writer: PieceWriter) -> Mapping[str, Any]:
        for path in build_report(inputs, context.folder):
            writer.adopt("report", path)
        return {}

    piece = ensure_piece(context.folder, "00000", write)
    context.progress(1, 1, "report")
    return finish(context, [piece])


def _inputs(context: Context) -> ReportInputs:
    board = context.artifacts["leaderboard"]
    generations = [step for step in context.plan.steps if step.stage == "generate"]
    splits = context.artifacts.get("splits")
    return ReportInputs(
        name=context.recipe.name,
        title=context.recipe.title,
        leaderboard=list(context.inputs["leaderboard"].rows("leaderboard")),
        scores=[ScoreDefinition(**data) for data in board.manifest.facts["definitions"]],
        items=max(_asked(context, step.name) for step in generations),
        split=", ".join(sorted({step.options["split"] for step in generations})),
        interval=board.manifest.facts["interval"],
        answers=[
            AnswerCounts(
                model=step.params["model"],
                prompt=step.params["prompt"],
                counts=context.artifacts[step.name].manifest.facts["status"],
            )
            for step in generations
        ],
        funnel=list(_funnel(context)),
        splits=splits.manifest.facts["splits"]["sizes"] if splits else {},
        validation=list(_validation(context)),
        evidence=[_evidence(context, step.name) for step in generations],
        notes=_notes(context),
        limits=_limits(context),
        titles=context.step.params["titles"],
        methods=_methods(context),
        tables=list(report_tables(context)),
    )


def _asked(context: Context, name: str) -> int:
    slices = context.artifacts[name].manifest.facts["slices"]
    return sum(last - first for first, last in slices)


def _funnel(context: Context) -> Iterator[FunnelStep]:
    funnel = Funnel.from_dict(context.artifacts["corpus"].manifest.facts["funnel"])
    for step in funnel.steps(list(RULES)):
        if step.rule == KEPT:
            continue
        by_file = {
            file: count for file in funnel.files() if (count := _of_file(funnel, file, step.rule))
        }
        yield FunnelStep(
            rule=step.rule,
            removed=step.removed,
            remaining=step.remaining,
            by_file=by_file if step.rule != "read" else {},
        )
    taken = context.artifacts.get("validate/corpus")
    if taken is not None and taken.manifest.facts.get("taken_out"):
        removed = taken.manifest.facts["taken_out"]
        yield FunnelStep(rule="quarantined", removed=removed, remaining=funnel.kept - removed)


def _of_file(funnel: Funnel, file: str, rule: str) -> int:
    return sum(
        count
        for (its_file, _, outcome), count in funnel.outcomes.items()
        if its_file == file and outcome == rule
    )


def _validation(context: Context) -> Iterator[SuiteResult]:
    for step in context.plan.steps:
        artifact = context.artifacts.get(step.name)
        if step.stage != "validate" or artifact is None:
            continue
        result = artifact.manifest.facts["result"]
        yield SuiteResult(
            suite=step.name.removeprefix("validate/"),
            expectations=[
                Expectation(
                    name=item["id"],
                    status=item["status"],
                    about=item["why"],
                    severity=item["severity"],
                    checked=item["element_count"] or None,
                    unexpected=item["unexpected_count"] if item["element_count"] else None,
                    observed=item["reason"],
                    failing_ids=item["failing_ids"],
                )
                for item in result["results"]
            ],
        )


def _evidence(context: Context, name: str) -> Evidence:
    step = context.plan.step(name)
    artifact = context.inputs[name]
    rows: list[dict[str, Any]] = []
    for row in artifact.rows("generations"):
        if len(rows) == SHOWN:
            break
        rows.append(row)
    keys = {(row["item_id"], row["repeat"]) for row in rows}
    scores = _scores(context, name, keys)
    items = _items(context, name, {row["item_id"] for row in rows})
    prompt = step.params["prompt"]
    own = context.recipe.prompts[prompt].reference if prompt else None
    reference = own or context.recipe.reference
    return Evidence(
        model=step.params["model"],
        prompt=prompt,
        total=artifact.manifest.rows("generations"),
        rows=[_row(row, items.get(row["item_id"], {}), reference, scores) for row in rows],
    )


def _row(
    row: Mapping[str, Any],
    item: Mapping[str, Any],
    reference: str,
    scores: Mapping[tuple[str, int], list[Mapping[str, Any]]],
) -> EvidenceRow:
    found = scores.get((row["item_id"], row["repeat"]), [])
    return EvidenceRow(
        item_id=row["item_id"],
        title=str(item.get("title") or ""),
        input=str(item.get("input") or ""),
        reference=str(item.get(reference) or ""),
        answer=row["answer"],
        status=row["status"],
        reason=row["reason"],
        repeat=row["repeat"],
        scores={score["score"]: score["value"] for score in found},
        missing={score["score"]: score["reason"] for score in found if score["value"] is None},
    )


def _scores(
    context: Context, generation: str, keys: set[tuple[str, int]]
) -> dict[tuple[str, int], list[Mapping[str, Any]]]:
    found: dict[tuple[str, int], list[Mapping[str, Any]]] = {}
    about = context.plan.step(generation).params
    seen: set[str] = set()
    for step in context.plan.steps:
        if step.stage not in ("judge", "score") or generation not in _generations(step):
            continue
        artifact = context.inputs[step.name]
        # Where rows were taken out, one artifact holds the scores of all steps.
        if artifact.fingerprint in seen:
            continue
        seen.add(artifact.fingerprint)
        for row in artifact.rows("scores"):
            key = (row["item_id"], row["repeat"])
            if key in keys and (row["model"], row["prompt"]) == (about["model"], about["prompt"]):
                found.setdefault(key, []).append(row)
    return found


def _generations(step: Step) -> list[str]:
    """Return the generation steps whose answers a step scores."""
    one = step.options.get("generation")
    return [one] if one is not None else list(step.options.get("generations", []))


def _items(context: Context, generation: str, ids: set[str]) -> dict[str, Mapping[str, Any]]:
    step = context.plan.step(generation)
    source = next(name for name in step.inputs if name in ("splits", "corpus"))
    reader = RowReader(context.inputs[source], step.params["table"])
    found: dict[str, Mapping[str, Any]] = {}
    for first, last in context.artifacts[generation].manifest.facts["slices"]:
        for item in reader.rows(Slice("", first, last)):
            if item["item_id"] in ids:
                found[item["item_id"]] = item
        if len(found) == len(ids):
            break
    return found


def _notes(context: Context) -> list[str]:
    notes = [model.note for model in context.recipe.models.values() if model.note]
    notes += _taken_out(context)
    notes += _mixed(context)
    journals = context.artifacts["corpus"].manifest.facts.get("journals")
    if journals is not None:
        found = journals["articles"]
        total = sum(found.values())
        notes.append(
            f"Journals of {total:,} articles: {found['issn']:,} found by ISSN, {found['title']:,} "
            f"by title, {found['unmatched']:,} not found "
            f"({100 * found['unmatched'] / max(total, 1):.1f} %); {journals['without_sjr']:,} "
            "found without a rank of their year or an earlier one."
        )
    splits = context.artifacts.get("splits")
    if splits is not None:
        rejected = splits.manifest.facts["splits"]["rejected"]
        notes += [
            f"{count:,} items are in no split: {reason}." for reason, count in rejected.items()
        ]
    for step in context.plan.steps:
        if step.stage not in ("judge", "score"):
            continue
        facts = context.artifacts[step.name].manifest.facts
        who = f"{step.params.get('model', '')} {step.params['prompt']}".strip()
        notes += [f"{who}: {note} ({count:,})." for note, count in facts["notes"].items()]
        if facts.get("rejected"):
            notes.append(
                f"{facts['rejected']:,} rows of the ratings of {step.params['judge']} are not "
                f"used; why stands in the rejects of {step.name}."
            )
    skipped = context.artifacts["corpus"].manifest.facts["funnel"]["skipped"]
    notes += [f"Source file {name} was skipped: {why}" for name, why in skipped.items()]
    return list(dict.fromkeys(notes))


def _mixed(context: Context) -> Iterator[str]:
    """Say where a name stood for several models: what changed behind it changed the numbers."""
    for step in context.plan.steps:
        if step.stage in ("generate", "judge") and step.name in context.artifacts:
            served = context.artifacts[step.name].manifest.facts.get("served", {})
            if len(served) > 1:
                named = ", ".join(f"{name} ({count:,})" for name, count in served.items())
                yield f"The replies of {step.name} came from different models: {named}."


def _taken_out(context: Context) -> list[str]:
    """Say which rows validation took out: means are then over the rest only."""
    notes: list[str] = []
    for step in context.plan.steps:
        artifact = context.artifacts.get(step.name)
        count = artifact.manifest.facts.get("taken_out", 0) if artifact else 0
        if step.stage != "validate" or not count or artifact is None:
            continue
        failed = [
            item["id"]
            for item in artifact.manifest.facts["result"]["results"]
            if item["status"] == "failed"
        ]
        of = artifact.manifest.facts["result"]["rows"]
        name = step.name.removeprefix("validate/")
        notes.append(
            f"Validation took {count:,} of {of:,} rows out of {name} ({', '.join(failed)}); "
            "what follows is about the others only."
        )
    return notes


def _limits(context: Context) -> list[str]:
    limits = list(LIMITS)
    truncated = sum(
        context.artifacts[step.name].manifest.facts["status"].get("truncated", 0)
        for step in context.plan.steps
        if step.stage == "generate"
    )
    if truncated:
        limits.append(
            f"{truncated:,} answers were cut at the token limit and are scored as far as they go."
        )
    return limits


def _methods(context: Context) -> dict[str, str]:
    recipe = context.recipe
    facts = {
        "recipe": recipe.name + (f", version {recipe.version}" if recipe.version else ""),
        "seed": str(recipe.seed),
        "source": recipe.corpus.source,
        "access": recipe.corpus.access,
    }
    for step in context.plan.steps:
        if step.stage == "generate":
            label = " ".join(
                filter(None, ("answers of", step.params["model"], step.params["prompt"]))
            )
            facts[label] = f"fingerprint {(step.fingerprint or '')[:16]}"
    for score, signature in context.artifacts["leaderboard"].manifest.facts["signatures"].items():
        facts[f"signature of {score}"] = signature
    for name in ("corpus", "splits"):
        if name in context.artifacts:
            facts[f"fingerprint of the {name}"] = context.artifacts[name].fingerprint[:16]
    return facts
