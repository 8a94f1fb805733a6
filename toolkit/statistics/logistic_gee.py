"""Logistic models of clustered outcomes by generalised estimating equations."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Final, Literal

from toolkit.statistics.cluster_rank import why_no_covariance
from toolkit.statistics.factorial import Factorial
from toolkit.statistics.linear_model import LinearFit
from toolkit.statistics.separation import pure_cell, separated

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Covariance", "logistic_gee", "no_fit", "why_no_logistic"]

Covariance = Literal["robust", "bias_reduced"]

_ITERATIONS: Final = 200


def logistic_gee(
    outcome: NDArray[np.bool_],
    design: Factorial,
    codes: NDArray[np.int64],
    clusters: NDArray[np.int64],
    covariance: Covariance = "robust",
) -> LinearFit:
    """Fit a logistic model whose rows of one cluster are equally correlated.

    Generalised estimating equations with exchangeable working correlation and the sandwich
    covariance of Liang and Zeger (1986, doi:10.1093/biomet/73.1.13), or with that of Mancl and
    DeRouen (2001, doi:10.1111/j.0006-341X.2001.00126.x), which is less too small for few
    clusters.

    Args:
        outcome: (n,) the outcomes.
        design: the factors.
        codes: (n, factors) the level of each factor.
        clusters: (n,) the cluster of each row.
        covariance: of the coefficients.
    """
    import numpy as np

    groups = len(np.unique(clusters))
    reason = why_no_logistic(outcome, design, codes, clusters)
    if reason:
        return no_fit(design.size, len(outcome), groups, reason)
    from statsmodels.genmod.cov_struct import Exchangeable
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_estimating_equations import GEE

    # The last digits of sums depend on the order of rows; statsmodels keeps the order it gets.
    order = np.lexsort((outcome, *codes.T[::-1], clusters))
    model = GEE(
        outcome[order].astype(float),
        design.matrix(codes[order]),
        groups=clusters[order],
        family=Binomial(),
        cov_struct=Exchangeable(),
    )
    with warnings.catch_warnings():
        # Each of them is looked for in the result below.
        warnings.simplefilter("ignore")
        found = model.fit(maxiter=_ITERATIONS, cov_type=covariance)
    if found is None or not found.converged:
        return no_fit(
            design.size, len(outcome), groups, "the estimating equations did not converge"
        )
    matrix = found.cov_robust_bc if covariance == "bias_reduced" else found.cov_robust
    params = np.asarray(found.params, float)
    if not (np.isfinite(params).all() and np.isfinite(matrix).all()):
        return no_fit(design.size, len(outcome), groups, "the estimates are not finite")
    alpha = float(model.cov_struct.dep_params)
    return LinearFit(params, np.asarray(matrix), len(outcome), groups, alpha)


def why_no_logistic(
    outcome: NDArray[np.bool_],
    design: Factorial,
    codes: NDArray[np.int64],
    clusters: NDArray[np.int64],
) -> str:
    """Return why rows give no logistic model; empty where they do.

    Args:
        outcome: (n,) the outcomes.
        design: the factors.
        codes: (n, factors) the level of each factor.
        clusters: (n,) the cluster of each row.
    """
    if not len(outcome):
        return "no row has a value and a level of each factor"
    if outcome.all() or not outcome.any():
        return f"no variation: all {len(outcome)} values are {int(outcome[0])}"
    reason = design.lack(codes) or why_no_covariance(design, codes, clusters)
    if reason:
        return reason
    pure = pure_cell(design, codes, outcome)
    if pure is not None:
        cell, rows, value = pure
        return f"separation: all {rows} values of {cell} are {int(value)}, the odds are infinite"
    if separated(design.matrix(codes), outcome):
        return "separation: the factors predict some cells with certainty, the odds are infinite"
    return ""


def no_fit(size: int, n: int, clusters: int, reason: str) -> LinearFit:
    """Return a model that says nothing, with the reason."""
    import numpy as np

    return LinearFit(
        np.full(size, np.nan), np.full((size, size), np.nan), n, clusters, None, (), reason
    )
