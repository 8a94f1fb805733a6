"""How far more than two raters agree, all together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolkit.analyses.base import AnalysisColumn
from toolkit.analyses.coefficients import alpha_interval, alpha_unit_columns
from toolkit.statistics.resampling import item_sums, resampled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["TOGETHER", "TOGETHER_NOTE", "alpha_row", "alpha_together"]

TOGETHER: Final = tuple(
    AnalysisColumn(*column)
    for column in (
        ("among", "string", "among", 0),
        ("score", "string", "score", 0),
        ("n_raters", "int64", "raters", 0),
        ("n", "int64", "answers with two ratings or more", 0),
        ("n_ratings", "int64", "their ratings", 0),
        ("n_missing", "int64", "ratings missing", 0),
        ("alpha", "double", "Krippendorff's alpha", 3),
        ("alpha_low", "double", "low end of the 95 % interval", 3),
        ("alpha_high", "double", "high end of the 95 % interval", 3),
        ("reason", "string", "what to know of it", 0),
    )
)
"""The columns that :func:`alpha_together` fills, and the two that say among whom."""

TOGETHER_NOTE: Final = (
    "alpha is Krippendorff's for interval data over all ratings; an answer with one rating has "
    "nothing to agree with and is left out, one with gaps counts by the ratings it has."
)


def alpha_together(
    units: NDArray[np.int64],
    items: NDArray[np.int64],
    values: NDArray[np.float64],
    rng: np.random.Generator,
    resamples: int,
) -> dict[str, Any]:
    """Return alpha of any number of raters with its interval.

    Args:
        units: (n,) the answer that each rating is about.
        items: (n,) the item of that answer, which is what is resampled.
        values: (n,) the ratings.
        rng: source of the resamples.
        resamples: how many; 0 for none.
    """
    import numpy as np

    found, columns = alpha_unit_columns(units, values)
    row: dict[str, Any] = {"n": len(found)}
    if len(found) == 0:
        return row | {"n_ratings": 0, "reason": "no answer has two ratings"}
    row["n_ratings"] = int(columns[:, 3].sum())
    ordered, first = np.unique(units, return_index=True)
    sums = item_sums(items[first][np.searchsorted(ordered, found)], columns)
    return row | alpha_row(sums, rng, resamples)


def alpha_row(
    sums: NDArray[np.float64], rng: np.random.Generator, resamples: int
) -> dict[str, Any]:
    """Return alpha, its interval and its reason, of (g, 4) sums by item."""
    import numpy as np

    value = float(alpha_interval(sums.sum(axis=0, keepdims=True))[0])
    if not np.isfinite(value):
        return {"reason": "no variation: it has no value"}
    spread = resampled(sums, alpha_interval, rng, resamples=resamples)
    if spread.flat:
        return {"alpha": value, "reason": "no interval: all resamples give the same value"}
    return {
        "alpha": value,
        "alpha_low": spread.low,
        "alpha_high": spread.high,
        "reason": spread.reason,
    }
