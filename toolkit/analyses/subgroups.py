"""Subgroups of the items: values of columns, bands of numbers, and what they cross to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolkit.analyses.item_columns import Group, ItemColumns, Weight
from toolkit.analyses.names import without_miscellaneous
from toolkit.errors import UserError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    _Label = Callable[[int, Sequence[float], NDArray[np.float64]], str]

__all__ = ["Subgroups", "rest_of", "total_weights"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subgroups:
    """How items are divided.

    Attributes:
        columns: the columns, crossed with one another.
        weight: what an item of k groups counts in each of them.
        quartiles: columns cut at their quartiles.
        edges: columns cut at the numbers given for each; a band holds its lower edge.
    """

    columns: tuple[str, ...]
    weight: Weight = "whole"
    quartiles: tuple[str, ...] = ()
    edges: Mapping[str, tuple[float, ...]]

    def check(self, owner: str) -> None:
        """Refuse bands that make no sense.

        Args:
            owner: name of the analysis, for the message.

        Raises:
            UserError: a banded column is not among the columns, is cut in two ways, or its edges
                do not ascend.
        """
        for name in (*self.quartiles, *self.edges):
            if name not in self.columns:
                raise UserError(
                    f"{owner} cuts '{name}' into bands and does not divide by it",
                    hint=f"add {name} to by:, or take its bands out",
                )
        for name, edges in self.edges.items():
            if name in self.quartiles:
                raise UserError(
                    f"{owner} cuts '{name}' at its quartiles and at edges", hint="keep one of both"
                )
            if not edges or list(edges) != sorted(set(edges)):
                raise UserError(
                    f"{owner}.edges.{name} is {list(edges)}",
                    hint="write ascending numbers, e.g. [2010, 2015, 2020]",
                )

    def groups(self, items: ItemColumns) -> dict[tuple[str, ...], Group]:
        """Return the items of each cell, by its labels; bands in their order, values sorted."""
        import numpy as np

        cells: dict[tuple[str, ...], Group] = {}
        for at, column in enumerate(self.columns):
            found = self._column(items, column)
            if at == 0:
                cells = {(label,): group for label, group in found.items()}
                continue
            crossed: dict[tuple[str, ...], Group] = {}
            for labels, (rows, weights) in cells.items():
                for label, (others, factors) in found.items():
                    common, one, two = np.intersect1d(
                        rows, others, assume_unique=True, return_indices=True
                    )
                    if len(common):
                        crossed[*labels, label] = (common, weights[one] * factors[two])
            cells = crossed
        return cells

    def _column(self, items: ItemColumns, column: str) -> dict[str, Group]:
        import numpy as np

        if column in self.edges:
            return _banded(items.numbers(column), self.edges[column], _edge_labels)
        if column in self.quartiles:
            numbers = items.numbers(column)
            known = numbers[np.isfinite(numbers)]
            if not len(known):
                return {}
            # A value on a quartile belongs below it, as "at most" says.
            cuts = np.unique(np.nextafter(np.quantile(known, [0.25, 0.5, 0.75]), np.inf))
            return _banded(numbers, tuple(cuts.tolist()), _quartile_labels)
        found = items.groups(column, self.weight)
        shown = without_miscellaneous(list(found))
        return {shown[label]: group for label, group in found.items()}


def total_weights(groups: Iterable[Group], n: int) -> NDArray[np.float64]:
    """Return how much each of n items counts in all groups together."""
    import numpy as np

    total = np.zeros(n)
    for rows, weights in groups:
        total[rows] += weights
    return total


def rest_of(total: NDArray[np.float64], group: Group, weight: Weight) -> Group:
    """Return the items that a group is compared with: those of the other groups.

    Args:
        total: how much each item counts in all groups together.
        group: one of them.
        weight: ``whole`` leaves out the group's own items; ``shared`` leaves of each item what it
            counts elsewhere.
    """
    import numpy as np

    left = (total > 0).astype(np.float64) if weight == "whole" else total.copy()
    left[group[0]] = 0.0 if weight == "whole" else total[group[0]] - group[1]
    # What floating point leaves of an item that is wholly inside is nothing.
    rest = np.flatnonzero(left > 1e-9)
    return rest.astype(np.int64), left[rest]


def _banded(
    numbers: NDArray[np.float64], edges: Sequence[float], label: _Label
) -> dict[str, Group]:
    import numpy as np

    band = np.searchsorted(np.array(edges), numbers, side="right")
    found: dict[str, Group] = {}
    for at in range(len(edges) + 1):
        rows = np.flatnonzero((band == at) & np.isfinite(numbers))
        if len(rows):
            found[label(at, edges, numbers[rows])] = (rows, np.ones(len(rows)))
    return found


def _edge_labels(at: int, edges: Sequence[float], held: NDArray[np.float64]) -> str:
    if at == 0:
        return f"below {edges[0]:g}"
    if at == len(edges):
        return f"{edges[-1]:g} and above"
    return f"{edges[at - 1]:g} to below {edges[at]:g}"


def _quartile_labels(at: int, edges: Sequence[float], held: NDArray[np.float64]) -> str:
    # Where quartiles coincide there are fewer than four bands.
    name = f"quartile {at + 1}" if len(edges) == 3 else f"band {at + 1}"
    return f"{name} ({held.min():g} to {held.max():g})"
