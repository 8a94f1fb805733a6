"""The tables of a report: replies of judges, pairs, entailment, instructions, analyses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from toolkit.analyses.base import AnalysisColumn, AnalysisTable
from toolkit.analyses.statuses import STATUSES, share_columns
from toolkit.plan.step import Step
from toolkit.report.inputs import ReportFigure, ReportTable
from toolkit.stages.analyse import table_from_facts
from toolkit.stages.context import Context
from toolkit.stages.report_measured import corpus_perplexity
from toolkit.statistics.intervals import share_row
from toolkit.store.artifact import Artifact

__all__ = ["file_prefix", "report_tables"]

_OWN: Final = "report"
"""Stands where an analysis has its number in the names of tables that only the report writes."""

_ABOUT_JUDGES: Final = frozenset(
    {"judge_agreement", "self_preference", "prediction_powered", "agreement", "conflicting_scores"}
)
"""Analyses that stand among the judges."""

_EMBEDDED_BYTES: Final = 6_000_000
"""Bytes of drawings that stand inside the page; beyond it, figures are linked."""


def report_tables(context: Context) -> Iterator[ReportTable]:
    """Yield the tables that the report shows after the leaderboard, with figures and files."""
    judges = [step for step in context.plan.steps if step.stage == "judge"]
    for table in (*_replies(context, judges), *_pairs(context, judges), *_entailment(context)):
        yield _own(_OWN, table, "judges")
    for step in context.plan.steps:
        if step.stage == "canary" and step.name in context.artifacts:
            for data in _facts(context, step)["tables"]:
                prefix = f"{_OWN}-canary-{step.params['judge']}"
                yield _own(prefix, table_from_facts(data), "judges")
    corpus = corpus_perplexity(context)
    if corpus is not None:
        yield _own(_OWN, corpus, "analyses")
    room = _EMBEDDED_BYTES
    for step in context.plan.steps:
        prefix_of_step = file_prefix(step.name)
        if prefix_of_step is None or step.name not in context.artifacts:
            continue
        for entry in _analysis(context.artifacts[step.name], prefix_of_step, room):
            room -= sum(len(figure.svg or b"") for figure in entry.figures)
            yield entry


def file_prefix(step: str) -> str | None:
    """Return what the files of a step's tables and figures begin with in a run's folder.

    Returns:
        The number of an analysis in the recipe, ``audit-JUDGE`` for an audit, None for a step
        whose tables are not delivered.
    """
    stage, _, rest = step.partition("/")
    if stage == "analyse":
        return rest.partition("-")[0]
    return f"audit-{rest}" if stage == "audit" else None


def _own(prefix: str, table: AnalysisTable, section: Literal["judges", "analyses"]) -> ReportTable:
    files = _files(prefix, table.name, "tables", (".csv", ".parquet", ".tex"))
    return ReportTable(table=table, section=section, files=files)


def _analysis(artifact: Artifact, prefix: str, room: int) -> Iterator[ReportTable]:
    stage, _, rest = artifact.manifest.step.partition("/")
    judges = stage == "audit" or rest.partition("-")[2] in _ABOUT_JUDGES
    for data in artifact.manifest.facts["tables"]:
        table = table_from_facts(data)
        figures = []
        for about in artifact.manifest.facts.get("figures", []):
            if about["table"] != table.name:
                continue
            svg = _drawing(artifact, about["name"])
            room -= len(svg)
            figures.append(
                ReportFigure(
                    name=about["name"],
                    title=about["title"],
                    alt=about["alt"],
                    svg=svg if room >= 0 else None,
                    files=_files(prefix, about["name"], "figures", (".svg", ".png")),
                )
            )
        kinds = (".csv", ".parquet", ".tex") if table.rows else (".csv", ".tex")
        yield ReportTable(
            table=table,
            section="judges" if judges else "analyses",
            files=_files(prefix, table.name, "tables", kinds),
            figures=figures,
        )


def _drawing(artifact: Artifact, figure: str) -> bytes:
    for shard in artifact.shards(figure):
        if shard.name.endswith(".svg"):
            return artifact.path(shard).read_bytes()
    raise KeyError(f"{artifact.manifest.step} has no drawing of {figure!r}")


def _files(prefix: str, name: str, folder: str, suffixes: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{folder}/{prefix}-{name}{suffix}" for suffix in suffixes)


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
