"""The values of several score columns, paired answer by answer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["PairedValues"]

_REPEAT_BITS: Final = 12
_SYSTEM_BITS: Final = 16


class PairedValues:
    """Gathers columns of the scores tables; 16 bytes a value, and the ids of the items.

    An answer is one number: its item, its system (model and prompt) and its repeat.

    Attributes:
        items: ids in the order of their codes.
        systems: (model, prompt) in the order of their codes.
    """

    def __init__(self, columns: Iterable[str]) -> None:
        self.items: list[str] = []
        self.systems: list[tuple[str, str]] = []
        self._item_codes: dict[str, int] = {}
        self._system_codes: dict[tuple[str, str], int] = {}
        self._parts: dict[str, list[tuple[NDArray[np.int64], NDArray[np.float64]]]] = {
            column: [] for column in columns
        }

    def add(self, table: pa.Table) -> None:
        """Add the rows of a scores table that belong to the columns."""
        import numpy as np
        import pyarrow.compute as pc

        present = set(pc.unique(table["score"]).to_pylist()) & self._parts.keys()
        for column in sorted(present):
            rows = table.filter(pc.equal(table["score"], column))
            answers = self._answers(rows)
            values = rows["value"].to_numpy(zero_copy_only=False).astype(np.float64)
            self._parts[column].append((answers, values))

    def column(self, name: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the answers of a column, ascending, and their values; NaN where there is none."""
        import numpy as np

        parts = self._parts[name]
        if not parts:
            return np.empty(0, np.int64), np.empty(0, np.float64)
        answers = np.concatenate([part[0] for part in parts])
        values = np.concatenate([part[1] for part in parts])
        order = np.argsort(answers, kind="stable")
        return answers[order], values[order]

    def pair(
        self, first: str, second: str
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], int]:
        """Return answers that both columns have a value of, their values, and how many lack one."""
        import numpy as np

        answers_a, values_a = self.column(first)
        answers_b, values_b = self.column(second)
        common, at_a, at_b = np.intersect1d(
            answers_a, answers_b, assume_unique=True, return_indices=True
        )
        a, b = values_a[at_a], values_b[at_b]
        both = np.isfinite(a) & np.isfinite(b)
        return common[both], a[both], b[both], int((~both).sum())

    def item_ranks(self) -> NDArray[np.int64]:
        """Return the rank of each item code by its id."""
        import numpy as np

        ranks = np.empty(len(self.items), np.int64)
        ranks[np.argsort(np.array(self.items, dtype=object), kind="stable")] = np.arange(
            len(self.items)
        )
        return ranks

    @staticmethod
    def item_of(answers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the code of each answer's item."""
        return answers >> (_SYSTEM_BITS + _REPEAT_BITS)

    @staticmethod
    def system_of(answers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the code of each answer's system."""
        return (answers >> _REPEAT_BITS) & ((1 << _SYSTEM_BITS) - 1)

    def _answers(self, rows: pa.Table) -> NDArray[np.int64]:
        import numpy as np

        items = np.array([self._item(item) for item in rows["item_id"].to_pylist()], np.int64)
        pairs = zip(rows["model"].to_pylist(), rows["prompt"].to_pylist(), strict=True)
        systems = np.array([self._system(pair) for pair in pairs], np.int64)
        repeats = rows["repeat"].to_numpy().astype(np.int64)
        codes: NDArray[np.int64] = (((items << _SYSTEM_BITS) | systems) << _REPEAT_BITS) | repeats
        return codes

    def _item(self, name: str) -> int:
        code = self._item_codes.get(name)
        if code is None:
            code = self._item_codes[name] = len(self.items)
            self.items.append(name)
        return code

    def _system(self, pair: tuple[str, str]) -> int:
        code = self._system_codes.get(pair)
        if code is None:
            code = self._system_codes[pair] = len(self.systems)
            self.systems.append(pair)
        return code
