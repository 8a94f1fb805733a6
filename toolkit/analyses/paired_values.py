"""The values of several score columns, paired answer by answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["PairedValues"]

_REPEAT_BITS: Final = 12
_SYSTEM_BITS: Final = 16


class PairedValues:
    """Gathers columns of the scores tables; 16 bytes a value, and the ids of the items.

    An answer is one number: its item, its system (model and prompt) and its repeat, each by its
    rank among all that came, so that nothing depends on the order in which rows came.
    """

    def __init__(self, columns: Iterable[str]) -> None:
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

    @property
    def items(self) -> list[str]:
        """The ids of all items, sorted."""
        return sorted(self._item_codes)

    @property
    def systems(self) -> list[tuple[str, str]]:
        """All (model, prompt), sorted."""
        return sorted(self._system_codes)

    def column(self, name: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the answers of a column, ascending, and their values; NaN where there is none."""
        import numpy as np

        parts = self._parts[name]
        if not parts:
            return np.empty(0, np.int64), np.empty(0, np.float64)
        answers = self._ranked(np.concatenate([part[0] for part in parts]))
        values = np.concatenate([part[1] for part in parts])
        order = np.argsort(answers, kind="stable")
        return answers[order], values[order]

    def _ranked(self, answers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return answers with codes of arrival turned into ranks."""
        items = _ranks(self._item_codes)[self.item_of(answers)]
        systems = _ranks(self._system_codes)[self.system_of(answers)]
        return _packed(items, systems, answers & ((1 << _REPEAT_BITS) - 1))

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
        return _packed(items, systems, repeats)

    def _item(self, name: str) -> int:
        return self._item_codes.setdefault(name, len(self._item_codes))

    def _system(self, pair: tuple[str, str]) -> int:
        return self._system_codes.setdefault(pair, len(self._system_codes))


def _packed(
    items: NDArray[np.int64], systems: NDArray[np.int64], repeats: NDArray[np.int64]
) -> NDArray[np.int64]:
    packed: NDArray[np.int64] = (((items << _SYSTEM_BITS) | systems) << _REPEAT_BITS) | repeats
    return packed


def _ranks(codes: Mapping[Any, int]) -> NDArray[np.int64]:
    """Return the rank of each code among the sorted names."""
    import numpy as np

    ranks = np.empty(len(codes), np.int64)
    for rank, name in enumerate(sorted(codes)):
        ranks[codes[name]] = rank
    return ranks
