"""Type III tests of the terms of a model of odds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from toolkit.analyses.base import AnalysisColumn
from toolkit.analyses.factor_rows import FactorTable
from toolkit.statistics.factorial import Factorial, Term
from toolkit.statistics.linear_model import LinearFit, wald_test

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["TERMS", "few_clusters", "p_by_term", "term_rows", "unit_rows"]

_FEW: Final = 40

TERMS: Final = (
    AnalysisColumn("outcome", "string", "outcome"),
    AnalysisColumn("term", "string", "term"),
    AnalysisColumn("n", "int64", "n answers", 0),
    AnalysisColumn("clusters", "int64", "clusters", 0),
    AnalysisColumn("df", "int64", "degrees of freedom", 0),
    AnalysisColumn("chi2", "double", "chi-squared (Wald, Type III)", 2),
    AnalysisColumn("p", "double", "p of no effect", 4),
    AnalysisColumn("reason", "string", "why there is no test; else empty"),
)


def term_rows(table: FactorTable, fit: LinearFit) -> list[dict[str, Any]]:
    """Return a line of :data:`TERMS` for each term of a model."""
    rows = []
    for term in table.design.terms:
        found = wald_test(fit, unit_rows(table.design, term))
        rows.append(
            {
                "outcome": table.score,
                "term": table.design.label(term),
                "n": fit.n,
                "clusters": fit.clusters,
                "df": found.df,
                "chi2": found.chi2,
                "p": found.p,
                "reason": found.reason,
            }
        )
    return rows


def p_by_term(table: FactorTable, rows: list[dict[str, Any]]) -> dict[Term, float | None]:
    """Return the p value of each term from the lines of :func:`term_rows`."""
    return {term: row["p"] for term, row in zip(table.design.terms, rows, strict=True)}


def few_clusters(fits: Sequence[LinearFit], instead: str = "") -> tuple[str, ...]:
    """Return the note that p values are too small, where a model has few clusters.

    Args:
        fits: the models.
        instead: what to do about it, if anything.
    """
    counts = [fit.clusters for fit in fits if not fit.reason and fit.clusters < _FEW]
    if not counts:
        return ()
    return (
        f"Small sample: {min(counts)} clusters. With fewer than about {_FEW} the covariance of "
        "whole clusters is too small: read p values as too small, intervals as too "
        f"narrow{instead}.",
    )


def unit_rows(design: Factorial, term: Term) -> NDArray[np.float64]:
    """Return the rows that pick the coefficients of a term."""
    import numpy as np

    rows: NDArray[np.float64] = np.eye(design.size)[design.columns(term)]
    return rows
