"""The item scores of several records side by side, ids held once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from toolkit.results.items import ItemScores

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ItemMatrix"]


class ItemMatrix:
    """Item scores of records, one score after the other as a matrix.

    Held in memory: the ids of the items once, 4 bytes an item and record, and 8 bytes a value
    of the scores that were asked for.
    """

    def __init__(self, scores: Sequence[str]) -> None:
        """Start without records.

        Args:
            scores: names of the scores that will be asked for.
        """
        self._wanted = tuple(scores)
        self._places: dict[str, int] = {}
        self._clusters: dict[int, str] = {}
        self._records: dict[str, tuple[NDArray[np.int32], Mapping[str, NDArray[np.float64]]]] = {}

    def add(self, record: str, items: ItemScores) -> None:
        """Take the scores of a record; an item keeps the cluster of the first that names one."""
        import numpy as np

        codes = [self._places.setdefault(item, len(self._places)) for item in items.items]
        for code, cluster in zip(codes, items.clusters, strict=False):
            if cluster:
                self._clusters.setdefault(code, cluster)
        columns = {name: items.column(name) for name in self._wanted}
        kept = {name: column.copy() for name, column in columns.items() if column is not None}
        self._records[record] = np.array(codes, np.int32), kept

    def clusters(self) -> NDArray[np.int64] | None:
        """Return the number of each item's cluster; None where each counts for itself."""
        import numpy as np

        if not self._clusters:
            return None
        # A cluster and an item alone never share a number.
        names = [self._clusters.get(code, f"item {code}") for code in range(len(self._places))]
        _, found = np.unique(np.array(names, dtype=object).astype(str), return_inverse=True)
        return found.astype(np.int64)

    def matrix(self, score: str, records: Sequence[str]) -> NDArray[np.float64]:
        """Return (items, records) values; a column of NaN for a record without item scores."""
        import numpy as np

        values = np.full((len(self._places), len(records)), np.nan)
        for at, record in enumerate(records):
            codes, columns = self._records.get(record, (None, {}))
            if score in columns:
                values[codes, at] = columns[score]
        return values
