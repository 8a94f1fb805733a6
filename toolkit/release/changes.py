"""Count what changed between two versions, item by item."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolkit.gate.levels import DIGESTS
from toolkit.release.content import plain_value
from toolkit.release.shard_facts import shards_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Keys = npt.NDArray[np.uint64]

__all__ = ["Changes", "count_changes"]


@dataclass(frozen=True, slots=True)
class Changes:
    """Items that only the new version has, that only the old one had, and that differ."""

    added: int
    removed: int
    changed: int


def count_changes(
    old: Path, old_splits: Sequence[str], new: Path, new_splits: Sequence[str], config: str
) -> Changes:
    """Compare the shards of a configuration in two folders.

    Items are compared by id. Where both versions carry digests of the texts, these, the
    split and the flag of retraction decide; elsewhere the split and every column of both. Ids
    and values are compared as 64 bits of BLAKE2b: the chance that any two of ten million ids
    meet is under 1 in 100,000.

    Raises:
        UserError: a split has no shard.
    """
    import numpy as np

    columns = _columns(old, old_splits, new, new_splits, config)
    old_ids, old_values = _keys(old, old_splits, config, columns)
    new_ids, new_values = _keys(new, new_splits, config, columns)
    _, at_old, at_new = np.intersect1d(old_ids, new_ids, return_indices=True)
    return Changes(
        added=len(new_ids) - len(at_new),
        removed=len(old_ids) - len(at_old),
        changed=int(np.count_nonzero(old_values[at_old] != new_values[at_new])),
    )


def _columns(
    old: Path, old_splits: Sequence[str], new: Path, new_splits: Sequence[str], config: str
) -> list[str]:
    import pyarrow.parquet as pq

    mine = pq.read_schema(shards_of(new, config, new_splits[0])[0])
    theirs = pq.read_schema(shards_of(old, config, old_splits[0])[0])
    both = [
        field.name
        for field in mine
        if field.name in theirs.names and theirs.field(field.name).type == field.type
    ]
    # A group is named after its members, and so may change for an item that did not.
    both = [name for name in both if name not in ("item_id", "group", "group_sha256")]
    if any(name in DIGESTS for name in both):
        return [name for name in both if name in DIGESTS or name == "retracted"]
    return both


def _keys(
    folder: Path, splits: Sequence[str], config: str, columns: Sequence[str]
) -> tuple[Keys, Keys]:
    import numpy as np
    import pyarrow.parquet as pq

    ids: list[int] = []
    values: list[int] = []
    for split in splits:
        for path in shards_of(folder, config, split):
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(1000, columns=["item_id", *columns]):
                    for row in batch.to_pylist():
                        ids.append(_key(row.pop("item_id")))
                        values.append(_key([split, row]))
    return np.array(ids, np.uint64), np.array(values, np.uint64)


def _key(value: Any) -> int:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=plain_value)
    raw = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(raw, "big")
