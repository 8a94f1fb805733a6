"""Shards without items that were taken down: the same bytes whoever makes them, and when."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.errors import UserError
from toolkit.gate.copyright import kept_withheld
from toolkit.gate.texts import table_texts
from toolkit.release.shards import shard_name

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["drop_items", "texts_of"]


def drop_items(
    folder: Path, names: Sequence[str], items: Collection[str]
) -> tuple[list[str], dict[str, list[str]]]:
    """Take items out of the data shards of a folder.

    A shard without any of them keeps its bytes; one that has no other row goes, and those of
    its split are numbered anew.

    Args:
        folder: holds the shards.
        names: data shards, ``<config>/<split>-00000-of-00001.parquet``.
        items: ids.

    Returns:
        The shards that are left, sorted, and the ids taken out of each shard that had any, by
        the name it had.

    Raises:
        UserError: a split would be empty: ``datasets`` could then load none of the others.
    """
    splits: dict[str, list[str]] = {}
    for name in sorted(names):
        splits.setdefault(name.rsplit("-", 3)[0], []).append(name)
    kept: list[str] = []
    dropped: dict[str, list[str]] = {}
    for stem, shards in sorted(splits.items()):
        left = []
        for name in shards:
            found, rows = _rewrite(folder / name, items)
            if found:
                dropped[name] = found
            if rows:
                left.append(name)
            else:
                (folder / name).unlink()
        if not left:
            raise UserError(
                f"without the withdrawn items the split '{Path(stem).name}' would be empty",
                hint="delete the version or the dataset on the Hub instead",
            )
        kept += _number(folder, stem, left)
    return sorted(kept), dropped


def texts_of(folder: Path, names: Sequence[str], items: Collection[str]) -> set[str]:
    """Return every text of items in the data shards of a folder, what stays public left out."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    found: set[str] = set()
    for name in names:
        with pq.ParquetFile(folder / name) as file:
            for batch in file.iter_batches():
                rows = pa.Table.from_batches([batch])
                mask = [str(value) in items for value in rows["item_id"].to_pylist()]
                for texts in table_texts(rows.filter(pa.array(mask, pa.bool_()))):
                    root = texts.column.split(".")[0]
                    if pa.types.is_large_string(texts.values.type) and not kept_withheld(root):
                        found.update(text for text in texts.values.to_pylist() if text)
    return found


def _rewrite(path: Path, items: Collection[str]) -> tuple[list[str], int]:
    """Write a shard without items; return those that it had, and the rows that are left."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        ids = [str(value) for value in file.read(columns=["item_id"]).column(0).to_pylist()]
        found = sorted(set(items).intersection(ids))
        left = sum(item not in items for item in ids)
        if found and left:
            # Beside the old one: that may be a link to a file of the workspace.
            fresh = path.with_suffix(".new")
            with pq.ParquetWriter(
                fresh, file.schema_arrow, compression="zstd", version="2.6"
            ) as writer:
                for group in range(file.num_row_groups):
                    table = _without(file.read_row_group(group), items)
                    if table.num_rows:
                        writer.write_table(table, row_group_size=table.num_rows)
            fresh.replace(path)
    return found, left


def _without(table: pa.Table, items: Collection[str]) -> pa.Table:
    import pyarrow as pa

    mask = [str(value) not in items for value in table["item_id"].to_pylist()]
    return table.filter(pa.array(mask, pa.bool_()))


def _number(folder: Path, stem: str, names: Sequence[str]) -> list[str]:
    config, split = stem.split("/")
    fresh = [shard_name(config, split, index, len(names)) for index in range(len(names))]
    for old, new in zip(names, fresh, strict=True):
        if old != new:
            (folder / old).replace(folder / new)
    return fresh
