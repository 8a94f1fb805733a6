"""Models of an ordered outcome: one odds ratio for all thresholds, and one for each."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from toolkit.statistics.cluster_rank import why_no_covariance
from toolkit.statistics.factorial import Factorial
from toolkit.statistics.linear_model import LinearFit
from toolkit.statistics.logistic_gee import no_fit, why_no_logistic
from toolkit.statistics.ordered_model import ordered_model
from toolkit.statistics.separation import separated

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["proportional_odds", "threshold_odds"]

_ITERATIONS: Final = 500


def proportional_odds(
    outcome: NDArray[np.int64],
    design: Factorial,
    codes: NDArray[np.int64],
    clusters: NDArray[np.int64],
) -> LinearFit:
    """Fit the proportional odds model: an odds ratio is the same at every threshold.

    McCullagh 1980 (doi:10.1111/j.2517-6161.1980.tb01109.x), with the sandwich covariance of whole
    clusters. A coefficient above zero makes higher outcomes likelier. The first coefficient, the
    intercept of the design, is none of this model and is 0.

    Args:
        outcome: (n,) codes 0 to k of the ordered values, each of which occurs.
        design: the factors.
        codes: (n, factors) the level of each factor.
        clusters: (n,) the cluster of each row.
    """
    import numpy as np

    groups, n, size = len(np.unique(clusters)), len(outcome), design.size
    reason = _why_not(outcome, design, codes, clusters)
    if reason:
        return no_fit(size, n, groups, reason)
    order = np.lexsort((outcome, *codes.T[::-1], clusters))
    matrix = design.matrix(codes[order])[:, 1:]
    with warnings.catch_warnings():
        # Whether it converged is looked for in the result below.
        warnings.simplefilter("ignore")
        model = ordered_model(outcome[order], matrix)
        near = model.fit(method="bfgs", maxiter=_ITERATIONS, disp=False, skip_hessian=True)
        found = model.fit(
            start_params=near.params, method="newton", maxiter=_ITERATIONS, disp=False,
            cov_type="cluster", cov_kwds={"groups": clusters[order]},
        )  # fmt: skip
    estimates, whole = np.asarray(found.params, float), np.asarray(found.cov_params())
    if not found.mle_retvals["converged"] or not np.isfinite(whole).all():
        return no_fit(size, n, groups, "the likelihood has no maximum that could be found")
    params, covariance = np.zeros(size), np.zeros((size, size))
    params[1:] = estimates[: size - 1]
    covariance[1:, 1:] = whole[: size - 1, : size - 1]
    thresholds = model.transform_threshold_params(estimates)[1:-1]
    reaching = _reaching(params[1:], thresholds, estimates[size - 1 :], whole)
    parts = tuple(LinearFit(row, part, n, groups) for row, part in reaching)
    return LinearFit(params, covariance, n, groups, None, tuple(map(float, thresholds)), "", parts)


def _reaching(
    slopes: NDArray[np.float64],
    thresholds: NDArray[np.float64],
    steps: NDArray[np.float64],
    covariance: NDArray[np.float64],
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Return coefficients and covariance of reaching each value: the intercept is -threshold.

    Args:
        slopes: (p,) coefficients.
        thresholds: (k,) ascending.
        steps: (k,) what the model has for thresholds: the first, then logarithms of their gaps.
        covariance: (p + k, p + k) of slopes and steps.
    """
    import numpy as np

    width = len(slopes)
    for at, threshold in enumerate(thresholds.tolist()):
        change = np.eye(1 + width, width + len(steps), k=-1)
        change[0, width] = -1.0
        change[0, width + 1 : width + 1 + at] = -np.exp(steps[1 : 1 + at])
        yield np.concatenate([[-threshold], slopes]), change @ covariance @ change.T


