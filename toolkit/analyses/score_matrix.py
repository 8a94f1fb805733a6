"""The values of a score as one number for each item and competitor, repeats averaged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolkit.analyses.score_values import ScoreValues

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["ScoreMatrices", "ScoreMatrix", "System"]

System = tuple[str, str]
"""A competitor: model and prompt; no prompt for a baseline and where prompts are pooled."""


@dataclass(frozen=True, slots=True)
class ScoreMatrix:
    """One score of all items and competitors.

    Repeated answers to an item are one unit, never several: they are averaged here, so whatever
    is computed from a column counts items.

    Attributes:
        score: its name.
        items: ids, sorted; the rows.
        systems: sorted; the columns.
        values: (items, systems); NaN where an item has no value.
    """

    score: str
    items: tuple[str, ...]
    systems: tuple[System, ...]
    values: NDArray[np.float64]

    def column(self, system: System) -> NDArray[np.float64]:
        """Return the values of one competitor.

        Raises:
            KeyError: there is no such competitor.
        """
        if system not in self.systems:
            raise KeyError(system)
        column: NDArray[np.float64] = self.values[:, self.systems.index(system)]
        return column


class ScoreMatrices:
    """Gathers score tables once; matrices are made one at a time.

    Held in memory: 12 bytes a value, the ids of the items, and 8 bytes an item and competitor
    for each matrix in use.
    """

    def __init__(self, tables: Iterable[pa.Table], *, pool_prompts: bool = False) -> None:
        """Read the tables.

        Args:
            tables: with the ``scores`` columns, in any order.
            pool_prompts: a model's answers to all prompts are averaged together.

        Raises:
            UserError: a row lacks a name, or two metrics return a score of the same name.
        """
        self._values = ScoreValues(pool_prompts=pool_prompts)
        for table in tables:
            self._values.add(table)
        self._items = tuple(sorted(self._values.items))

    @property
    def items(self) -> tuple[str, ...]:
        """The ids of all scored items, sorted."""
        return self._items

    def scores(self, asked: Sequence[str] = ()) -> list[str]:
        """Return the names of the scores there are, sorted; of those asked for, in that order."""
        known = sorted({score for score, _, _ in self._values.by_key})
        return [score for score in asked if score in known] if asked else known

    def matrix(self, score: str) -> ScoreMatrix:
        """Return one score; without rows or columns when nothing has it."""
        import numpy as np

        systems = sorted((m, p) for name, m, p in self._values.by_key if name == score)
        place = np.empty(len(self._items), np.int64)
        for rank, item in enumerate(self._items):
            place[self._values.items[item]] = rank
        values = np.full((len(self._items), len(systems)), np.nan)
        for at, (model, prompt) in enumerate(systems):
            codes, means = self._values.by_key[score, model, prompt].item_means()
            values[place[codes], at] = means
        return ScoreMatrix(score, self._items, tuple(systems), values)

    def missing(self, score: str, system: System) -> int:
        """Return how many answers of a competitor have no value."""
        return self._values.by_key[(score, *system)].missing
