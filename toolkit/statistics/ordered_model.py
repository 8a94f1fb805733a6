"""The proportional odds model of statsmodels with its exact slope.

statsmodels finds the slope of the likelihood by differences, one evaluation a coefficient: minutes
for a design of sixty coefficients and 18,000 rows.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ordered_model"]


def ordered_model(outcome: NDArray[np.int64], matrix: NDArray[np.float64]) -> Any:
    """Return statsmodels' ``OrderedModel`` with logistic errors.

    Args:
        outcome: (n,) codes from 0, each of which occurs.
        matrix: (n, p) rows without an intercept.
    """
    return _class()(outcome, matrix, distr="logit")


@cache
def _class() -> Any:
    import numpy as np
    from scipy.special import expit
    from statsmodels.miscmodels.ordinal_model import OrderedModel
    from statsmodels.tools.numdiff import approx_fprime

    class ExactOrderedModel(OrderedModel):  # type: ignore[misc]
        """McCullagh 1980 (doi:10.1111/j.2517-6161.1980.tb01109.x), section 2."""

        def cdf(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
            """Return the logistic distribution function."""
            found: NDArray[np.float64] = expit(x)
            return found

        def pdf(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
            """Return its density."""
            found: NDArray[np.float64] = expit(x) * expit(-x)
            return found

        def score_obs(self, params: NDArray[np.float64]) -> NDArray[np.float64]:
            """Return the slope of each row's log likelihood, (n, p + thresholds)."""
            slope, behind = self._slopes(params)
            return np.hstack([slope[:, None] * self.exog, behind])

        def score(self, params: NDArray[np.float64]) -> NDArray[np.float64]:
            """Return the slope of the log likelihood."""
            slope, behind = self._slopes(params)
            return np.concatenate([slope @ self.exog, behind.sum(axis=0)])

        def _slopes(
            self, params: NDArray[np.float64]
        ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
            """Return the slopes along a row's linear predictor and along the thresholds."""
            steps = self.k_levels - 1
            low, upper = self._bounds(params)
            chance = self.prob(low, upper)
            below, above = self.pdf(low) / chance, self.pdf(upper) / chance
            of_threshold = np.zeros((len(chance), steps))
            for step in range(steps):
                of_threshold[:, step] += np.where(self.endog == step, above, 0.0)
                of_threshold[:, step] -= np.where(self.endog == step + 1, below, 0.0)
            # A threshold is the first one plus exponentials, so each moves all behind it.
            behind = of_threshold[:, ::-1].cumsum(axis=1)[:, ::-1]
            behind[:, 1:] *= np.exp(params[-steps:][1:])
            return below - above, behind

        def hessian(self, params: NDArray[np.float64]) -> NDArray[np.float64]:
            """Return the second derivatives, by central differences of the slope."""
            found = approx_fprime(params, self.score, centered=True)
            half: NDArray[np.float64] = (found + found.T) / 2
            return half

    return ExactOrderedModel
