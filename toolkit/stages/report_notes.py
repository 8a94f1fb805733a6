"""What a reader must know before the numbers: notes, the funnel, results of validation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolkit.corpus.funnel import KEPT, Funnel
from toolkit.corpus.rules import RULES
from toolkit.release.card_texts import REASONS
from toolkit.report.inputs import Expectation, FunnelStep, SuiteResult
from toolkit.report.text import plural
from toolkit.stages.context import Context
from toolkit.stages.report_edits import edit_notes
from toolkit.stages.report_measured import measured_notes

__all__ = ["funnel_steps", "report_notes", "suite_results"]


def funnel_steps(context: Context) -> Iterator[FunnelStep]:
    """Yield the rules of the corpus and what each left; the last is what validation took out."""
    funnel = Funnel.from_dict(context.artifacts["corpus"].manifest.facts["funnel"])
    for step in funnel.steps(list(RULES)):
        if step.rule == KEPT:
            continue
        by_file = {
            file: count for file in funnel.files() if (count := _of_file(funnel, file, step.rule))
        }
        yield FunnelStep(
            rule=step.rule,
            about="records of the source" if step.rule == "read" else RULES.get(step.rule, ""),
            removed=step.removed,
            remaining=step.remaining,
            by_file=by_file if step.rule != "read" else {},
        )
    taken = context.artifacts.get("validate/corpus")
    if taken is not None and taken.manifest.facts.get("taken_out"):
        removed = taken.manifest.facts["taken_out"]
        yield FunnelStep(
            rule="quarantined",
            about="failed the expectations of the corpus",
            removed=removed,
            remaining=funnel.kept - removed,
        )


def _of_file(funnel: Funnel, file: str, rule: str) -> int:
    return sum(
        count
        for (its_file, _, outcome), count in funnel.outcomes.items()
        if its_file == file and outcome == rule
    )


def suite_results(context: Context) -> Iterator[SuiteResult]:
    """Yield the results of the expectation suites."""
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


def report_notes(context: Context) -> list[str]:
    """Return sentences on how to read the numbers, the recipe's own first."""
    notes = [model.note for model in context.recipe.models.values() if model.note]
    notes += _taken_out(context)
    notes += _mixed(context)
    notes += measured_notes(context)
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
        section = context.recipe.splits
        # A section of views alone assigns nothing, so nothing is left over.
        assigned = section is not None and bool(section.names)
        rejected = splits.manifest.facts["splits"]["rejected"] if assigned else {}
        notes += [
            f"In no split: {plural(count, 'item')}, {REASONS.get(reason, reason)}."
            for reason, count in rejected.items()
        ]
        notes += _samples(splits.manifest.facts.get("samples", {}))
    notes += edit_notes(context)
    for step in context.plan.steps:
        if step.stage not in ("judge", "score"):
            continue
        facts = context.artifacts[step.name].manifest.facts
        who = f"{step.params.get('model', '')} {step.params['prompt']}".strip()
        notes += [
            f"{who}: {note} in {plural(count, 'answer')}." for note, count in facts["notes"].items()
        ]
        if facts.get("rejected"):
            notes.append(
                f"{facts['rejected']:,} rows of the ratings of {step.params['judge']} are not "
                f"used; why stands in the rejects of {step.name}."
            )
    skipped = context.artifacts["corpus"].manifest.facts["funnel"]["skipped"]
    notes += [f"Source file {name} was skipped: {why}" for name, why in skipped.items()]
    return list(dict.fromkeys(notes))


def _samples(samples: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Say which values of a column had too few items for a sample, and which items had none."""
    for name, found in samples.items():
        column, asked = found["per"], found["sample"]
        if found["short"]:
            named = ", ".join(f"{value} {count:,}" for value, count in found["named"].items())
            more = found["short"] - len(found["named"])
            rest = f" and {more:,} more" if more else ""
            yield (
                f"View {name}: {asked:,} items of each value of {column} were asked for; fewer, "
                f"all of them taken, have {named}{rest}."
            )
        if found["without"]:
            lost = plural(found["without"], "item")
            yield f"View {name}: {lost} without a value of {column} could not be drawn."


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
