"""Differences of paired values: interval, t test, sign ranks, equivalence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolkit.statistics.effect_size import EffectSize, paired_d
from toolkit.statistics.group_errors import clustered_mean
from toolkit.statistics.limits import gap_limits, within

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Equivalence", "PairedDifference", "equivalence", "paired_difference", "signed_ranks"]


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The mean of paired differences.

    Attributes:
        difference: first minus second; None without pairs.
        low: lower end of Student's interval.
        high: upper end.
        standard_error: of whole clusters.
        sd: standard deviation of the differences.
        t: Student's statistic.
        df: degrees of freedom: clusters minus 1, fewer where their sizes differ.
        p: two-sided p value of no difference.
        n: pairs.
        clusters: independent clusters they belong to.
        effect: the standardised difference d_z.
        reason: why something is missing; empty otherwise.
    """

    difference: float | None
    low: float | None
    high: float | None
    standard_error: float | None
    sd: float | None
    t: float | None
    df: float | None
    p: float | None
    n: int
    clusters: int
    effect: EffectSize
    reason: str = ""


def paired_difference(
    differences: NDArray[np.float64],
    *,
    clusters: NDArray[np.int64] | None = None,
    span: float | None = None,
    confidence: float = 0.95,
) -> PairedDifference:
    """Return the mean difference with the interval and the t test of whole clusters.

    Student's test for pairs (Student 1908, doi:10.1093/biomet/6.1.1), its standard error summed
    by cluster (Liang and Zeger 1986, doi:10.1093/biomet/73.1.13) and referred to the degrees of
    freedom of :func:`toolkit.statistics.group_errors.cluster_df`. With clusters the interval of
    d_z is left out: it holds for independent pairs.

    Args:
        differences: (n,) first minus second.
        clusters: (n,) the cluster of each pair; without it each pair is its own.
        span: how far two values can lie apart; None when that is not bounded.
        confidence: coverage of the interval, between 0 and 1.
    """
    import numpy as np
    from scipy.special import stdtr

    effect = paired_d(differences, confidence=confidence)
    mean = clustered_mean(differences, clusters)
    if clusters is not None and mean.clusters < mean.n:
        effect = EffectSize(effect.value, None, None, "d_z", effect.reason)
    sd = float(np.std(differences, ddof=1)) if mean.n > 1 else None
    error, half = mean.standard_error, mean.half_width(confidence)
    n, groups = mean.n, mean.clusters
    if mean.mean is None or error is None or half is None:
        unit = "pairs" if clusters is None else "clusters"
        reason = "no variation: all differences are equal"
        if mean.clusters < 2:
            reason = f"fewer than two {unit}"
        return PairedDifference(
            mean.mean, None, None, error, sd, None, None, None, n, groups, effect, reason
        )
    t, df = mean.mean / error, mean.df
    ends = within(mean.mean - half, mean.mean + half, gap_limits(span))
    p = 2 * float(stdtr(df, -abs(t)))
    return PairedDifference(mean.mean, *ends, error, sd, t, df, p, n, groups, effect)


def signed_ranks(differences: NDArray[np.float64]) -> tuple[float | None, str]:
    """Return the p value of Wilcoxon's signed-rank test, or None with a reason.

    Differences of 0 are ranked and shared between both sides (Pratt 1959,
    doi:10.1080/01621459.1959.10501526; Wilcoxon 1945, doi:10.2307/3001968).

    Args:
        differences: (n,) first minus second, of independent pairs.
    """
    import numpy as np
    from scipy import stats

    if len(differences) < 2:
        return None, "fewer than two pairs"
    if not np.any(differences):
        return 1.0, "all differences are 0"
    return float(stats.wilcoxon(differences, zero_method="pratt").pvalue), ""


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Whether a difference is smaller than what matters.

    Attributes:
        margin: the smallest difference that matters, above 0.
        p: p value of a difference at least that large; None where it cannot be tested.
        reason: why there is none; empty otherwise.
    """

    margin: float
    p: float | None
    reason: str = ""


def equivalence(
    differences: NDArray[np.float64],
    margin: float,
    *,
    clusters: NDArray[np.int64] | None = None,
) -> Equivalence:
    """Test that the mean difference lies within a margin: two one-sided t tests.

    Schuirmann 1987, doi:10.1007/BF01068419. A p value below the level says that the two are
    equivalent, which a test of no difference can never say.

    Args:
        differences: (n,) first minus second.
        margin: the smallest difference that matters, above 0.
        clusters: (n,) the cluster of each pair; without it each pair is its own.

    Raises:
        ValueError: the margin is not above 0.
    """
    if not (margin > 0 and math.isfinite(margin)):
        raise ValueError(f"the margin is {margin}")
    found = paired_difference(differences, clusters=clusters)
    if found.difference is None or not found.standard_error or found.df is None:
        return Equivalence(margin, None, found.reason)
    from scipy.special import stdtr

    nearest = (abs(found.difference) - margin) / found.standard_error
    return Equivalence(margin, float(stdtr(found.df, nearest)))
