"""Edit the items of a split: workers find terms, one ordered pass chooses, workers edit.

Which term is chosen depends on how often each was chosen before, so one process chooses, item by
item in the order of their ids: the result depends neither on files nor on workers. It holds about
2 kB an item meanwhile (measured: impressions of 90 words, three levels).
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolkit.errors import RunError, UserError
from toolkit.perturb.plan_text import occurrences_of, occurrences_text, plans_text
from toolkit.perturb.rules import Rules
from toolkit.perturb.substitution import usage_rows
from toolkit.plan.variants import VARIANTS
from toolkit.records import TABLES, to_arrow
from toolkit.stages.context import Context, finish
from toolkit.stages.light import keep_pandas_out
from toolkit.stages.slices import RowReader, Slice, slices
from toolkit.stages.variant_rows import VariantRows, variant_id
from toolkit.store.artifact import Artifact
from toolkit.store.manifest import Manifest
from toolkit.store.parquet import read_parquet
from toolkit.store.pieces import Piece, PieceWriter, ensure_piece

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["run"]

_ROWS: Final = 500
"""Items of one task."""

_SHOWN: Final = 20
"""Values named in a message."""

_SCRATCH: Final = "scratch"
_FOUND: Final = "found"
_NO_PLANS: Final = "{}"


def run(context: Context) -> Manifest:
    """Edit the items.

    Returns:
        Tables ``variants``; ``items_and_variants`` where models are asked about both; ``edits``,
        ``usage`` and ``rejects``. Facts ``levels`` (items, edits asked and made, by level) and
        ``rejected`` (counts by reason).

    Raises:
        UserError: the dictionary or the keywords have faults, the items lack a column or have one
            of a variant's, a value of ``keywords_by`` has no keywords, or an id of a variant is
            an item's.
        RunError: no item can be edited.
    """
    perturb = context.recipe.perturb
    assert perturb is not None
    step = context.step
    rules = Rules(perturb, context.recipe.seed)
    items = context.inputs[step.items_from]
    table = step.params["table"]
    _check_columns(items, table, rules)
    _check_ids(items, table, perturb.levels)
    parts = slices(items, table, _ROWS, step.params["limit"])
    plans: dict[int, str] = {}
    usage = None
    if perturb.substitution is not None:
        found = _found(context, rules, items, parts)
        plans, usage = _choose(rules, found)
    pieces = [ensure_piece(context.folder, "usage", lambda writer: _usage(writer, usage))]
    tasks = [
        _Write(
            name=f"perturb, items {part.first} to {part.last}",
            folder=context.folder,
            rules=rules,
            items=items,
            table=table,
            part=part,
            plans=_keep(context.folder / _SCRATCH, part, plans),
            with_items=step.params["with_items"],
        )
        for part in parts
    ]
    pieces += context.each(_write, tasks, "editing")
    shutil.rmtree(context.folder / _SCRATCH, ignore_errors=True)
    manifest = finish(context, pieces, _facts(pieces))
    if not manifest.rows(VARIANTS):
        raise RunError(
            f"perturb: no text of '{perturb.column}' can be edited",
            hint="see that the dictionary holds terms of these texts, or that they have points",
        )
    return manifest


def _check_columns(items: Artifact, table: str, rules: Rules) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    shards = items.shards(table)
    if not shards:
        raise RunError(
            f"perturb: '{rules.section.split}' has no items to edit",
            hint="change perturb.split, or the splits",
        )
    schema = pq.read_schema(items.path(shards[0]))
    column = rules.section.column
    removal = rules.section.removal
    by = removal.keywords_by if removal is not None else None
    missing = [name for name in (column, by) if name is not None and name not in schema.names]
    if missing:
        raise UserError(
            f"perturb: the items have no column '{missing[0]}'",
            hint=f"their columns: {', '.join(schema.names)}",
        )
    if not pa.types.is_string(schema.field(column).type):
        raise UserError(f"perturb.column: '{column}' holds no texts", hint="name a column of texts")
    taken = [one.name for one in TABLES[VARIANTS] if one.name in schema.names]
    if taken:
        raise UserError(
            f"perturb: the items have the column '{taken[0]}', which variants get",
            hint="call it something else in corpus.fields",
        )
    if by is not None:
        _check_keywords(items, table, rules, by)


def _check_keywords(items: Artifact, table: str, rules: Rules, by: str) -> None:
    held = {rules.group(row) for row in items.rows(table, [by])}
    lacking = sorted(held - rules.groups)
    if lacking:
        shown = ", ".join(repr(value) if value else "no value" for value in lacking[:_SHOWN])
        more = f" and {len(lacking) - _SHOWN} more" if len(lacking) > _SHOWN else ""
        raise UserError(
            f"perturb.removal.keywords: no keywords for these values of '{by}': {shown}{more}",
            hint=f"add rows for them to the table of keywords, or mend '{by}' of the items; "
            f"it has keywords for {', '.join(sorted(rules.groups)[:_SHOWN])}",
        )


def _check_ids(items: Artifact, table: str, levels: Sequence[str]) -> None:
    known = {row["item_id"] for row in items.rows(table, ["item_id"])}
    for level in levels:
        for item in known:
            if (made := variant_id(item, level)) in known:
                raise UserError(
                    f"perturb: '{made}' would be the variant of '{item}' and is an item already",
                    hint="call the level something else",
                )


@dataclass(frozen=True, slots=True)
class _Find:
    name: str
    folder: Path
    rules: Rules
    items: Artifact
    table: str
    part: Slice


def _found(context: Context, rules: Rules, items: Artifact, parts: Sequence[Slice]) -> pa.Table:
    """Return ``item_id``, ``row`` and ``found`` of every item with a text, sorted by id."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    scratch = context.folder / _SCRATCH
    table = context.step.params["table"]
    tasks = [
        _Find(f"terms, items {part.first} to {part.last}", scratch, rules, items, table, part)
        for part in parts
    ]
    pieces = list(context.each(_find, tasks, "finding terms"))
    files = [scratch / shard.name for piece in pieces for shard in piece.shards]
    empty = pa.table(
        {"item_id": pa.array([], pa.string()), "row": pa.array([], pa.int64()),
         "found": pa.array([], pa.string())}
    )  # fmt: skip
    whole = pa.concat_tables([empty, *map(pq.read_table, files)])
    return whole.sort_by("item_id")


