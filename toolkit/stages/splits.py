"""Put every item into a split: find near-duplicates side by side, assign, write the tables.

Texts are read in workers only. The assignment is made in this process from all items at once and
takes 0.9 kB an item at its peak (measured with ids of 10 characters, years and file names; 0.7 kB
where no near-duplicates are looked for); writing takes 15 bytes an item here, and each worker gets
those of its own shard.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolkit.errors import UserError
from toolkit.recipe.splits_section import NearDuplicates, Splits
from toolkit.splits.assign import assign
from toolkit.splits.frozen import load_frozen
from toolkit.splits.result import SplitResult
from toolkit.splits.views import Drawn, draw_view
from toolkit.stages.context import Context, finish
from toolkit.stages.duplicates import find_duplicates
from toolkit.stages.light import keep_pandas_out
from toolkit.store.artifact import Artifact
from toolkit.store.manifest import Manifest, Shard
from toolkit.store.pieces import Piece, PieceWriter, ensure_piece

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["run"]

SCRATCH: Final = "scratch"


def run(context: Context) -> Manifest:
    """Assign the items.

    Returns:
        Tables ``assignment`` (columns of ``splits``), ``rejects``, and ``items_<split>`` with
        the items and their ``group`` for every split and view; facts ``splits``, ``views`` and,
        where a view has ``per``, ``samples``.

    Raises:
        UserError: sizes cannot be reached, or a split would be empty.
    """
    splits = context.recipe.splits
    assert splits is not None
    items = context.inputs["corpus"]
    keys = _keys(items, splits)
    result = _assign(context, splits, keys)
    result.leakage.check()
    ids = keys["item_id"]
    drawn = _views(splits, result, keys, context.recipe.seed)
    views = {name: _column(view.ids) for name, view in drawn.items()}
    pieces = [ensure_piece(context.folder, "00000", lambda writer: _tables(writer, result))]
    tasks = _writes(context, items, _places(result, views, ids))
    pieces += context.each(_write, tasks, "writing")
    facts = {
        "splits": result.to_dict(),
        "views": {name: len(found) for name, found in sorted(views.items())},
        **_sampled(drawn),
    }
    shutil.rmtree(context.folder / SCRATCH, ignore_errors=True)
    return finish(context, pieces, facts)


def _keys(items: Artifact, splits: Splits) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = pq.read_schema(items.folder / items.shards("items")[0].name).names
    read = [*splits.columns, *(view.per for view in splits.views.values() if view.per)]
    missing = [name for name in read if name not in names]
    if missing:
        raise UserError(
            f"splits: the items have no column '{missing[0]}'",
            hint=f"their columns: {', '.join(names)}",
        )
    wanted = [*read, *(n for n in ("year", "source_file") if n in names)]
    return pa.Table.from_batches(list(items.batches("items", list(dict.fromkeys(wanted)))))


def _assign(context: Context, splits: Splits, keys: pa.Table) -> SplitResult:
    pairs = digests = None
    if splits.needs_near_duplicates:
        params = splits.near_duplicates
        columns = _text_columns(context.inputs["corpus"], params)
        scratch = context.folder / SCRATCH
        pairs, digests = find_duplicates(context, keys["item_id"], columns, params, scratch)
    frozen = load_frozen(Path(splits.frozen)) if splits.frozen else None
    return assign(
        keys,
        splits,
        seed=context.recipe.seed,
        near_duplicates=pairs,
        digests=digests,
        frozen=frozen,
    )


def _text_columns(items: Artifact, params: NearDuplicates) -> tuple[str, ...]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pq.read_schema(items.folder / items.shards("items")[0].name)
    texts = [field.name for field in schema if pa.types.is_string(field.type)]
    if params.columns:
        missing = [name for name in params.columns if name not in texts]
        if missing:
            raise UserError(
                f"splits.near_duplicates: the items have no text column '{missing[0]}'",
                hint=f"their text columns: {', '.join(texts)}",
            )
        return params.columns
    if "input" in texts and "conclusion" in texts:
        return ("input", "conclusion")
    return tuple(name for name in texts if name not in ("item_id", "source_file"))


def _views(splits: Splits, result: SplitResult, keys: pa.Table, seed: int) -> dict[str, Drawn]:
    """Return the items that each view holds, by the view's name."""
    import pyarrow.compute as pc

    views: dict[str, Drawn] = {}
    for name, view in sorted(splits.views.items()):
        mine = keys
        if view.of is not None:
            held = result.splits.filter(pc.equal(result.splits["split"], view.of))["item_id"]
            mine = keys.filter(pc.is_in(keys["item_id"], value_set=held.combine_chunks()))
        values = None if view.per is None else mine[view.per].to_pylist()
        ids = mine["item_id"].to_pylist()
        views[name] = draw_view(name, view, ids, seed=seed, values=values)
    return views


