"""What the numbers of a report do not show, said from what its steps counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolkit.report.audit import JudgeAudit
from toolkit.report.text import count, plural
from toolkit.stages.context import Context

__all__ = ["report_limits"]

_SMALL: Final = 100
"""Items below which intervals are too wide for most claims (at 100, a share of one half is known
to about ten points either way)."""

_ALWAYS: Final = (
    "Word overlap and embedding similarity say how close an answer is to one author's wording, "
    "not whether it is true.",
    "Intervals cover the choice of items only, not the choice of prompt, reference or model "
    "version.",
)


def report_limits(
    context: Context, rows: Sequence[Mapping[str, Any]], audits: Sequence[JudgeAudit], of: int
) -> list[str]:
    """Return the limits, general ones first.

    Args:
        context: of the report.
        rows: of the leaderboard.
        audits: of the judges.
        of: items that the competitors were asked about.
    """
    limits = [*_ALWAYS, *_answers(context), *_missing(rows), *_small(of)]
    return [*limits, *_judges(context, audits), *_corpus(context)]


def _answers(context: Context) -> Iterator[str]:
    status: dict[str, int] = {}
    for step in context.plan.steps:
        if step.stage == "generate":
            for name, number in context.artifacts[step.name].manifest.facts["status"].items():
                status[name] = status.get(name, 0) + number
    if status.get("truncated"):
        yield (
            f"{count(status['truncated'])} answers were cut at the token limit and are scored as "
            "far as they go."
        )
    lost = {name: status.get(name, 0) for name in ("invalid", "refused", "error")}
    if any(lost.values()):
        named = ", ".join(f"{count(number)} {name}" for name, number in lost.items() if number)
        yield f"Answers without a score: {named}. They are missing, not wrong: see n."


def _missing(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    by_score: dict[str, int] = {}
    for row in rows:
        if row["n_missing"]:
            by_score[row["score"]] = by_score.get(row["score"], 0) + row["n_missing"]
    if by_score:
        named = ", ".join(f"{name} {count(number)}" for name, number in sorted(by_score.items()))
        yield (
            f"Rows without a value, over all lines: {named}. Lines with unequal n are means over "
            "unequal rows; compare them with care."
        )


def _small(of: int) -> Iterator[str]:
    if of < _SMALL:
        yield (
            f"{plural(of, 'item')} carry wide intervals: a difference that does not show here may "
            "still exist."
        )


def _judges(context: Context, audits: Sequence[JudgeAudit]) -> Iterator[str]:
    judges = {name: judge for name, judge in context.recipe.judges.items() if judge.type != "human"}
    used = {
        step.params["judge"]
        for step in context.plan.steps
        if step.stage == "judge" and step.params["judge"] in judges
    }
    if not used:
        return
    people = [name for name, judge in context.recipe.judges.items() if judge.type == "human"]
    if not people:
        yield (
            f"No person rated any answer: whether {_listed(used)} agree with people is not shown."
        )
    blind = [f"{audit.judge} on {audit.score}" for audit in audits if audit.blind]
    if blind:
        yield (f"Blind to planted edits, so that its numbers rank nothing: {', '.join(blind)}.")
    tried = {audit.judge for audit in audits}
    if used - tried:
        yield f"Not tried on planted edits: {_listed(used - tried)}."


def _corpus(context: Context) -> Iterator[str]:
    counts = context.artifacts["corpus"].manifest.facts["funnel"].get("counts", {})
    leaks = counts.get("leak_sections", 0)
    if leaks:
        yield (
            f"{plural(leaks, 'section')} shown to models may restate the conclusion (leak_risk)."
        )
    if counts.get("retracted_kept"):
        yield f"{plural(counts['retracted_kept'], 'retracted article')} were kept."


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names))
