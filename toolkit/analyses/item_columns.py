"""Columns of the items beside their scores: numbers, dates, groups an item belongs to, clusters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from toolkit.errors import UserError

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["Group", "ItemColumns", "Weight"]

Weight = Literal["whole", "shared"]

Group = tuple["NDArray[np.int64]", "NDArray[np.float64]"]
"""The rows of a group's items, ascending, and how much each counts."""


class ItemColumns:
    """The values of some columns, in the order of a list of items."""

    def __init__(
        self, tables: Iterable[pa.Table], columns: Sequence[str], items: Sequence[str]
    ) -> None:
        """Read the tables once.

        Args:
            tables: with ``item_id`` and the columns, in any order.
            columns: which are wanted.
            items: ids; the rows of everything returned here.

        Raises:
            UserError: an item is in none of the tables.
        """
        self._count = len(items)
        place = {item: row for row, item in enumerate(items)}
        self._values: dict[str, list[Any]] = {name: [None] * len(items) for name in columns}
        seen: set[int] = set()
        for table in tables:
            rows = [place.get(item) for item in table["item_id"].to_pylist()]
            seen.update(row for row in rows if row is not None)
            for name, values in self._values.items():
                for row, value in zip(rows, table[name].to_pylist(), strict=True):
                    if row is not None:
                        values[row] = value
        if columns and len(seen) < len(items):
            absent = next(item for row, item in enumerate(items) if row not in seen)
            raise UserError(
                f"{len(items) - len(seen)} scored items are not in the items table, the first is "
                f"'{absent[:80]}'",
                hint="score and analyse the same corpus",
            )

    def values(self, column: str) -> list[Any]:
        """Return the values of a column, None where an item has none."""
        return self._values[column]

    def numbers(self, column: str) -> NDArray[np.float64]:
        """Return a numeric column; NaN where there is no finite number.

        Raises:
            UserError: a value is neither a number nor text that holds one.
        """
        import numpy as np

        found = np.full(len(self._values[column]), np.nan)
        for row, value in enumerate(self._values[column]):
            if value is None or value == "":
                continue
            try:
                found[row] = float(value)
            except (TypeError, ValueError):
                raise UserError(
                    f"the column '{column}' holds '{str(value)[:80]}', which is no number",
                    hint="name a numeric column",
                ) from None
        found[~np.isfinite(found)] = np.nan
        return found

    def groups(self, column: str, weight: Weight = "whole") -> dict[str, Group]:
        """Return the items of each value of a column, by value, sorted.

        An item whose value is a list belongs to each of its values, once, and counts 1
        (``whole``) or 1/k (``shared``) in each of its k values; null, empty and blank values
        make no group.
        """
        import numpy as np

        rows: dict[str, list[int]] = {}
        weights: dict[str, list[float]] = {}
        for row, value in enumerate(self._values[column]):
            labels = _labels(value)
            for label in labels:
                rows.setdefault(label, []).append(row)
                weights.setdefault(label, []).append(
                    1.0 if weight == "whole" else 1.0 / len(labels)
                )
        return {
            label: (np.array(rows[label], np.int64), np.array(weights[label], np.float64))
            for label in sorted(rows)
        }

    def clusters(self, column: str | None) -> NDArray[np.int64]:
        """Return the number of each item's cluster, in the order of the clusters' names.

        Without a column, and where the value is null, an item is a cluster of its own.
        """
        import numpy as np

        if column is None:
            return np.arange(self._count, dtype=np.int64)
        # An item alone and a cluster of the same name must stay apart.
        named = [
            (True, str(value)) if value is not None else (False, f"{row:012d}")
            for row, value in enumerate(self._values[column])
        ]
        order = {name: code for code, name in enumerate(sorted(set(named)))}
        return np.array([order[name] for name in named], np.int64)


def _labels(value: Any) -> list[str]:
    if value is None:
        return []
    found = value if isinstance(value, list) else [value]
    texts = [str(each).strip() for each in found if each is not None]
    return list(dict.fromkeys(text for text in texts if text))
