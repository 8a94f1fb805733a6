"""Check an artifact against its expectation suite; stop, take rows out, or warn."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolkit.errors import ValidationFailed
from toolkit.stages.context import Context, finish
from toolkit.store.artifact import Artifact
from toolkit.store.manifest import Manifest
from toolkit.store.pieces import PieceWriter, ensure_piece
from toolkit.validate.quarantine import failing_row_ids, passing_batches
from toolkit.validate.result import ValidationResult
from toolkit.validate.suite import Suite, load_suite

__all__ = ["IDS", "run"]

IDS: Mapping[str, tuple[str, ...]] = {
    "items": ("item_id",),
    "assignment": ("item_id",),
    "variants": ("item_id",),
    "generations": ("item_id", "model", "prompt", "repeat"),
    "judgements": (
        *("item_id", "model", "prompt", "repeat"),
        *("judge", "stage", "judge_repeat", "rater"),
    ),
    "scores": ("item_id", "model", "prompt", "repeat", "metric", "score"),
    "leaderboard": ("model", "prompt", "score"),
}
"""The columns that name a row of each table."""

_log = logging.getLogger("toolkit.validate")


def run(context: Context) -> Manifest:
    """Validate the artifacts that the step reads.

    Returns:
        ``result`` (JSON); ``rejects`` with every failing row; under ``quarantine``, when rows
        failed, the tables without them and the fact ``replaces``: steps whose place it takes.

    Raises:
        ValidationFailed: the suite failed and the policy is ``stop``, or rows cannot be taken
            out to mend it.
        UserError: the suite file has faults.
    """
    step = context.step
    policy, table = step.params["on_failure"], step.params["table"]
    validated = [name for name in step.inputs if context.plan.step(name).stage != "validate"]
    artifacts = {name: context.artifacts[name] for name in validated}
    suite = load_suite(Path(step.options["suite"]))
    rejects = context.folder / "failing.tmp.parquet"
    rejects.unlink(missing_ok=True)
    context.progress(0, 1, suite.name)
    paths = [path for artifact in artifacts.values() for path in artifact.files(table)]
    # Nobody was judged where every answer failed, or where no rating meets an answer: the scores
    # say so one by one, and the report counts them.
    nothing = not paths and step.params["kind"] == "judgements"
    result = (
        ValidationResult(suite.name, 0, ()) if nothing else _check(context, suite, paths, rejects)
    )
    if not result.success and (
        policy == "stop" or (policy == "quarantine" and not result.quarantinable)
    ):
        _keep(rejects, context.folder / "failing.parquet")
        raise _failed(context, result)
    mend = policy == "quarantine" and not result.success
    piece = ensure_piece(
        context.folder,
        "00000",
        lambda writer: _write(writer, result, rejects, artifacts if mend else {}, table),
    )
    rejects.unlink(missing_ok=True)
    facts: dict[str, Any] = {"result": result.to_json(), "policy": policy}
    if mend:
        left = [context.folder / shard.name for shard in piece.shards if shard.table == table]
        if not left:
            raise ValidationFailed(
                f"{step.name.removeprefix('validate/')}: every row failed: {result.describe()}",
                hint=f"what is wrong with each: {context.folder / 'rejects-00000.parquet'}; mend "
                "the data or the suite",
            )
        again = _check(context, suite, left, None)
        if not again.success:
            raise _failed(context, again)
        facts["replaces"] = validated
        facts["taken_out"] = len(piece.facts["failing"])
    context.progress(1, 1, suite.name)
    return finish(context, [piece], facts)


def _check(
    context: Context, suite: Suite, paths: list[Path], rejects: Path | None
) -> ValidationResult:
    items = context.artifacts["corpus"].files("items")
    result = context.validator().validate(
        paths,
        suite,
        id_column=IDS[context.step.params["table"]],
        rejects=rejects,
        parameters={"splits": _split_names(context)},
        tables={"items": items},
    )
    _log.log(logging.INFO if result.success else logging.WARNING, result.describe())
    return result


def _split_names(context: Context) -> list[str]:
    splits = context.recipe.splits
    if splits is None:
        return []
    return list(splits.names)


def _write(
    writer: PieceWriter,
    result: ValidationResult,
    rejects: Path,
    mended: Mapping[str, Artifact],
    table: str,
) -> Mapping[str, Any]:
    import json

    import pyarrow.parquet as pq

    text = json.dumps(result.to_json(), indent=1, sort_keys=True, ensure_ascii=False)
    writer.text("result", text + "\n", ".json")
    if rejects.is_file():
        with pq.ParquetFile(rejects) as file:
            writer.batches("rejects", file.schema_arrow, file.iter_batches())
    failing: list[str] = []
    if mended:
        reasons = result.critical_failures()
        failing = [row or "" for row in failing_row_ids(rejects, reasons)]
        for artifact in mended.values():
            _mend(writer, artifact, table, rejects, reasons)
    return {"failing": failing}


def _mend(
    writer: PieceWriter, artifact: Artifact, table: str, rejects: Path, reasons: tuple[str, ...]
) -> None:
    """Write an artifact's tables again without the failing rows of one of them.

    Where an item is a row, whatever else hangs on it goes with it.
    """
    import pyarrow.parquet as pq

    gone: set[str] = set()
    if IDS[table] == ("item_id",):
        gone = {row for row in failing_row_ids(rejects, reasons) if row is not None}
    for shard in artifact.manifest.shards:
        source = artifact.path(shard)
        if shard.rows == 0 or shard.table == "rejects":
            continue
        key = shard.name.removeprefix(f"{shard.table}-").removesuffix(".parquet")
        schema = pq.read_schema(source)
        if shard.table == table:
            batches = passing_batches(source, rejects, reasons)
        else:
            batches = _without(source, gone)
        writer.keyed(shard.table, key, schema, batches)


def _without(source: Path, gone: set[str]) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pq.ParquetFile(source) as file:
        for batch in file.iter_batches():
            if gone and "item_id" in batch.schema.names:
                keep = [item not in gone for item in batch["item_id"].to_pylist()]
                batch = batch.filter(pa.array(keep))
            yield batch


def _keep(rejects: Path, target: Path) -> None:
    if rejects.is_file():
        rejects.replace(target)


def _failed(context: Context, result: ValidationResult) -> ValidationFailed:
    name = context.step.name.removeprefix("validate/")
    kind = context.step.params["kind"]
    return ValidationFailed(
        f"{name}: {result.describe()}",
        hint=f"every failing row: {context.folder / 'failing.parquet'}; mend the data or the "
        f"recipe, or set validation.{kind}.on_failure to quarantine or warn",
    )
