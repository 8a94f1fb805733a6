"""Which items belong together, by item: what is resampled as a whole."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["item_clusters"]


def item_clusters(tables: Iterable[pa.Table], column: str | None) -> dict[str, str]:
    """Return the cluster of each item that has one.

    Args:
        tables: with ``item_id`` and the column.
        column: the column of clusters; None where every item stands alone.
    """
    found: dict[str, str] = {}
    if column is None:
        return found
    for table in tables:
        pairs = zip(table["item_id"].to_pylist(), table[column].to_pylist(), strict=True)
        # A cluster and an item may have one name.
        found |= {item: f"in {value}" for item, value in pairs if value is not None}
    return found
