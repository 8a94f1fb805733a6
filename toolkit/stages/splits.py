"""Put every item into a split: find near-duplicates side by side, assign, write the tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolkit.errors import UserError
from toolkit.recipe.splits_section import NearDuplicates, Splits
from toolkit.splits.assign import SplitResult, assign
from toolkit.splits.frozen import load_frozen
from toolkit.splits.near_duplicates import digests, document, find_pairs, signatures
from toolkit.splits.views import make_views
from toolkit.stages.context import Context, finish
from toolkit.stages.slices import RowReader, Slice
from toolkit.store.artifact import Artifact
from toolkit.store.manifest import Manifest, Shard
from toolkit.store.pieces import Piece, PieceWriter, ensure_piece

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["run"]

TEXT_CACHE: Final = 4096


def run(context: Context) -> Manifest:
    """Assign the items.

    Returns:
        Tables ``assignment`` (columns of ``splits``), ``rejects``, and ``items_<split>`` with
        the items and their ``group`` for every split and view; facts ``splits``.

    Raises:
        UserError: sizes cannot be reached, or a split would be empty.
    """
    splits = context.recipe.splits
    assert splits is not None
    items = context.inputs["corpus"]
    result = _assign(context, splits, items)
    result.leakage.check()
    views = _views(splits, result, items, context.recipe.seed)
    pieces = [ensure_piece(context.folder, "00000", lambda writer: _tables(writer, result))]
    where = _places(result, views)
    tasks = [
        _Write(
            f"splits, {shard.name}",
            f"{index + 1:05d}",
            context.folder,
            items,
            shard,
            _of(shard, items, where),
        )
        for index, shard in enumerate(items.shards("items"))
    ]
    pieces += context.each(_write, tasks, "writing")
    facts = {
        "splits": result.to_dict(),
        "views": {name: len(ids) for name, ids in sorted(views.items())},
    }
    return finish(context, pieces, facts)


def _assign(context: Context, splits: Splits, items: Artifact) -> SplitResult:
    keys = _keys(items, splits)
    pairs = None
    seen: list[bytes] = []
    if splits.needs_near_duplicates:
        columns = _text_columns(items, splits.near_duplicates)
        tasks = [
            _Sign(shard.name, items, shard, columns, splits.near_duplicates)
            for shard in items.shards("items")
        ]
        signed = list(context.each(_sign, tasks, "near-duplicates"))
        seen = [value for digest_list, _ in signed for value in digest_list]
        ids = keys["item_id"].to_pylist()
        text_of = _texts(items, columns)
        pairs = find_pairs(ids, seen, _stack(signed), text_of, splits.near_duplicates)
    frozen = load_frozen(Path(splits.frozen)) if splits.frozen else None
    return assign(
        keys,
        splits,
        seed=context.recipe.seed,
        near_duplicates=pairs,
        digests=seen or None,
        frozen=frozen,
    )


def _keys(items: Artifact, splits: Splits) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = pq.read_schema(items.folder / items.shards("items")[0].name).names
    missing = [name for name in splits.columns if name not in names]
    if missing:
        raise UserError(
            f"splits: the items have no column '{missing[0]}'",
            hint=f"their columns: {', '.join(names)}",
        )
    wanted = [*splits.columns, *(n for n in ("year", "source_file") if n in names)]
    return pa.Table.from_batches(list(items.batches("items", list(dict.fromkeys(wanted)))))


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


@dataclass(frozen=True, slots=True)
class _Sign:
    name: str
    items: Artifact
    shard: Shard
    columns: tuple[str, ...]
    params: NearDuplicates


def _sign(task: _Sign) -> tuple[list[bytes], NDArray[np.uint32]]:
    import numpy as np
    import pyarrow.parquet as pq

    found: list[bytes] = []
    rows: list[NDArray[np.uint32]] = [np.empty((0, task.params.permutations), dtype=np.uint32)]
    with pq.ParquetFile(task.items.path(task.shard)) as file:
        for batch in file.iter_batches(columns=list(task.columns), batch_size=2000):
            texts = [document(row[name] for name in task.columns) for row in batch.to_pylist()]
            found += digests(texts)
            rows.append(signatures(texts, task.params))
    return found, np.concatenate(rows)


def _stack(
    signed: Sequence[tuple[list[bytes], NDArray[np.uint32]]],
) -> NDArray[np.uint32]:
    import numpy as np

    return np.concatenate([rows for _, rows in signed])


def _texts(items: Artifact, columns: tuple[str, ...]) -> Any:
    reader = RowReader(items, "items")

    @lru_cache(maxsize=TEXT_CACHE)
    def text_of(position: int) -> str:
        row = next(reader.rows(Slice("", position, position + 1), columns))
        return document(row[name] for name in columns)

    return text_of


def _views(splits: Splits, result: SplitResult, items: Artifact, seed: int) -> dict[str, set[str]]:
    views: dict[str, set[str]] = {}
    for name, view in splits.views.items():
        if view.of is None:
            ids = [row["item_id"] for row in items.rows("items", ["item_id"])]
        else:
            pairs = zip(
                result.splits["item_id"].to_pylist(),
                result.splits["split"].to_pylist(),
                strict=True,
            )
            ids = [item for item, split in pairs if split == view.of]
        table = make_views(ids, {name: view}, seed=seed)
        views[name] = set(table["item_id"].to_pylist())
    return views


def _tables(writer: PieceWriter, result: SplitResult) -> Mapping[str, Any]:
    writer.table("assignment", result.splits)
    writer.table("rejects", result.rejects)
    return {}


def _places(
    result: SplitResult, views: Mapping[str, set[str]]
) -> dict[str, tuple[tuple[str, ...], str]]:
    """Return for each item the tables it goes to, and its group."""
    places: dict[str, tuple[tuple[str, ...], str]] = {}
    for row in result.splits.to_pylist():
        places[row["item_id"]] = ((f"items_{row['split']}",), row["group"])
    for name, ids in sorted(views.items()):
        for item in ids:
            tables, group = places.get(item, ((), item))
            places[item] = ((*tables, f"items_{name}"), group)
    return places


@dataclass(frozen=True, slots=True)
class _Write:
    name: str
    key: str
    folder: Path
    items: Artifact
    shard: Shard
    where: Mapping[str, tuple[tuple[str, ...], str]]


def _of(
    shard: Shard, items: Artifact, where: Mapping[str, tuple[tuple[str, ...], str]]
) -> dict[str, tuple[tuple[str, ...], str]]:
    import pyarrow.parquet as pq

    ids = pq.read_table(items.path(shard), columns=["item_id"])["item_id"].to_pylist()
    return {item: where[item] for item in ids if item in where}


def _write(task: _Write) -> Piece:
    return ensure_piece(task.folder, task.key, lambda writer: _fill(task, writer))


def _fill(task: _Write, writer: PieceWriter) -> Mapping[str, Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = task.items.path(task.shard)
    schema = pq.read_schema(path).append(pa.field("group", pa.string()))
    tables = sorted({table for found, _ in task.where.values() for table in found})
    for table in tables:
        writer.batches(table, schema, _rows_of(path, table, task.where, schema))
    return {}


def _rows_of(
    path: Path,
    table: str,
    where: Mapping[str, tuple[tuple[str, ...], str]],
    schema: pa.Schema,
) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=4096):
            ids = batch["item_id"].to_pylist()
            keep = pa.array([table in where.get(item, ((), ""))[0] for item in ids])
            groups = pa.array([where.get(item, ((), ""))[1] for item in ids], pa.string())
            columns = [*batch.columns, groups]
            yield pa.RecordBatch.from_arrays(columns, schema=schema).filter(keep)