def threshold_odds(
    outcome: NDArray[np.int64],
    design: Factorial,
    codes: NDArray[np.int64],
    clusters: NDArray[np.int64],
) -> LinearFit:
    """Fit a logistic model of reaching each value above the lowest, all of them jointly.

    The estimates are those of separate models; the sandwich over whole clusters (Liang and Zeger
    1986, doi:10.1093/biomet/73.1.13) of all of them together says how they depend on one another,
    which a ratio of their odds ratios needs (Weesie 1999, Stata Technical Bulletin 52).

    Args:
        outcome: (n,) codes 0 to k of the ordered values, each of which occurs.
        design: the factors.
        codes: (n, factors) the level of each factor.
        clusters: (n,) the cluster of each row.

    Returns:
        A model of k times the coefficients of the design, threshold by threshold; ``reaching``
        holds the model of each. Where one of them is refused there is no joint model, and those
        that are not refused still say what they can.
    """
    import numpy as np

    groups, n = len(np.unique(clusters)), len(outcome)
    steps = range(1, 1 + (int(outcome.max()) if n else 0))
    if not steps:
        reason = "no variation: fewer than two values occur"
        return no_fit(design.size, n, groups, reason)
    lacks = [why_no_logistic(outcome >= step, design, codes, clusters) for step in steps]
    kept = [step for step, lack in zip(steps, lacks, strict=True) if not lack]
    fit = _stacked(outcome, design, codes, clusters, kept)
    parts = iter(_parts(fit, design.size))
    reaching = tuple(
        no_fit(design.size, n, groups, lack) if lack else next(parts) for lack in lacks
    )
    if len(kept) < len(steps):
        step, lack = next(pair for pair in zip(steps, lacks, strict=True) if pair[1])
        fit = no_fit(design.size * len(steps), n, groups, f"at threshold {step}: {lack}")
    return replace(fit, reaching=reaching)


def _stacked(
    outcome: NDArray[np.int64],
    design: Factorial,
    codes: NDArray[np.int64],
    clusters: NDArray[np.int64],
    steps: Sequence[int],
) -> LinearFit:
    """Fit the logistic models of some thresholds together."""
    import numpy as np
    from scipy.linalg import block_diag

    groups, n = len(np.unique(clusters)), len(outcome)
    if not steps:
        return no_fit(0, n, groups, "no threshold has a model")
    import statsmodels.api as sm

    order = np.lexsort((outcome, *codes.T[::-1], clusters))
    matrix = design.matrix(codes[order])
    reached = np.concatenate([outcome[order] >= step for step in steps])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = sm.Logit(reached.astype(float), block_diag(*[matrix] * len(steps))).fit(
            method="newton", maxiter=_ITERATIONS, disp=False,
            cov_type="cluster", cov_kwds={"groups": np.tile(clusters[order], len(steps))},
        )  # fmt: skip
    covariance = np.asarray(found.cov_params())
    if not found.mle_retvals["converged"] or not np.isfinite(covariance).all():
        reason = "the likelihood has no maximum that could be found"
        return no_fit(design.size * len(steps), n, groups, reason)
    return LinearFit(np.asarray(found.params, float), covariance, n, groups)


def _parts(fit: LinearFit, size: int) -> Iterator[LinearFit]:
    """Return the models that were fitted together, each by itself."""
    for start in range(0, len(fit.params), size):
        own = slice(start, start + size)
        yield replace(fit, params=fit.params[own], covariance=fit.covariance[own, own])


def _why_not(
    outcome: NDArray[np.int64],
    design: Factorial,
    codes: NDArray[np.int64],
    clusters: NDArray[np.int64],
) -> str:
    import numpy as np

    if not len(outcome):
        return "no row has a value and a level of each factor"
    steps = int(outcome.max())
    if not steps:
        return f"no variation: all {len(outcome)} values are the same"
    reason = design.lack(codes) or why_no_covariance(design, codes, clusters)
    if reason:
        return reason
    groups = len(np.unique(clusters))
    if groups <= design.size + steps - 1:
        return (
            f"{groups} clusters are too few for the covariance of {design.size + steps - 1} "
            "coefficients; lower interactions or leave factors out"
        )
    # The model is a logistic one of all thresholds with the same slopes.
    slopes = design.matrix(codes)[:, 1:]
    stacked = np.vstack(
        [np.hstack([slopes, _indicator(len(slopes), steps, at)]) for at in range(steps)]
    )
    reached = np.concatenate([outcome > at for at in range(steps)])
    if separated(stacked, reached):
        return "separation: the factors predict some values with certainty, the odds are infinite"
    return ""


def _indicator(rows: int, steps: int, at: int) -> NDArray[np.float64]:
    import numpy as np

    found = np.zeros((rows, steps))
    found[:, at] = 1.0
    return found
