"""The values of several score columns, paired answer by answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from toolkit.errors import UserError

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

    def __init__(self, columns: Iterable[str], clusters: Mapping[str, str] | None = None) -> None:
        """Start empty.

        Args:
            columns: names of scores.
            clusters: by item, the cluster it belongs to; an item without one stands alone.
        """
        self._clusters = clusters or {}
        self._item_codes: dict[str, int] = {}
        self._system_codes: dict[tuple[str, str], int] = {}
        self._parts: dict[str, list[tuple[NDArray[np.int64], NDArray[np.float64]]]] = {
            column: [] for column in columns
        }

    def add(self, table: pa.Table) -> None:
        """Add the rows of a scores table that belong to the columns.

        Raises:
            UserError: more repeats, or more models and prompts, than an answer's number holds.
        """
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        wanted = pc.is_in(table["score"], value_set=pa.array(sorted(self._parts), pa.string()))
        table = table.filter(wanted)
        if table.num_rows == 0:
            return
        answers = self._answers(table)
        values = table["value"].to_numpy().astype(np.float64)
        scores, names = _encoded(table, "score")
        for code, name in enumerate(names):
            rows = scores == code
            self._parts[name].append((answers[rows], values[rows]))

    @property
    def systems(self) -> list[tuple[str, str]]:
        """All (model, prompt), sorted."""
        return sorted(self._system_codes)

    @property
    def items(self) -> list[str]:
        """The ids of all items, sorted."""
        return sorted(self._item_codes)

    def column(self, name: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the answers of a column, ascending, and their values; NaN where there is none.

        Raises:
            UserError: an answer has two values of the score.
        """
        import numpy as np

        parts = self._parts[name]
        if not parts:
            return np.empty(0, np.int64), np.empty(0, np.float64)
        answers = self._ranked(np.concatenate([part[0] for part in parts]))
        values = np.concatenate([part[1] for part in parts])
        order = np.argsort(answers, kind="stable")
        answers, values = answers[order], values[order]
        if (np.diff(answers) == 0).any():
            raise UserError(
                f"an answer has two values of the score '{name}'",
                hint="give one of the metrics or judges that return it another name",
            )
        return answers, values

    def pair(
        self, first: str, second: str
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], int]:
        """Return answers that both columns have a value of, their values, and how many lack one.

        An answer lacks one when either value is missing, whether or not there is a row for it.
        """
        import numpy as np

        answers_a, values_a = self.column(first)
        answers_b, values_b = self.column(second)
        common, at_a, at_b = np.intersect1d(
            answers_a, answers_b, assume_unique=True, return_indices=True
        )
        a, b = values_a[at_a], values_b[at_b]
        both = np.isfinite(a) & np.isfinite(b)
        known = int(both.sum())
        return common[both], a[both], b[both], len(answers_a) + len(answers_b) - len(common) - known

    def pooled(self, columns: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.float64], int]:
        """Return the values of all columns together, and how many are missing.

        Returns:
            The answer of each value, the values, and the number of (answer, column) without one,
            over the answers that any of the columns has a row for.
        """
        import numpy as np

        parts = [self.column(name) for name in columns]
        answers = np.concatenate([part[0] for part in parts])
        values = np.concatenate([part[1] for part in parts])
        known = np.isfinite(values)
        missing = len(np.unique(answers)) * len(columns) - int(known.sum())
        return answers[known], values[known], missing

    @staticmethod
    def item_of(answers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rank of each answer's item."""
        return answers >> (_SYSTEM_BITS + _REPEAT_BITS)

    def cluster_of(self, answers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rank of the cluster of each answer's item; the item's where it has none."""
        import numpy as np

        if not self._clusters:
            return self.item_of(answers)
        names = [self._clusters.get(item, item) for item in self.items]
        rank = {name: at for at, name in enumerate(sorted(set(names)))}
        return np.array([rank[name] for name in names], np.int64)[self.item_of(answers)]

    @staticmethod
    def system_of(answers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rank of each answer's system."""
        return (answers >> _REPEAT_BITS) & ((1 << _SYSTEM_BITS) - 1)

    @staticmethod
    def repeat_of(answers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the repeat of each answer."""
        return answers & ((1 << _REPEAT_BITS) - 1)

    def _answers(self, table: pa.Table) -> NDArray[np.int64]:
        """Return answers by codes of arrival."""
        import numpy as np

        codes, names = _encoded(table, "item_id")
        items = np.array([_code(self._item_codes, name) for name in names], np.int64)[codes]
        models, model_names = _encoded(table, "model")
        prompts, prompt_names = _encoded(table, "prompt")
        pairs, place = np.unique(models * len(prompt_names) + prompts, return_inverse=True)
        found = [divmod(int(pair), len(prompt_names)) for pair in pairs]
        systems = [
            _code(self._system_codes, (model_names[model], prompt_names[prompt]))
            for model, prompt in found
        ]
        repeats = table["repeat"].to_numpy().astype(np.int64)
        if repeats.max() >> _REPEAT_BITS or len(self._system_codes) >> _SYSTEM_BITS:
            raise UserError(
                f"more than {1 << _REPEAT_BITS} repeats or {1 << _SYSTEM_BITS} models and prompts",
                hint="analyse parts of the run",
            )
        return _packed(items, np.array(systems, np.int64)[place], repeats)

    def _ranked(self, answers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return answers with codes of arrival turned into ranks."""
        items = _ranks(self._item_codes)[self.item_of(answers)]
        systems = _ranks(self._system_codes)[self.system_of(answers)]
        return _packed(items, systems, self.repeat_of(answers))


def _encoded(table: pa.Table, column: str) -> tuple[NDArray[np.int64], list[str]]:
    encoded = table[column].combine_chunks().dictionary_encode()
    return encoded.indices.to_numpy().astype("int64"), encoded.dictionary.to_pylist()


def _code(codes: dict[Any, int], name: Any) -> int:
    return codes.setdefault(name, len(codes))


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
