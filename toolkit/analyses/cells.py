"""The cells that columns cut the scores into: by model, by prompt, by columns of the items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Final

from toolkit.analyses.base import AnalysisInputs
from toolkit.analyses.competitors import competing
from toolkit.analyses.item_columns import ItemColumns
from toolkit.analyses.score_matrix import ScoreMatrix

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Cells", "item_columns_of"]

_OF_SYSTEMS: Final = ("model", "prompt")


def item_columns_of(columns: Sequence[str]) -> tuple[str, ...]:
    """Return which of the columns belong to items, each once, rather than to competitors."""
    return tuple(dict.fromkeys(name for name in columns if name not in _OF_SYSTEMS))


@dataclass(frozen=True, slots=True)
class Cells:
    """Finds the values of a score in the cells of some columns.

    Attributes:
        items: the columns of the items.
        inputs: kinds of the models.
    """

    items: ItemColumns
    inputs: AnalysisInputs

    def of(
        self, matrix: ScoreMatrix, columns: Sequence[str]
    ) -> dict[tuple[str, ...], tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Return the rows and the columns of the matrix that make each cell, sorted by cell.

        An item whose column holds a list belongs to the cell of each of its values; one whose
        column is null to none. The reference takes no part.

        Args:
            matrix: a score of items and competitors.
            columns: ``model``, ``prompt`` and columns of the items, in the order of the keys.
        """
        import numpy as np

        systems: dict[tuple[str, ...], list[int]] = {}
        for system in competing(matrix, self.inputs):
            named = dict(zip(_OF_SYSTEMS, system, strict=True))
            key = tuple(named.get(name, "") for name in columns)
            systems.setdefault(key, []).append(matrix.systems.index(system))
        groups = [
            {} if name in _OF_SYSTEMS else {k: rows for k, (rows, _) in self._groups(name).items()}
            for name in columns
        ]
        everything = np.arange(len(matrix.items), dtype=np.int64)
        found = {}
        for key, places in systems.items():
            choices = [
                [(value, None)] if name in _OF_SYSTEMS else list(group.items())
                for name, value, group in zip(columns, key, groups, strict=True)
            ]
            for chosen in product(*choices):
                rows = everything
                for _, held in chosen:
                    rows = rows if held is None else np.intersect1d(rows, held)
                if len(rows):
                    cell = tuple(value for value, _ in chosen)
                    found[cell] = rows, np.array(sorted(places), np.int64)
        return dict(sorted(found.items()))

    def _groups(self, name: str) -> dict[str, tuple[NDArray[np.int64], NDArray[np.float64]]]:
        return self.items.groups(name)
