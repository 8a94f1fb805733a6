"""What a review found: accepted or refused, every reason, every number."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from toolkit.release.markdown import code, escape
from toolkit.report.text import number
from toolkit.results.record import Result, ScoreResult
from toolkit.submissions.manifest import Manifest

__all__ = ["REPORT_FORMAT", "Verdict", "interval_name", "verdict_json", "verdict_markdown"]

REPORT_FORMAT: Final = 1
_LISTED: Final = 50
"""Answers that a report lists one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The outcome of a review.

    Attributes:
        bundle_id: what was reviewed; empty where the bundle could not be read.
        manifest: what the submitter declared; None where it could not be read.
        handed_in_by: who handed it in, as the platform knows it; empty where nobody vouches for it.
        date: ISO day of the submission.
        tier: ``re-scored`` or ``re-generated``.
        reasons: why it is refused; none where it is accepted.
        flags: what the maintainer should know besides.
        limited: it is refused for the number of bundles in a week, so it does not count as one.
        results: the records, one a prompt; those of a refused bundle are what would have been.
        judged: answers judged again, by judge.
        near: (prompt, item, similarity) of answers that are nearly their references.
        outputs: sha256 of the answers to each prompt, whatever the prompt is called.
        dry: nothing was written.
    """

    bundle_id: str = ""
    manifest: Manifest | None = None
    handed_in_by: str = ""
    date: str
    tier: str
    reasons: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    limited: bool = False
    results: tuple[Result, ...] = ()
    judged: Mapping[str, int] = field(default_factory=dict)
    near: tuple[tuple[str, str, float], ...] = ()
    outputs: Mapping[str, str] = field(default_factory=dict)
    dry: bool = False

    @property
    def accepted(self) -> bool:
        """Whether there is no reason to refuse it."""
        return not self.reasons


def verdict_json(verdict: Verdict) -> str:
    """Return the report for programs; how to reach the submitter stays in the bundle."""
    declared = asdict(verdict.manifest) if verdict.manifest is not None else None
    if declared is not None:
        declared["submitter"].pop("contact")
    data: dict[str, Any] = {
        "format": REPORT_FORMAT,
        "verdict": "accepted" if verdict.accepted else "refused",
        "bundle": verdict.bundle_id,
        "submitted_on": verdict.date,
        "handed_in_by": verdict.handed_in_by,
        "tier": verdict.tier,
        "reasons": list(verdict.reasons),
        "flags": list(verdict.flags),
        "limited": verdict.limited,
        "records": [one.record_id for one in verdict.results] if verdict.accepted else [],
        "scores": {
            one.prompt: {
                score.score: {
                    "value": score.value,
                    "low": score.low,
                    "high": score.high,
                    "n": score.n,
                    "missing": score.missing,
                    "reason": score.reason,
                    "signature": score.signature,
                }
                for score in one.scores
            }
            for one in verdict.results
        },
        "judged": dict(verdict.judged),
        "near_identical": [list(one) for one in verdict.near],
        "outputs": dict(verdict.outputs),
        "declared": declared,
    }
    text = json.dumps(data, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False)
    return text + "\n"


def verdict_markdown(verdict: Verdict) -> str:
    """Return the report for people; every text of the submitter's is escaped."""
    word = "Accepted" if verdict.accepted else "Refused"
    lines = [f"# {word}{' (dry run: nothing was written)' if verdict.dry else ''}", ""]
    if verdict.manifest is not None:
        lines += [*_about(verdict, verdict.manifest), ""]
    lines += _listed("Reasons", verdict.reasons)
    lines += _listed("To look at", verdict.flags)
    for result in verdict.results:
        lines += _scores(result)
    if verdict.near:
        lines += ["## Answers that are nearly their references", ""]
        lines += ["| prompt | item | similarity |", "| --- | --- | ---: |"]
        lines += [
            f"| {escape(prompt)} | {escape(item)} | {similarity:.3f} |"
            for prompt, item, similarity in verdict.near[:_LISTED]
        ]
        more = len(verdict.near) - _LISTED
        lines += ["", *([f"and {more:,} more", ""] if more > 0 else [])]
    return "\n".join(lines).rstrip("\n") + "\n"


def interval_name(scores: Iterable[ScoreResult]) -> str:
    """Return what a column of intervals is called: with their level where it is one."""
    levels = {score.level for score in scores if score.level is not None}
    return f"{100 * levels.pop():g} % interval" if len(levels) == 1 else "interval"


def _about(verdict: Verdict, manifest: Manifest) -> list[str]:
    model = manifest.model
    answers = sum(prompt.answers for prompt in manifest.prompts.values())
    failed = sum(prompt.failed for prompt in manifest.prompts.values())
    facts = {
        "model": model.name,
        "on the Hub": model.hub_id,
        "revision": model.revision,
        "benchmark": f"{manifest.benchmark.name} {manifest.benchmark.version}",
        "split": manifest.benchmark.split,
        "prompts": ", ".join(manifest.prompts),
        "answers": f"{answers:,}, {failed:,} of them failed",
        "submitter": manifest.submitter.name,
        "handed in by": verdict.handed_in_by,
        "submitted on": verdict.date,
        "tier": verdict.tier,
        "training data end": model.cutoff,
        "declared overlap": model.overlap,
        "notes": manifest.notes,
    }
    lines = [f"- {name}: {escape(value)}" for name, value in facts.items() if value]
    if verdict.accepted:
        lines += [f"- record: {code(one.record_id)}" for one in verdict.results]
    return [*lines, f"- bundle: {code(verdict.bundle_id)}"]


def _listed(title: str, texts: tuple[str, ...]) -> list[str]:
    return [f"## {title}", "", *(f"- {escape(text)}" for text in texts), ""] if texts else []


def _scores(result: Result) -> list[str]:
    lines = [f"## Scores, prompt {escape(result.prompt)}", ""]
    lines += [f"| score | value | {interval_name(result.scores)} | n | without | reason |"]
    lines += ["| --- | ---: | --- | ---: | ---: | --- |"]
    for score in result.scores:
        low, high = number(score.low, score.digits), number(score.high, score.digits)
        interval = f"{low} to {high}" if score.low is not None else "–"
        lines.append(
            f"| {escape(score.title)} | {number(score.value, score.digits)} | {interval} "
            f"| {score.n:,} | {score.missing:,} | {escape(score.reason)} |"
        )
    return [*lines, ""]
