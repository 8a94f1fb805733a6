"""Ids of released items, and what may not have happened to them since the last version."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from toolkit.errors import UserError
from toolkit.report.text import printable
from toolkit.store.parquet import read_parquet

__all__ = ["check_frozen", "split_of_items"]

_SHOWN = 10


def split_of_items(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the split of each item.

    Args:
        folder: holds the shards.
        names: data shards, ``<config>/<split>-00000-of-00001.parquet``.
    """
    found: dict[str, str] = {}
    for name in sorted(names):
        split = Path(name).name.split("-")[0]
        column = read_parquet(folder / name, ["item_id"])["item_id"]
        found.update(dict.fromkeys((str(value) for value in column.to_pylist()), split))
    return found


def check_frozen(before: Mapping[str, str], now: Mapping[str, str]) -> None:
    """Refuse items that are in another split than in the last version.

    Raises:
        UserError: what a model was trained on would be tested on, or scores of two versions
            could not be compared; the items are named.
    """
    moved = [
        f"{printable(item)} ({before[item]} -> {split})"
        for item, split in sorted(now.items())
        if before.get(item, split) != split
    ]
    if moved:
        raise UserError(
            f"{len(moved)} item{'s' if len(moved) > 1 else ''} would change split against the "
            f"last released version: {_some(moved)}",
            hint="toolkit publish RUN --released-splits released.csv writes the assignment that "
            "stands; name it in `splits.frozen`, run the recipe again, and publish that run",
        )


def _some(found: list[str]) -> str:
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return ", ".join(found[:_SHOWN]) + more
