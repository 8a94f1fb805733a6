"""Which items belong together, by item: what is resampled as a whole."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from toolkit.errors import UserError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["cluster_names", "item_clusters"]


def cluster_names(tables: Iterable[pa.Table], column: str, owner: str) -> dict[str, str | None]:
    """Return the name of each item's cluster, None where it has none.

    Args:
        tables: with ``item_id`` and the column.
        column: the column of clusters.
        owner: name of the analysis, for the message.

    Raises:
        UserError: the items lack the column.
    """
    names: dict[str, str | None] = {}
    for table in tables:
        if column not in table.column_names:
            raise UserError(
                f"the items have no column '{column}' to cluster by",
                hint=f"{owner}.cluster is one of: {', '.join(sorted(table.column_names))}",
            )
        values = (
            None if value is None else str(value) for value in table.column(column).to_pylist()
        )
        names.update(zip(table.column("item_id").to_pylist(), values, strict=True))
    return names


def item_clusters(tables: Iterable[pa.Table], column: str | None, owner: str) -> dict[str, str]:
    """Return the cluster of each item that has one, by a name that no item has.

    Args:
        tables: with ``item_id`` and the column.
        column: the column of clusters; None where every item stands alone.
        owner: name of the analysis, for the message.

    Raises:
        UserError: the items lack the column.
    """
    if column is None:
        return {}
    names = cluster_names(tables, column, owner)
    return {item: f"in {name}" for item, name in names.items() if name is not None}
