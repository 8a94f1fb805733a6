"""One-way analysis of variance, from values or from what a paper prints of each group."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Anova", "one_way", "one_way_of_summary"]


@dataclass(frozen=True, slots=True)
class Anova:
    """A one-way analysis of variance.

    Attributes:
        between: sum of squares between groups, in squared units of the values.
        within: sum of squares within groups.
        df_between: groups minus 1.
        df_within: values minus groups.
        f: ratio of the mean squares (Fisher 1925); None where it is undefined.
        p: its p value.
        eta_squared: share of the sum of squares that lies between groups.
        omega_squared: the same without its bias (Hays 1963), never below 0.
        welch_f: statistic that does not ask for equal variances (Welch 1951,
            doi:10.1093/biomet/38.3-4.330); None where a group does not vary.
        welch_p: its p value.
        reason: why something is missing; empty otherwise.
    """

    between: float | None
    within: float | None
    df_between: int
    df_within: int
    f: float | None = None
    p: float | None = None
    eta_squared: float | None = None
    omega_squared: float | None = None
    welch_f: float | None = None
    welch_p: float | None = None
    reason: str = ""


def one_way(groups: Sequence[NDArray[np.float64]]) -> Anova:
    """Compare the means of groups of independent values.

    Args:
        groups: the values of each group; groups without values are left out.
    """
    kept = [values for values in groups if len(values)]
    return one_way_of_summary(
        [len(values) for values in kept],
        [float(values.mean()) for values in kept],
        [float(values.std(ddof=1)) if len(values) > 1 else 0.0 for values in kept],
    )


def one_way_of_summary(n: Sequence[int], mean: Sequence[float], sd: Sequence[float]) -> Anova:
    """Compare means of which only size, mean and standard deviation are known.

    Args:
        n: values of each group, at least 1.
        mean: of each group.
        sd: of each group, with n - 1; 0 for a group of one.
    """
    total = sum(n)
    df = len(n) - 1, total - len(n)
    if len(n) < 2:
        return Anova(None, None, max(df[0], 0), max(df[1], 0), reason="fewer than two groups")
    grand = math.fsum(k * m for k, m in zip(n, mean, strict=True)) / total
    between = math.fsum(k * (m - grand) ** 2 for k, m in zip(n, mean, strict=True))
    within = math.fsum((k - 1) * s * s for k, s in zip(n, sd, strict=True))
    if df[1] < 1:
        return Anova(between, within, *df, reason="one value in each group")
    if within <= 1e-20 * max(1.0, math.fsum(k * m * m for k, m in zip(n, mean, strict=True))):
        return Anova(between, within, *df, reason="no variation within the groups")
    from scipy import stats

    square = within / df[1]
    f = between / df[0] / square
    omega = (between - df[0] * square) / (between + within + square)
    welch_f, welch_p = _welch(n, mean, sd)
    return Anova(
        between,
        within,
        *df,
        f=f,
        p=float(stats.f.sf(f, *df)),
        eta_squared=between / (between + within),
        omega_squared=max(0.0, omega),
        welch_f=welch_f,
        welch_p=welch_p,
        reason="" if welch_f is not None else "no Welch test: a group does not vary",
    )


def _welch(
    n: Sequence[int], mean: Sequence[float], sd: Sequence[float]
) -> tuple[float | None, float | None]:
    if min(n) < 2 or min(sd) <= 0:
        return None, None
    import numpy as np
    from statsmodels.stats.oneway import anova_generic

    found = anova_generic(
        np.array(mean), np.array(sd) ** 2, np.array(n), use_var="unequal", welch_correction=True
    )
    return float(found.statistic), float(found.pvalue)