def _find(task: _Find) -> Piece:
    keep_pandas_out()
    return ensure_piece(task.folder, task.part.key, lambda writer: _fill_found(task, writer))


def _fill_found(task: _Find, writer: PieceWriter) -> Mapping[str, Any]:
    import pyarrow as pa

    column = task.rules.section.column
    rows = RowReader(task.items, task.table).rows(task.part, ["item_id", column])
    ids, numbers, found = [], [], []
    for number, row in enumerate(rows, start=task.part.first):
        text = row[column]
        if text is None or not text.strip():
            continue
        ids.append(row["item_id"])
        numbers.append(number)
        found.append(occurrences_text(task.rules.occurrences(text)))
    writer.table(
        _FOUND,
        pa.table(
            {"item_id": pa.array(ids, pa.string()), "row": pa.array(numbers, pa.int64()),
             "found": pa.array(found, pa.string())}
        ),
    )  # fmt: skip
    return {}


def _choose(rules: Rules, found: pa.Table) -> tuple[dict[int, str], list[dict[str, Any]]]:
    """Return the plans of each row, and how often each term was chosen."""
    substitution = rules.section.substitution
    assert substitution is not None
    planner = rules.planner()
    levels = sorted(substitution.levels.items())
    plans: dict[int, str] = {}
    for batch in found.to_batches(max_chunksize=1000):
        for item, row, text in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            offered = occurrences_of(text)
            plans[row] = plans_text(
                {
                    level: planner.plan(item, level, offered, categories, each)
                    for level, (categories, each) in levels
                }
            )
    names = [column.name for column in TABLES["usage"]]
    return plans, [dict(zip(names, row, strict=True)) for row in usage_rows(planner)]


def _keep(scratch: Path, part: Slice, plans: Mapping[int, str]) -> Path:
    """Write the plans of a slice where its worker finds them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = scratch / f"plans-{part.key}.parquet"
    rows = [plans.get(row, _NO_PLANS) for row in range(part.first, part.last)]
    scratch.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"plans": pa.array(rows, pa.string())}), path)
    return path


def _usage(writer: PieceWriter, usage: list[dict[str, Any]] | None) -> Mapping[str, Any]:
    if usage:
        writer.table("usage", to_arrow("usage", usage))
    return {}


@dataclass(frozen=True, slots=True)
class _Write:
    name: str
    folder: Path
    rules: Rules
    items: Artifact
    table: str
    part: Slice
    plans: Path
    with_items: bool


def _write(task: _Write) -> Piece:
    keep_pandas_out()
    return ensure_piece(task.folder, task.part.key, lambda writer: _fill(task, writer))


def _fill(task: _Write, writer: PieceWriter) -> Mapping[str, Any]:
    import pyarrow.parquet as pq

    schema = pq.read_schema(task.items.path(task.items.shards(task.table)[0]))
    rows = VariantRows(task.rules, schema)
    plans = read_parquet(task.plans)["plans"].to_pylist()
    for item, plan in zip(RowReader(task.items, task.table).rows(task.part), plans, strict=True):
        rows.add(item, plan)
    rows.write(writer, with_items=task.with_items)
    return rows.facts()


def _facts(pieces: Sequence[Piece]) -> dict[str, Any]:
    levels: dict[str, Counter[str]] = {}
    rejected: Counter[str] = Counter()
    for facts in _written(pieces):
        for level, counts in facts["levels"].items():
            levels.setdefault(level, Counter()).update(counts)
        rejected.update(facts["rejected"])
    return {
        "levels": {level: dict(sorted(counts.items())) for level, counts in sorted(levels.items())},
        "rejected": dict(sorted(rejected.items())),
    }


def _written(pieces: Sequence[Piece]) -> Iterator[Mapping[str, Any]]:
    return (piece.facts for piece in pieces if "levels" in piece.facts)
