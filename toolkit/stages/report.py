"""Gather what the report says from the artifacts of a run, and write it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from toolkit.metrics.base import ScoreDefinition
from toolkit.recipe.score_names import judge_columns
from toolkit.records import arrow_schema
from toolkit.report.audit import JudgeAudit
from toolkit.report.board import Board, make_board
from toolkit.report.browser import Competitor
from toolkit.report.build import build_report
from toolkit.report.inputs import (
    AnswerCounts,
    Powered,
    ReportInputs,
    ScoreGroup,
)
from toolkit.stages.context import Context, finish
from toolkit.stages.report_evidence import evidence
from toolkit.stages.report_items import MOST_ITEMS, competitors, write_items
from toolkit.stages.report_limits import report_limits
from toolkit.stages.report_methods import method_facts, method_texts
from toolkit.stages.report_notes import funnel_steps, report_notes, suite_results
from toolkit.stages.report_scores import score_artifacts
from toolkit.stages.report_tables import report_tables
from toolkit.store.atomic import replacing
from toolkit.store.manifest import Manifest
from toolkit.store.pieces import PieceWriter, ensure_piece

__all__ = ["run"]

_ROW_COLUMNS = ("model", "prompt", "score", "item_id", "repeat", "value", "reason")


def run(context: Context) -> Manifest:
    """Write the report.

    Returns:
        The files of :func:`toolkit.report.build.build_report`, the page of items below
        ``report/``, and ``tables/leaderboard_rows.parquet``: the rows behind the leaderboard.
    """
    context.progress(0, 1, "report")

    def write(writer: PieceWriter) -> Mapping[str, Any]:
        inputs = _inputs(context)
        board = make_board(inputs)
        for path in build_report(inputs, context.folder):
            writer.adopt("report", path)
        for path in write_items(context, board):
            writer.adopt("report", path)
        path, rows = _write_rows(context, board)
        writer.adopt("leaderboard_rows", path, rows)
        return {}

    piece = ensure_piece(context.folder, "00000", write)
    context.progress(1, 1, "report")
    return finish(context, [piece])


def _inputs(context: Context) -> ReportInputs:
    facts = context.artifacts["leaderboard"].manifest.facts
    rows = list(context.inputs["leaderboard"].rows("leaderboard"))
    generations = [step for step in context.plan.steps if step.stage == "generate"]
    splits = context.artifacts.get("splits")
    tables = list(report_tables(context))
    audits = list(_audits(context))
    asked = max(_asked(context, step.name) for step in generations)
    bare = ReportInputs(
        name=context.recipe.name,
        title=context.recipe.title,
        leaderboard=rows,
        scores=[ScoreDefinition(**data) for data in facts["definitions"]],
        items=asked,
        groups=list(_groups(context)),
    )
    # The page of items numbers competitors by the leaderboard, so that is arranged first.
    board = make_board(bare)
    return ReportInputs(
        name=bare.name,
        title=bare.title,
        leaderboard=rows,
        scores=bare.scores,
        items=asked,
        split=", ".join(sorted({step.options["split"] for step in generations})),
        interval=facts["interval"],
        answers=list(_answers(context)),
        funnel=list(funnel_steps(context)),
        splits=splits.manifest.facts["splits"]["sizes"] if splits else {},
        validation=list(suite_results(context)),
        evidence=_evidence(context, board),
        notes=report_notes(context),
        limits=[*report_limits(context, rows, audits, asked), *_shown(context)],
        titles=context.step.params["titles"],
        methods=method_facts(context),
        tables=tables,
        groups=bare.groups,
        audits=audits,
        powered=_powered(context),
        text=method_texts(context),
        access=context.access,
        browser="report/index.html",
    )


def _evidence(context: Context, board: Board) -> list[Any]:
    columns: list[Competitor] = competitors(context, board)
    scores = [score.name for score in board.scores]
    return [
        evidence(context, step.name, scores, columns)
        for step in context.plan.steps
        if step.stage == "generate"
    ]


def _answers(context: Context) -> Iterator[AnswerCounts]:
    for step in context.plan.steps:
        if step.stage == "generate":
            yield AnswerCounts(
                model=step.params["model"],
                prompt=step.params["prompt"],
                counts=context.artifacts[step.name].manifest.facts["status"],
            )


def _asked(context: Context, name: str) -> int:
    slices = context.artifacts[name].manifest.facts["slices"]
    return sum(last - first for first, last in slices)


def _shown(context: Context) -> Iterator[str]:
    sizes = {
        (step.inputs[0], step.params["table"]): _asked(context, step.name)
        for step in context.plan.steps
        if step.stage == "generate"
    }
    if sum(sizes.values()) > MOST_ITEMS:
        yield f"The page of items holds the first {MOST_ITEMS:,} of {sum(sizes.values()):,} items."


def _groups(context: Context) -> Iterator[ScoreGroup]:
    """Yield the columns of each judge and each metric, in the order of the leaderboard."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for step in context.plan.steps:
        if step.stage not in ("judge", "score") or step.name not in context.artifacts:
            continue
        kind, key = ("judge", "judge") if step.stage == "judge" else ("metric", "metric")
        names = found.setdefault((kind, step.params[key]), {})
        for data in context.artifacts[step.name].manifest.facts["definitions"]:
            names.setdefault(data["name"])
    taken: set[str] = set()
    for (kind, name), names in found.items():
        scores = tuple(score for score in names if score not in taken)
        taken |= set(scores)
        if scores:
            yield ScoreGroup(
                name=name, kind="judge" if kind == "judge" else "metric", scores=scores
            )


def _audits(context: Context) -> Iterator[JudgeAudit]:
    for step in context.plan.steps:
        if step.stage == "audit" and step.name in context.artifacts:
            for facts in context.artifacts[step.name].manifest.facts["audit"]:
                yield JudgeAudit.from_facts(facts)


def _powered(context: Context) -> dict[tuple[str, str, str], Powered]:
    """Return the prediction-powered means by the columns of the leaderboard."""
    found: dict[tuple[str, str, str], Powered] = {}
    columns = judge_columns(context.recipe)
    for step in context.plan.steps:
        if step.stage != "analyse" or step.name not in context.artifacts:
            continue
        use = context.recipe.analyses[step.options["index"]]
        if use.name != "prediction_powered":
            continue
        for table in context.artifacts[step.name].manifest.facts["tables"]:
            for row in table["rows"]:
                column = columns[use.params.judge][row["score"]]
                found[row["model"], row["prompt"], column] = Powered(
                    value=row["powered"],
                    low=row["powered_low"],
                    high=row["powered_high"],
                    n=row["n_both"],
                )
    return found


def _write_rows(context: Context, board: Board) -> tuple[Path, int]:
    """Write the scores behind the leaderboard as one table, in the order of the steps."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    declared = arrow_schema("scores")
    schema = pa.schema([declared.field(name) for name in _ROW_COLUMNS])
    names = pa.array([score.name for score in board.scores], pa.string())
    path = context.folder / "tables" / "leaderboard_rows.parquet"
    count = 0
    with (
        replacing(path) as temporary,
        pq.ParquetWriter(temporary, schema, compression="zstd") as writer,
    ):
        for artifact in score_artifacts(context):
            for batch in artifact.batches("scores", list(_ROW_COLUMNS)):
                mine = batch.filter(pc.is_in(batch["score"], value_set=names))
                writer.write_batch(mine.cast(schema))
                count += mine.num_rows
        writer.close()
    return path, count