def _column(ids: list[str]) -> pa.ChunkedArray:
    import pyarrow as pa

    return pa.chunked_array([pa.array(ids, pa.string())])


def _sampled(drawn: Mapping[str, Drawn]) -> dict[str, Any]:
    """Return the fact ``samples``; none where no view samples each value of a column."""
    found = {name: view.sampled.to_dict() for name, view in drawn.items() if view.sampled}
    return {"samples": found} if found else {}


def _tables(writer: PieceWriter, result: SplitResult) -> Mapping[str, Any]:
    writer.table("assignment", result.splits)
    writer.table("rejects", result.rejects)
    return {}


def _places(
    result: SplitResult, views: Mapping[str, pa.ChunkedArray], ids: pa.ChunkedArray
) -> pa.Table:
    """Return where each item goes, in the order of the items.

    Returns:
        Columns ``group``, null for a rejected item, and a Boolean for each table that has any.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    row = pc.index_in(ids, value_set=result.splits["item_id"].combine_chunks())
    split = result.splits["split"].take(row)
    masks = {f"items_{name}": pc.fill_null(pc.equal(split, name), False) for name in result.sizes}
    for name, held in sorted(views.items()):
        masks[f"items_{name}"] = pc.is_in(ids, value_set=held.combine_chunks())
    return pa.table({"group": result.splits["group"].take(row), **dict(sorted(masks.items()))})


@dataclass(frozen=True, slots=True)
class _Write:
    name: str
    key: str
    folder: Path
    items: Artifact
    shard: Shard
    places: pa.Table


def _writes(context: Context, items: Artifact, places: pa.Table) -> list[_Write]:
    import pyarrow as pa

    tasks: list[_Write] = []
    start = 0
    for index, shard in enumerate(items.shards("items"), start=1):
        # Taken, not sliced: a slice would travel to its worker with the rows of all others.
        rows = pa.array(range(start, start + shard.rows), pa.int64())
        mine = places.take(rows).combine_chunks()
        tasks.append(
            _Write(f"splits, {shard.name}", f"{index:05d}", context.folder, items, shard, mine)
        )
        start += shard.rows
    return tasks


def _write(task: _Write) -> Piece:
    keep_pandas_out()
    return ensure_piece(task.folder, task.key, lambda writer: _fill(task, writer))


def _fill(task: _Write, writer: PieceWriter) -> Mapping[str, Any]:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    path = task.items.path(task.shard)
    schema = pq.read_schema(path).append(pa.field("group", pa.string()))
    for table in task.places.column_names:
        if table != "group" and pc.any(task.places[table]).as_py():
            writer.batches(table, schema, _rows_of(path, task.places, table, schema))
    return {}


def _rows_of(
    path: Path, places: pa.Table, table: str, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    start = 0
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=4096):
            mine = places.slice(start, batch.num_rows).combine_chunks()
            start += batch.num_rows
            # An item of a view alone is a group of its own.
            group = pc.coalesce(mine["group"], batch["item_id"]).combine_chunks()
            whole = pa.RecordBatch.from_arrays([*batch.columns, group], schema=schema)
            yield whole.filter(mine[table].combine_chunks())
