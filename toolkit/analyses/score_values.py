"""The values behind a leaderboard, gathered shard by shard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from toolkit.errors import UserError

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["Cell", "ScoreValues", "joint_sums"]

_REASON_LIMIT: Final = 3


class ScoreValues:
    """All values of the score tables, by score, model and prompt.

    Held in memory: 12 bytes for each value and the ids of the items.

    Attributes:
        by_key: the values, by (score, model, prompt).
        items: the number of each item, in the order it was first met.
    """

    def __init__(self, *, pool_prompts: bool) -> None:
        self.by_key: dict[tuple[str, str, str], Cell] = {}
        self.items: dict[str, int] = {}
        self._metrics: dict[str, str] = {}
        self._pool_prompts = pool_prompts

    def add(self, table: pa.Table) -> None:
        """Take the rows of one table with the ``scores`` columns.

        A null, NaN or infinite value is counted as missing, with its reason.

        Raises:
            UserError: a row lacks a name, or two metrics return a score of the same name.
        """
        import numpy as np

        if table.num_rows == 0:
            return
        items = self._item_codes(table)
        names = [_encode(table, column) for column in ("metric", "score", "model", "prompt")]
        flat = np.zeros(table.num_rows, dtype=np.int64)
        for codes, dictionary in names:
            flat = flat * len(dictionary) + codes
        value = table.column("value").to_numpy()
        finite = np.isfinite(value)
        reason = table.column("reason").combine_chunks()
        order = np.argsort(flat, kind="stable")
        starts = np.unique(flat[order], return_index=True)[1]
        for rows in np.split(order, starts[1:]):
            metric, score, model, prompt = (
                dictionary[codes[rows[0]]] for codes, dictionary in names
            )
            self._check_metric(score, metric)
            key = (score, model, "" if self._pool_prompts else prompt)
            kept, lost = rows[finite[rows]], rows[~finite[rows]]
            reasons = [text or "the value is not finite" for text in reason.take(lost).to_pylist()]
            self.by_key.setdefault(key, Cell()).add(value[kept], items[kept], reasons)

    def _check_metric(self, score: str, metric: str) -> None:
        known = self._metrics.setdefault(score, metric)
        if known != metric:
            first, second = sorted((known, metric))
            raise UserError(
                f"the score '{score}' comes from two metrics, '{first}' and '{second}'",
                hint="give one of them another name in the recipe",
            )

    def _item_codes(self, table: pa.Table) -> NDArray[np.int32]:
        import numpy as np

        codes, dictionary = _encode(table, "item_id")
        known = [self.items.setdefault(item, len(self.items)) for item in dictionary]
        return np.array(known, dtype=np.int32)[codes]


class Cell:
    """The values of one score of one competitor.

    Attributes:
        missing: rows without a value.
        reasons: how many rows lack a value for which reason.
    """

    def __init__(self) -> None:
        self.missing = 0
        self.reasons: Counter[str] = Counter()
        self._values: list[NDArray[np.float64]] = []
        self._items: list[NDArray[np.int32]] = []

    def add(
        self, values: NDArray[np.float64], items: NDArray[np.int32], reasons: list[str]
    ) -> None:
        """Take values with the numbers of their items, and the reasons of rows without one."""
        self._values.append(values)
        self._items.append(items)
        self.missing += len(reasons)
        self.reasons.update(reasons)

    def grouped(
        self, clusters: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
        """Return sums and counts of the clusters that have values, and the values, sorted.

        Args:
            clusters: the number of each item's cluster, by the item's number.
        """
        import numpy as np

        _, sums, counts, values = self._summed(clusters)
        return sums, counts.astype(np.int64), values

    def cluster_sums(
        self, clusters: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
        """Return the numbers of the clusters that have values, their sums and counts.

        Args:
            clusters: the number of each item's cluster, by the item's number.
        """
        return self._summed(clusters)[:3]

    def _summed(
        self, clusters: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
        import numpy as np

        values = np.concatenate(self._values)
        codes = clusters[np.concatenate(self._items)]
        # Sorted by value within a cluster: the last bit of a sum depends on its order.
        order = np.lexsort((values, codes))
        values, codes = values[order], codes[order]
        found, starts, counts = np.unique(codes, return_index=True, return_counts=True)
        sums = np.add.reduceat(values, starts) if len(values) else values
        return found, sums, counts, values

    def item_means(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the numbers of the items that have values, and the mean of each one's values."""
        import numpy as np

        most = max((int(items.max()) for items in self._items if len(items)), default=-1)
        found, sums, counts, _ = self._summed(np.arange(most + 1))
        return found, sums / counts

    def rows(self) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Return every value and the number of its item, in the order in which they came."""
        import numpy as np

        if not self._values:
            return np.empty(0), np.empty(0, np.int32)
        return np.concatenate(self._values), np.concatenate(self._items)

    def why_missing(self) -> str:
        """Return the most frequent reasons for rows without a value."""
        common = sorted(self.reasons.items(), key=lambda item: (-item[1], item[0]))
        listed = [f"{reason[:120]} ({count})" for reason, count in common[:_REASON_LIMIT]]
        if len(common) > _REASON_LIMIT:
            listed.append(f"and {len(common) - _REASON_LIMIT} other reasons")
        return "no row has a value: " + ", ".join(listed)


def joint_sums(
    cells: Sequence[Cell], clusters: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return sums and counts of the clusters in which any of the cells has a value.

    Args:
        cells: of n competitors.
        clusters: the number of each item's cluster, by the item's number.

    Returns:
        (g, n) sums and (g, n) counts, 0 where a competitor has no value; rows in the order of
        the clusters' numbers.
    """
    import numpy as np

    parts = [cell.cluster_sums(clusters) for cell in cells]
    found = np.unique(np.concatenate([codes for codes, _, _ in parts]))
    sums, counts = np.zeros((2, len(found), len(parts)))
    for at, (codes, total, count) in enumerate(parts):
        rows = np.searchsorted(found, codes)
        sums[rows, at], counts[rows, at] = total, count
    return sums, counts


def _encode(table: pa.Table, column: str) -> tuple[NDArray[np.int64], list[str]]:
    encoded = table.column(column).combine_chunks().dictionary_encode()
    if encoded.null_count:
        raise UserError(
            f"{encoded.null_count} rows of the scores have no {column}",
            hint="every score row names its item, model, prompt, metric and score",
        )
    return encoded.indices.to_numpy().astype("int64"), encoded.dictionary.to_pylist()
