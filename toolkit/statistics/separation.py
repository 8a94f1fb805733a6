"""Whether factors predict an outcome so well that its logistic coefficients are infinite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolkit.statistics.factorial import Factorial

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["pure_cell", "separated"]


def separated(design: NDArray[np.float64], outcome: NDArray[np.bool_]) -> bool:
    """Return whether a logistic model of the rows has no finite maximum of its likelihood.

    That is so when a direction exists along which no outcome becomes less likely and some become
    more so (Albert and Anderson 1984, doi:10.1093/biomet/71.1.1); it is searched by linear
    programming (Konis 2007, Linear programming algorithms for detecting separated data in binary
    logistic regression models, section 4).

    Args:
        design: (n, p) rows of full column rank.
        outcome: (n,) the outcomes.
    """
    import numpy as np
    from scipy.optimize import linprog

    rows, places = np.unique(design, axis=0, return_inverse=True)
    places = places.ravel()
    ones = np.bincount(places, outcome, len(rows)) > 0
    zeros = np.bincount(places, ~outcome, len(rows)) > 0
    mixed, pure = rows[ones & zeros], ones != zeros
    if not pure.any():
        return False
    signed = rows[pure] * np.where(ones[pure], 1.0, -1.0)[:, None]
    found = linprog(
        -signed.sum(axis=0),
        A_ub=-signed,
        b_ub=np.zeros(len(signed)),
        A_eq=mixed if len(mixed) else None,
        b_eq=np.zeros(len(mixed)) if len(mixed) else None,
        bounds=(-1, 1),
        method="highs",
    )
    return bool(found.status != 0 or -found.fun > 1e-6)


def pure_cell(
    design: Factorial, codes: NDArray[np.int64], outcome: NDArray[np.bool_]
) -> tuple[str, int, bool] | None:
    """Return the first cell of a term in which all outcomes are the same, if there is one.

    Args:
        design: the factors.
        codes: (n, factors) the level of each factor.
        outcome: (n,) the outcomes.

    Returns:
        The cell in words, its rows, the outcome they share.
    """
    import numpy as np

    for term in design.terms:
        cells, places = np.unique(codes[:, term], axis=0, return_inverse=True)
        places = places.ravel()
        rows = np.bincount(places, minlength=len(cells))
        hits = np.bincount(places, outcome, len(cells))
        for cell, n, k in zip(cells.tolist(), rows.tolist(), hits.tolist(), strict=True):
            if k in (0, n):
                return design.cell_label(term, cell), n, bool(k)
    return None
