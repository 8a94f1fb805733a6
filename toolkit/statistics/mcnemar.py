"""Paired scores of 0 and 1: McNemar's test on the pairs that disagree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["McNemar", "mcnemar", "mcnemar_of_counts"]


@dataclass(frozen=True, slots=True)
class McNemar:
    """What McNemar's test found.

    Attributes:
        n: pairs.
        only_first: pairs in which only the first is 1.
        only_second: pairs in which only the second is 1.
        difference: share of the first minus share of the second; None without pairs.
        low: lower end of its interval.
        high: upper end.
        p: exact two-sided p value; at most its level, mostly below; None without pairs.
        p_mid: mid-p value, whose level is nearer to the nominal one.
        reason: what to know of them; empty otherwise.
    """

    n: int
    only_first: int
    only_second: int
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_mid: float | None
    reason: str = ""


def mcnemar(
    first: NDArray[np.float64], second: NDArray[np.float64], *, confidence: float = 0.95
) -> McNemar:
    """Compare two paired columns of 0 and 1.

    Args:
        first: (n,) values 0 or 1.
        second: (n,) values 0 or 1 of the same items.
        confidence: coverage of the interval, between 0 and 1.

    Raises:
        ValueError: a value is neither 0 nor 1.
    """
    import numpy as np

    if not np.isin(np.concatenate([first, second]), (0, 1)).all():
        raise ValueError("McNemar's test is for values of 0 and 1")
    return mcnemar_of_counts(
        int((first > second).sum()),
        int((first < second).sum()),
        len(first),
        confidence=confidence,
    )


def mcnemar_of_counts(
    only_first: int, only_second: int, n: int, *, confidence: float = 0.95
) -> McNemar:
    """Compare two paired shares by the pairs that disagree.

    Of the pairs that disagree, half should favour each side; the exact p value is the binomial
    one (McNemar 1947, doi:10.1007/BF02295996), the mid-p value counts half of what was seen
    itself (Fagerland, Lydersen and Laake 2013, doi:10.1186/1471-2288-13-91). The interval of the
    difference is Bonett and Price's, Wald's with one pair added to each side of the
    disagreement (2012, doi:10.3102/1076998611411915).

    Args:
        only_first: pairs in which only the first is 1.
        only_second: pairs in which only the second is 1.
        n: pairs in all.
        confidence: coverage of the interval, between 0 and 1.
    """
    if n < 1:
        return McNemar(0, 0, 0, None, None, None, None, None, "no pairs")
    from scipy import stats

    apart = only_first + only_second
    exact = float(stats.binomtest(only_first, apart, 0.5).pvalue) if apart else 1.0
    seen = float(stats.binom.pmf(only_first, apart, 0.5))
    # Where both sides are equal the two tails share the one count.
    mid = 1.0 - seen / 2 if only_first == only_second else exact - seen
    up, down = (only_first + 1) / (n + 2), (only_second + 1) / (n + 2)
    half = float(stats.norm.ppf(0.5 + confidence / 2))
    half *= ((up + down - (up - down) ** 2) / (n + 2)) ** 0.5
    return McNemar(
        n,
        only_first,
        only_second,
        (only_first - only_second) / n,
        max(-1.0, up - down - half),
        min(1.0, up - down + half),
        exact,
        mid if apart else 1.0,
        "" if apart else "no pair disagrees",
    )
