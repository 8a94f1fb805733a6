"""Designs of several factors: sum-to-zero coding, terms, cells with equal weights.

Levels are numbers here, so that no name becomes part of a formula. With sum coding a coefficient
is a deviation from the mean of all cells, which makes Type III tests mean what they say (Searle
1971, Linear Models, chapter 8), and a mean over all levels of a factor drops out of every term
that holds it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Factorial", "Term"]

Term = tuple[int, ...]
"""Positions of the factors of a term, ascending."""


@dataclass(frozen=True, slots=True)
class Factorial:
    """Factors, their levels and the highest order of their interactions.

    Attributes:
        names: of the factors.
        levels: names of the levels of each factor; codes are positions in these.
        order: of the highest interactions; 1 for main effects alone.
    """

    names: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    order: int

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms besides the intercept: main effects, then interactions by order."""
        places = range(len(self.names))
        highest = min(self.order, len(self.names))
        return tuple(t for size in range(1, highest + 1) for t in combinations(places, size))

    @property
    def size(self) -> int:
        """Number of coefficients with the intercept."""
        return 1 + sum(self.df(term) for term in self.terms)

    def df(self, term: Term) -> int:
        """Return the degrees of freedom of a term."""
        return math.prod(max(len(self.levels[at]) - 1, 0) for at in term)

    def label(self, term: Term) -> str:
        """Return what tables call a term."""
        return " x ".join(self.names[at] for at in term)

    def columns(self, term: Term) -> slice:
        """Return which coefficients belong to a term; the intercept is the first of all."""
        start = 1
        for each in self.terms:
            width = self.df(each)
            if each == term:
                return slice(start, start + width)
            start += width
        raise KeyError(term)

    def matrix(self, codes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the rows of the design.

        Args:
            codes: (n, factors) the level of each factor.

        Returns:
            (n, size) the intercept, then the terms.
        """
        import numpy as np

        coded = [_sum_coding(len(self.levels[at]))[codes[:, at]] for at in range(len(self.names))]
        parts = [np.ones((len(codes), 1))]
        for term in self.terms:
            block = coded[term[0]]
            for at in term[1:]:
                block = (block[:, :, None] * coded[at][:, None, :]).reshape(len(codes), -1)
            parts.append(block)
        return np.hstack(parts)

    def mean_cell(self, fixed: Mapping[int, Sequence[int]]) -> NDArray[np.float64]:
        """Return the row that stands for the mean over cells, each with the same weight.

        Args:
            fixed: levels that a factor is held at, by its position; the mean is over those and
                over all levels of the other factors.

        Returns:
            (size,) the weights of the coefficients.
        """
        import numpy as np

        row = np.zeros(self.size)
        row[0] = 1.0
        means = {
            at: _sum_coding(len(self.levels[at]))[list(held)].mean(axis=0)
            for at, held in fixed.items()
        }
        for term in self.terms:
            if all(at in means for at in term):
                block = means[term[0]]
                for at in term[1:]:
                    block = np.outer(block, means[at]).ravel()
                row[self.columns(term)] = block
        return row

    def lack(self, codes: NDArray[np.int64]) -> str:
        """Return why rows cannot determine every coefficient; empty where they can.

        Args:
            codes: (n, factors) the level of each factor.
        """
        import numpy as np

        if not self.names:
            return "there is no factor"
        for name, levels in zip(self.names, self.levels, strict=True):
            if len(levels) < 2:
                return f"{name} has fewer than two levels with a value; leave it out of factors"
        highest = max(len(term) for term in self.terms)
        for term in (term for term in self.terms if len(term) == highest):
            seen = {tuple(row) for row in np.unique(codes[:, term], axis=0).tolist()}
            for cell in product(*(range(len(self.levels[at])) for at in term)):
                if cell not in seen:
                    return f"no row has {self.cell_label(term, cell)}"
        cells = self.matrix(np.unique(codes, axis=0))
        if np.linalg.matrix_rank(cells) < self.size:
            return "the cells that have rows do not tell all effects apart"
        return ""

    def cell_label(self, term: Term, cell: Sequence[int]) -> str:
        """Return a cell of a term in words."""
        return ", ".join(
            f"{self.names[at]} = {self.levels[at][level]}"
            for at, level in zip(term, cell, strict=True)
        )


def _sum_coding(levels: int) -> NDArray[np.float64]:
    import numpy as np

    return np.vstack([np.eye(levels - 1), -np.ones((1, levels - 1))])
