"""Columns of the items that may be absent: refused by name, or taken as empty."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from toolkit.errors import UserError, suggest

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["present_columns"]


def present_columns(
    tables: Iterable[pa.Table], columns: Sequence[str], owner: str, optional: Sequence[str] = ()
) -> Iterator[pa.Table]:
    """Yield tables of items that have all of some columns.

    Args:
        tables: with ``item_id`` and those of the columns that the items have.
        columns: columns that must be there.
        owner: name of the analysis, for the message.
        optional: columns that become null where they are absent.

    Raises:
        UserError: the items lack one of the columns.
    """
    import pyarrow as pa

    for found in tables:
        table = found
        for name in columns:
            if name not in table.column_names:
                raise UserError(
                    f"{owner}: the items have no column '{name}'",
                    hint=suggest(name, table.column_names),
                )
        for name in optional:
            if name not in table.column_names:
                table = table.append_column(name, pa.nulls(len(table), pa.string()))
        yield table
