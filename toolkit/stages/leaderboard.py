"""The leaderboard: the mean of every score of every competitor, with interval and rank."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from toolkit.analyses.base import AnalysisInputs
from toolkit.metrics.base import ScoreDefinition
from toolkit.registry import member
from toolkit.stages.context import Context, finish
from toolkit.store.manifest import Manifest
from toolkit.store.pieces import ensure_piece

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["item_tables", "run", "score_definitions", "score_tables"]


def run(context: Context) -> Manifest:
    """Compute the leaderboard.

    Returns:
        Table ``leaderboard``; facts ``definitions``, ``signatures`` and ``interval``.
    """
    step = context.step
    analysis = member("analyses", "means")(step.options["means"])
    definitions, signatures = score_definitions(context)
    inputs = AnalysisInputs(
        scores=score_tables(context),
        definitions=definitions,
        seed=context.recipe.seed,
        kinds=step.params["kinds"],
        signatures=signatures,
        items=item_tables(context, analysis.item_columns()),
    )
    context.progress(0, 1, "means")

    def write(writer: Any) -> dict[str, Any]:
        writer.table("leaderboard", analysis.run(inputs))
        return {}

    piece = ensure_piece(context.folder, "00000", write)
    context.progress(1, 1, "means")
    facts = {
        "definitions": [
            {key: getattr(item, key) for key in ScoreDefinition.__dataclass_fields__}
            for item in definitions
        ],
        "signatures": signatures,
        "interval": analysis.describe(),
    }
    return finish(context, [piece], facts)


def score_definitions(context: Context) -> tuple[list[ScoreDefinition], dict[str, str]]:
    """Return what the scores of a run mean, in the order of the recipe, and their signatures."""
    definitions: dict[str, ScoreDefinition] = {}
    signatures: dict[str, str] = {}
    for name in _score_steps(context):
        facts = context.artifacts[name].manifest.facts
        for data in facts["definitions"]:
            definitions.setdefault(data["name"], ScoreDefinition(**data))
            signatures[data["name"]] = facts["signature"]
    return list(definitions.values()), signatures


def _score_steps(context: Context) -> list[str]:
    return [step.name for step in context.plan.steps if step.stage in ("judge", "score")]


def score_tables(context: Context) -> Iterator[pa.Table]:
    """Yield the scores that the step in hand reads, metrics' and judges', one shard a table."""
    import pyarrow as pa

    seen: set[str] = set()
    for name in _score_steps(context):
        artifact = context.inputs[name]
        # Where rows were taken out, one artifact stands for all of them.
        if artifact.fingerprint in seen:
            continue
        seen.add(artifact.fingerprint)
        for batch in artifact.batches("scores"):
            yield pa.Table.from_batches([batch])


def item_tables(context: Context, columns: tuple[str, ...]) -> Iterator[pa.Table]:
    """Yield the ids and some columns of the items that were asked about; none for no columns."""
    import pyarrow as pa

    if not columns:
        return
    done: set[tuple[str, str]] = set()
    for step, table in context.step.options["tables"]:
        if (step, table) in done:
            continue
        done.add((step, table))
        for batch in context.inputs[step].batches(table, ["item_id", *columns]):
            yield pa.Table.from_batches([batch])
