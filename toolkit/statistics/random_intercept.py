"""Logistic models in which every cluster has its own intercept."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Final

from toolkit.statistics.factorial import Factorial
from toolkit.statistics.linear_model import LinearFit
from toolkit.statistics.logistic_gee import no_fit, why_no_logistic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["PRIOR_EFFECTS", "PRIOR_SPREAD", "random_intercept"]

PRIOR_EFFECTS: Final = 2.0
"""Standard deviation of the normal prior of each coefficient, in log odds."""

PRIOR_SPREAD: Final = 1.0
"""Standard deviation of the normal prior of the logarithm of the intercepts' spread."""

_START: Final = 0.6
"""Standard deviations the search begins with, as statsmodels does but for its noise."""

_SEARCH: Final = {"ftol": 1e-13, "gtol": 1e-3, "maxiter": 5000, "maxfun": 20000}
"""BFGS itself, which statsmodels would take, is ten times slower for hundreds of clusters."""

_FLAT: Final = 0.05
"""Slope of the bound on the likelihood, in any direction, up to which its maximum is found."""


def random_intercept(
    outcome: NDArray[np.bool_],
    design: Factorial,
    codes: NDArray[np.int64],
    clusters: NDArray[np.int64],
) -> tuple[LinearFit, float | None]:
    """Fit a logistic model with a normal random intercept a cluster.

    Means and spread are those of variational Bayes with weak normal priors (statsmodels'
    ``BinomialBayesMixedGLM``; the mode of the joint posterior, its other method, has no spread at
    all). Variational variances ignore that coefficients depend on one another, which contrasts
    need; the covariance is that of the penalised likelihood at those means, given the spread
    (Breslow and Clayton 1993, doi:10.1080/01621459.1993.10594284, section 2). Coefficients hold
    within a cluster and lie farther from zero than those of a population-averaged model (Zeger,
    Liang and Albert 1988, doi:10.2307/2531734).

    Args:
        outcome: (n,) the outcomes.
        design: the factors.
        codes: (n, factors) the level of each factor.
        clusters: (n,) the cluster of each row.

    Returns:
        The model, and the standard deviation of the intercepts in log odds.
    """
    import numpy as np

    _, places = np.unique(clusters, return_inverse=True)
    groups = int(places.max()) + 1 if len(places) else 0
    n = len(outcome)
    reason = why_no_logistic(outcome, design, codes, clusters)
    if reason:
        return no_fit(design.size, n, groups, reason), None
    from scipy import sparse
    from statsmodels.genmod.bayes_mixed_glm import BinomialBayesMixedGLM

    order = np.lexsort((outcome, *codes.T[::-1], places))
    places, matrix = places[order], design.matrix(codes[order])
    model = BinomialBayesMixedGLM(
        outcome[order].astype(float),
        matrix,
        sparse.csr_matrix((np.ones(n), (np.arange(n), places)), shape=(n, groups)),
        np.zeros(groups, np.int64),
        vcp_p=PRIOR_SPREAD,
        fe_p=PRIOR_EFFECTS,
    )
    with warnings.catch_warnings():
        # Whether the maximum was found is looked for below, by the slope that is left.
        warnings.simplefilter("ignore")
        # Given a start, nothing is drawn at random.
        size = design.size + 1 + groups
        found = model.fit_vb(
            mean=np.zeros(size), sd=np.full(size, _START), fit_method="L-BFGS-B", minim_opts=_SEARCH
        )
    if not float(np.abs(found.optim_retvals.jac).max()) < _FLAT:
        return no_fit(design.size, n, groups, "the variational bound has no maximum found"), None
    params, spread = np.asarray(found.fe_mean, float), float(np.exp(found.vcp_mean[0]))
    covariance = _covariance(matrix, places, params, np.asarray(found.vc_mean), spread)
    return LinearFit(params, covariance, n, groups), spread


def _covariance(
    matrix: NDArray[np.float64],
    places: NDArray[np.int64],
    params: NDArray[np.float64],
    intercepts: NDArray[np.float64],
    spread: float,
) -> NDArray[np.float64]:
    """Return the covariance of the coefficients, the intercepts of clusters taken out."""
    import numpy as np
    from scipy.special import expit

    chances = expit(matrix @ params + intercepts[places])
    weights = chances * (1 - chances)
    weighted = matrix * weights[:, None]
    crossed = np.zeros((len(intercepts), matrix.shape[1]))
    np.add.at(crossed, places, weighted)
    own = np.bincount(places, weights, len(intercepts)) + 1 / spread**2
    information = matrix.T @ weighted - crossed.T @ (crossed / own[:, None])
    information += np.eye(len(params)) / PRIOR_EFFECTS**2
    found: NDArray[np.float64] = np.linalg.inv(information)
    return found
