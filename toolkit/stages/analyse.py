"""Run one analysis on the scores of a run: tables as Parquet, CSV and LaTeX, figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Final

from toolkit.analyses.base import AnalysisInputs, AnalysisTable, JudgeFacts, ModelFacts
from toolkit.figures.base import Figure
from toolkit.plan.variants import PERTURB
from toolkit.recipe.score_names import judge_columns
from toolkit.recipe.sections import Model
from toolkit.records import TABLES, arrow_type
from toolkit.registry import member
from toolkit.report.csv_table import table_csv
from toolkit.report.latex import latex_text
from toolkit.stages.context import Context, finish
from toolkit.stages.leaderboard import item_tables, score_definitions, score_tables
from toolkit.store.manifest import Manifest
from toolkit.store.pieces import PieceWriter, ensure_piece

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["run", "table_from_facts", "write_figures", "write_tables"]

_ANSWER_COLUMNS: Final = ("model", "prompt", "status", "asked")

_TEXTS: Final = ("answer", "raw", "reasoning")
"""Columns of judgements that no analysis reads, and that would be most of the reading."""


def run(context: Context) -> Manifest:
    """Compute the analysis.

    Returns:
        A Parquet, a CSV and a LaTeX file for each of its tables, an SVG and a PNG file for each
        of its figures; the facts ``tables`` and ``figures`` hold what a report says of them.
    """
    step, recipe = context.step, context.recipe
    use = recipe.analyses[step.options["index"]]
    analysis = member("analyses", use.name)(use.params)
    context.progress(0, 1, use.name)
    definitions, signatures = score_definitions(context)
    inputs = AnalysisInputs(
        scores=score_tables(context),
        definitions=definitions,
        seed=recipe.seed,
        kinds=step.params["kinds"],
        signatures=signatures,
        items=item_tables(context, analysis.item_columns()),
        judgements=_judgements(context),
        answers=_answers(context),
        judges=_judges(context),
        models=_models(context),
        served=_served(context),
        edits=_perturbed(context, "edits"),
        usage=_perturbed(context, "usage"),
    )
    tables: list[AnalysisTable] = analysis.run(inputs)

    def write(writer: PieceWriter) -> Mapping[str, Any]:
        write_tables(writer, tables)
        for table in tables:
            write_figures(writer, table.figures)
        return {}

    piece = ensure_piece(context.folder, "00000", write)
    context.progress(1, 1, use.name)
    facts = {
        "tables": [asdict(replace(table, figures=())) for table in tables],
        "figures": [
            {"table": table.name, "name": figure.name, "title": figure.title, "alt": figure.alt}
            for table in tables
            for figure in table.figures
        ],
        "method": analysis.describe(),
    }
    return finish(context, [piece], facts)


def write_figures(writer: PieceWriter, figures: Sequence[Figure]) -> None:
    """Draw each figure as SVG and PNG."""
    from toolkit.figures.draw import draw

    for figure in figures:
        drawn = draw(figure)
        writer.binary(figure.name, drawn.svg, ".svg")
        writer.binary(figure.name, drawn.png, ".png")


def write_tables(writer: PieceWriter, tables: Sequence[AnalysisTable]) -> None:
    """Write each table as Parquet, CSV and LaTeX; one without rows leaves no Parquet file."""
    import pyarrow as pa

    for table in tables:
        schema = pa.schema([(column.name, arrow_type(column.type)) for column in table.columns])
        writer.table(table.name, pa.Table.from_pylist(table.rows, schema=schema))
        writer.text(table.name, table_csv(table), ".csv")
        writer.text(table.name, latex_text(table), ".tex")


def table_from_facts(data: Mapping[str, Any]) -> AnalysisTable:
    """Return a table that a manifest holds as JSON."""
    from toolkit.analyses.base import AnalysisColumn

    return AnalysisTable(
        name=data["name"],
        title=data["title"],
        columns=tuple(AnalysisColumn(**column) for column in data["columns"]),
        rows=list(data["rows"]),
        notes=tuple(data["notes"]),
        signature=data["signature"],
    )


def _judgements(context: Context) -> Iterator[pa.Table]:
    import pyarrow as pa

    columns = [column.name for column in TABLES["judgements"] if column.name not in _TEXTS]
    for step in context.plan.steps:
        if step.stage == "judge" and step.name in context.artifacts:
            for batch in context.artifacts[step.name].batches("judgements", columns):
                yield pa.Table.from_batches([batch])


def _answers(context: Context) -> Iterator[pa.Table]:
    import pyarrow as pa

    for step in context.plan.steps:
        if step.stage == "generate":
            artifact = context.artifacts[step.name]
            for batch in artifact.batches("generations", _ANSWER_COLUMNS):
                yield pa.Table.from_batches([batch])


def _perturbed(context: Context, table: str) -> Iterator[pa.Table]:
    """Yield a table of the step that edits items; none where models see no variants."""
    import pyarrow as pa

    artifact = context.inputs.get(PERTURB)
    for batch in artifact.batches(table) if artifact is not None else ():
        yield pa.Table.from_batches([batch])


def _judges(context: Context) -> dict[str, JudgeFacts]:
    recipe = context.recipe
    columns = judge_columns(recipe)
    return {
        name: JudgeFacts(name, judge.type, getattr(judge.params, "model", None), columns[name])
        for name, judge in recipe.judges.items()
    }


def _models(context: Context) -> dict[str, ModelFacts]:
    kinds = context.step.params["kinds"]
    return {
        name: _model_facts(name, model, kinds[name])
        for name, model in context.recipe.models.items()
        if name in kinds
    }


def _model_facts(name: str, model: Model, kind: str) -> ModelFacts:
    asked = getattr(model.params, "model", None) or getattr(model.params, "folder", None)
    return ModelFacts(
        name=name,
        title=model.title or name,
        kind=kind,
        provider=model.provider,
        model=str(asked or ""),
        group=model.group,
        access=model.access,
        scale=model.scale,
        cutoff=model.cutoff,
        max_tokens=getattr(model.params, "max_tokens", None),
        temperature=getattr(model.params, "temperature", None),
    )


def _served(context: Context) -> dict[str, str]:
    """Return the name that each candidate was served under, of its first answer that says so."""
    found: dict[str, str] = {}
    for step in context.plan.steps:
        if step.stage != "generate" or step.params["model"] in found:
            continue
        for batch in context.artifacts[step.name].batches("generations", ["served_model"]):
            names = [name for name in batch["served_model"].to_pylist() if name]
            if names:
                found[step.params["model"]] = names[0]
                break
    return found
