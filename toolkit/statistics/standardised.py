"""Probabilities that a logistic model says of one level of a factor, all else as observed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolkit.statistics.factorial import Factorial
from toolkit.statistics.linear_model import LinearFit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Standardised", "standardised"]


@dataclass(frozen=True, slots=True)
class Standardised:
    """A probability with its interval."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""


def standardised(
    fit: LinearFit,
    design: Factorial,
    codes: NDArray[np.int64],
    factor: int,
    level: int,
    *,
    confidence: float = 0.95,
) -> Standardised:
    """Return the mean predicted probability if every row had one level of a factor.

    The other factors keep the levels that rows have (Lane and Nelder 1982, doi:10.2307/2530043).
    The interval is by the delta method on the scale of log odds, so that it stays inside 0 to 1.

    Args:
        fit: a logistic model.
        design: its factors.
        codes: (n, factors) the level of each factor.
        factor: position of the factor.
        level: code of its level.
        confidence: coverage of the interval, between 0 and 1.
    """
    import numpy as np
    from scipy.special import expit, logit, ndtri

    if fit.reason:
        return Standardised(reason=fit.reason)
    cells, counts = np.unique(codes, axis=0, return_counts=True)
    cells[:, factor] = level
    rows = design.matrix(cells)
    chances = expit(rows @ fit.params)
    weights = counts / counts.sum()
    mean = float(weights @ chances)
    slope = (weights * chances * (1 - chances)) @ rows / (mean * (1 - mean))
    half = float(ndtri(0.5 + confidence / 2)) * math.sqrt(float(slope @ fit.covariance @ slope))
    middle = float(logit(mean))
    return Standardised(mean, float(expit(middle - half)), float(expit(middle + half)))
