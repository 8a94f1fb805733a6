"""The tables of a report: replies of judges, pairs, entailment, instructions, analyses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolkit.analyses.base import AnalysisColumn, AnalysisTable
from toolkit.analyses.statuses import STATUSES, share_columns
from toolkit.plan.step import Step
from toolkit.stages.analyse import table_from_facts
from toolkit.stages.context import Context
from toolkit.statistics.intervals import share_row

__all__ = ["report_tables"]


def report_tables(context: Context) -> Iterator[AnalysisTable]:
    """Yield the tables that the report shows after the leaderboard."""
    judges = [step for step in context.plan.steps if step.stage == "judge"]
    yield from _replies(context, judges)
    yield from _pairs(context, judges)
    yield from _entailment(context)
    for stage in ("canary", "analyse"):
        for step in context.plan.steps:
            if step.stage == stage and step.name in context.artifacts:
                for data in context.artifacts[step.name].manifest.facts["tables"]:
                    yield table_from_facts(data)


def _facts(context: Context, step: Step) -> Mapping[str, Any]:
    return context.artifacts[step.name].manifest.facts


def _replies(context: Context, judges: Sequence[Step]) -> Iterator[AnalysisTable]:
    rows = []
    for step in judges:
        status = _facts(context, step)["status"]
        if not status:
            continue
        rows.append(
            {
                "judge": step.params["judge"],
                "model": step.params.get("model", ""),
                "prompt": step.params["prompt"],
                "n": sum(status.values()),
                **{name: status.get(name, 0) for name in STATUSES},
            }
        )
    if rows:
        yield AnalysisTable(
            name="judge_replies",
            title="What judges replied",
            columns=(
                AnalysisColumn("judge", "string", "judge", 0),
                AnalysisColumn("model", "string", "answers of", 0),
                AnalysisColumn("prompt", "string", "prompt", 0),
                AnalysisColumn("n", "int64", "replies", 0),
                *(AnalysisColumn(name, "int64", name, 0) for name in STATUSES),
            ),
            rows=rows,
            notes=("A reply that is not ok or repaired leaves its answer without a score.",),
        )


def _pairs(context: Context, judges: Sequence[Step]) -> Iterator[AnalysisTable]:
    rows = []
    for step in judges:
        pairs = _facts(context, step).get("pairs")
        if pairs is None:
            continue
        both = pairs.get("both_orders", 0)
        decided = both - pairs.get("consistent", 0)
        first = pairs.get("position_first", 0)
        moved = first + pairs.get("position_second", 0)
        rows.append(
            {
                "judge": step.params["judge"],
                "prompt": step.params["prompt"],
                "n": pairs.get("pairs", 0),
                "without_verdict": pairs.get("without_verdict", 0),
                "ties": pairs.get("ties", 0),
                "both_orders": both,
                "inconsistent": decided,
                **share_row("position", moved, both),
                "n_position": moved,
                **share_row("first", first, moved),
            }
        )
    if rows:
        yield AnalysisTable(
            name="pairwise",
            title="Comparisons of two answers",
            columns=(
                AnalysisColumn("judge", "string", "judge", 0),
                AnalysisColumn("prompt", "string", "prompt", 0),
                AnalysisColumn("n", "int64", "pairs", 0),
                AnalysisColumn("without_verdict", "int64", "without a verdict", 0),
                AnalysisColumn("ties", "int64", "ties", 0),
                AnalysisColumn("both_orders", "int64", "answered in both orders", 0),
                AnalysisColumn("inconsistent", "int64", "orders disagree", 0),
                *share_columns("position", "share decided by position"),
                AnalysisColumn("n_position", "int64", "pairs decided by position", 0),
                *share_columns("first", "of them, share for the first place"),
            ),
            rows=rows,
            notes=(
                "Orders that disagree are a tie. Decided by position: both orders named the same "
                "place, so the other answer each time; Wilson intervals.",
            ),
            signature="pairwise|ci:wilson|level:0.95",
        )


def _entailment(context: Context) -> Iterator[AnalysisTable]:
    rows = []
    for step in context.plan.steps:
        if step.stage == "entail":
            facts = _facts(context, step)
            rows.append(
                {
                    "judge": step.params["judge"],
                    **{key: facts[key] for key in ("asked", "pairs", "truncated", "missing")},
                }
            )
    if rows:
        yield AnalysisTable(
            name="entailment",
            title="Pairs that entailment judges looked at",
            columns=(
                AnalysisColumn("judge", "string", "judge", 0),
                AnalysisColumn("asked", "int64", "pairs asked for", 0),
                AnalysisColumn("pairs", "int64", "distinct pairs, each looked at once", 0),
                AnalysisColumn("truncated", "int64", "with a premise cut at the limit", 0),
                AnalysisColumn("missing", "int64", "without a probability", 0),
            ),
            rows=rows,
        )
