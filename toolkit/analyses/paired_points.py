"""Pairs of numbers to be correlated: of items, or of the means of groups of items."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from toolkit.analyses.item_columns import Group
from toolkit.errors import UserError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Points", "per_day", "points"]

Outliers = Literal["iqr", "keep"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Points:
    """What is correlated, and what was left out.

    Attributes:
        x: (n,) the column: of items, or means of groups.
        y: (n,) the scores of the same.
        clusters: (n,) of items that depend on each other; None where each row stands alone.
        n_items: items with both numbers.
        without_x: scored items without a number in the column.
        without_group: items with both numbers that belong to no group.
        small: groups with too few items; 0 for items alone.
        in_small: groups' memberships that went with them.
        shared: items that belong to more than one group.
        outliers: rows taken out as outliers.
        undated: items without a date before the day of the counts.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    clusters: NDArray[np.int64] | None = None
    n_items: int
    without_x: int
    without_group: int = 0
    small: int = 0
    in_small: int = 0
    shared: int = 0
    outliers: int = 0
    undated: int = 0

    def with_undated(self, undated: int) -> Points:
        """Return the same with a count of items without a date."""
        return replace(self, undated=undated)


def points(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    *,
    groups: Mapping[str, Group] | None,
    clusters: NDArray[np.int64] | None,
    minimum: int,
    outliers: Outliers,
) -> Points:
    """Return the rows that are correlated.

    Both means of a group are over the same items: those with both numbers.

    Args:
        x: (items,) a column; NaN where there is none.
        y: (items,) a score; NaN where there is none.
        groups: items of each group; None for the items themselves.
        clusters: (items,) for items alone.
        minimum: fewest items in a group.
        outliers: ``iqr`` takes out rows of which one number lies more than 1.5 interquartile
            ranges outside the quartiles of all rows (Tukey 1977).
    """
    import numpy as np

    both = np.isfinite(x) & np.isfinite(y)
    found = Points(
        x=x[both],
        y=y[both],
        clusters=clusters[both] if clusters is not None else None,
        n_items=int(both.sum()),
        without_x=int((np.isfinite(y) & ~np.isfinite(x)).sum()),
    )
    if groups is not None:
        found = _grouped(x, y, both, groups, minimum, found)
    if outliers == "keep" or len(found.x) == 0:
        return found
    kept = _inside(found.x) & _inside(found.y)
    return replace(
        found,
        x=found.x[kept],
        y=found.y[kept],
        clusters=found.clusters[kept] if found.clusters is not None else None,
        outliers=int((~kept).sum()),
    )


def _grouped(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    both: NDArray[np.bool_],
    groups: Mapping[str, Group],
    minimum: int,
    found: Points,
) -> Points:
    import numpy as np

    xs, ys, small, lost = [], [], 0, 0
    times = np.zeros(len(x), np.int64)
    for rows, _ in groups.values():
        held = rows[both[rows]]
        times[held] += 1
        if not len(held):
            continue
        if len(held) < minimum:
            small, lost = small + 1, lost + len(held)
            continue
        xs.append(float(x[held].mean()))
        ys.append(float(y[held].mean()))
    return replace(
        found,
        x=np.array(xs),
        y=np.array(ys),
        clusters=None,
        without_group=int((both & (times == 0)).sum()),
        small=small,
        in_small=lost,
        shared=int((times > 1).sum()),
    )


def _inside(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    import numpy as np

    low, high = np.quantile(values, [0.25, 0.75])
    reach = 1.5 * (high - low)
    inside: NDArray[np.bool_] = (values >= low - reach) & (values <= high + reach)
    return inside


def per_day(
    counts: NDArray[np.float64], dates: Sequence[Any], as_of: str, column: str
) -> tuple[NDArray[np.float64], int]:
    """Return counts divided by the days from each item's date to the day they were taken.

    Args:
        counts: (items,) NaN where there is none.
        dates: of the items: dates, or texts that begin ``YYYY-MM-DD``; None where unknown.
        as_of: the day of the counts, ``YYYY-MM-DD``.
        column: name of the dates, for the message.

    Returns:
        The rates, NaN where the date is unknown or not before that day; how many items with a
        count that concerns.

    Raises:
        UserError: a date is none, or ``as_of`` is no day of the calendar.
    """
    import numpy as np

    end = _day(as_of, "as_of")
    days = np.array(
        [np.nan if not value else float((end - _day(value, column)).days) for value in dates]
    ).reshape(len(counts))
    days[~(days > 0)] = np.nan
    with np.errstate(invalid="ignore"):
        rates: NDArray[np.float64] = counts / days
    return rates, int((np.isfinite(counts) & ~np.isfinite(days)).sum())


def _day(value: Any, column: str) -> datetime.date:
    if isinstance(value, datetime.datetime):
        return value.date()
    if isinstance(value, datetime.date):
        return value
    try:
        return datetime.date.fromisoformat(str(value)[:10])
    except ValueError:
        raise UserError(
            f"correlation: '{str(value)[:40]}' in '{column}' is no date",
            hint="dates are written YYYY-MM-DD",
        ) from None
