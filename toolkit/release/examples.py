"""A few items for the card, where their texts may be shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from toolkit.gate.levels import WITHHELD
from toolkit.report.text import printable, shorten

__all__ = ["Example", "examples"]

_CHARACTERS: Final = 600
_FIRST: Final = ("item_id", "title", "input", "conclusion")

Example = tuple[tuple[str, str], ...]
"""Column and value of an item, both as plain text."""


def examples(path: Path, count: int, shown: tuple[str, ...]) -> list[Example]:
    """Return the first items of a shard whose texts are there and that were not retracted.

    Args:
        path: the shard.
        count: number of items.
        shown: columns to show besides id, title, input and conclusion.
    """
    import pyarrow.parquet as pq

    found: list[Example] = []
    if count == 0:
        return found
    with pq.ParquetFile(path) as file:
        names = file.schema_arrow.names
        wanted = [name for name in dict.fromkeys((*_FIRST, *shown)) if name in names]
        flags = [name for name in (WITHHELD, "retracted") if name in names]
        for batch in file.iter_batches(64, columns=[*wanted, *flags]):
            for row in batch.to_pylist():
                if not any(row[flag] for flag in flags):
                    found.append(_example(row, wanted))
                if len(found) == count:
                    return found
    return found


def _example(row: dict[str, Any], wanted: list[str]) -> Example:
    return tuple(
        (name, shorten(printable(_text(row[name])), _CHARACTERS))
        for name in wanted
        if row[name] is not None
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)
