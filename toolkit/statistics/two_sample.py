"""Two independent samples: do they spread alike, are they distributed alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["TwoSampleTest", "kolmogorov_smirnov", "levene", "welch_interval"]


@dataclass(frozen=True, slots=True)
class TwoSampleTest:
    """A statistic and its p value.

    Attributes:
        statistic: None where it is undefined.
        p: two-sided; None where it is undefined.
        method: which form of the test.
        reason: why there is none; empty otherwise.
    """

    statistic: float | None
    p: float | None
    method: str
    reason: str = ""


def levene(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    *,
    center: Literal["mean", "median"] = "median",
) -> TwoSampleTest:
    """Test whether two samples have one variance.

    An analysis of variance of the distances from the centre: the mean (Levene 1960) or the
    median (Brown and Forsythe 1974, doi:10.1080/01621459.1974.10482955), which holds its level
    for skewed scores.

    Args:
        first: values of one sample.
        second: values of the other.
        center: what distances are taken from.
    """
    import numpy as np
    from scipy import stats

    method = f"Levene, distances from the {center}"
    if min(len(first), len(second)) < 2:
        return TwoSampleTest(None, None, method, "fewer than two values in a sample")
    middle = np.mean if center == "mean" else np.median
    distances = [np.abs(part - middle(part)) for part in (first, second)]
    if all(np.ptp(part) <= 1e-12 * max(1.0, float(part.max())) for part in distances):
        means = [float(part.mean()) for part in distances]
        if abs(means[0] - means[1]) > 1e-12:
            reason = "no variation: all distances within each sample are equal"
            return TwoSampleTest(None, None, method, reason)
        return TwoSampleTest(0.0, 1.0, method)
    statistic, p = stats.levene(first, second, center=center)
    return TwoSampleTest(float(statistic), float(p), method)


def kolmogorov_smirnov(first: NDArray[np.float64], second: NDArray[np.float64]) -> TwoSampleTest:
    """Test whether two samples have one distribution, by the largest gap of their shares.

    Exact up to 10,000 values a sample, which holds for values without ties; with ties the test
    is conservative (Hodges 1958, doi:10.1007/BF02589501).

    Args:
        first: values of one sample.
        second: values of the other.
    """
    from scipy import stats

    if min(len(first), len(second)) < 1:
        return TwoSampleTest(None, None, "Kolmogorov-Smirnov", "a sample without values")
    found = stats.ks_2samp(first, second)
    return TwoSampleTest(float(found.statistic), float(found.pvalue), "Kolmogorov-Smirnov")


def welch_interval(
    first: NDArray[np.float64], second: NDArray[np.float64], *, confidence: float = 0.95
) -> tuple[float, float] | tuple[None, None]:
    """Return the interval of the difference of two means, whatever their variances.

    Welch 1947, doi:10.1093/biomet/34.1-2.28.

    Args:
        first: independent values of one sample.
        second: independent values of the other.
        confidence: coverage of the interval, between 0 and 1.

    Returns:
        Both ends; None twice for fewer than two values in a sample, or none that differ.
    """
    import numpy as np
    from scipy import stats

    if min(len(first), len(second)) < 2 or (np.ptp(first) == 0 and np.ptp(second) == 0):
        return None, None
    found = stats.ttest_ind(first, second, equal_var=False).confidence_interval(confidence)
    return float(found.low), float(found.high)
