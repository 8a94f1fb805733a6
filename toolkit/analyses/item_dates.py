"""When items were published, against a month: before, after, or not known well enough."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from toolkit.analyses.item_columns import ItemColumns
from toolkit.errors import UserError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["month_number", "month_ranges", "sides"]

_DATE: Final = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?(?:[T ].*)?)?")


def month_number(text: str) -> int:
    """Return the number of a month written YYYY-MM, counted from year 0."""
    year, month = text.split("-")
    return 12 * int(year) + int(month) - 1


def month_ranges(
    items: ItemColumns, date: str, month: str | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first and the last month in which each item may have been published.

    A year alone leaves twelve months open. Items without a date have first 1 and last 0.

    Args:
        items: the columns.
        date: a column of years, or of dates YYYY-MM-DD, YYYY-MM or YYYY.
        month: a column of months, 1 to 12, beside a column of years.

    Raises:
        UserError: a value is no date, or no month.
    """
    import numpy as np

    dates = items.values(date)
    months = items.values(month) if month else [None] * len(dates)
    first, last = np.ones(len(dates), np.int64), np.zeros(len(dates), np.int64)
    for row, (value, number) in enumerate(zip(dates, months, strict=True)):
        if value is None or value == "":
            continue
        year, known = _parsed(date, value)
        known = known or _month(month or "", number)
        first[row] = 12 * year + (known or 1) - 1
        last[row] = 12 * year + (known or 12) - 1
    return first, last


def sides(
    ranges: tuple[NDArray[np.int64], NDArray[np.int64]], cutoff: str, margin: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which items were published before a cutoff, after it, and of which that is unclear.

    The month of the cutoff itself is before: what a model knows reaches to its end. Items
    without a date are on neither side, and not unclear.

    Args:
        ranges: first and last possible months.
        cutoff: YYYY-MM.
        margin: months on both sides of the cutoff that are unclear as well.
    """
    first, last = ranges
    limit = month_number(cutoff)
    dated = first <= last
    before = dated & (last <= limit - margin)
    after = dated & (first > limit + margin)
    return before, after, dated & ~before & ~after


def _parsed(column: str, value: Any) -> tuple[int, int | None]:
    text = value.isoformat() if hasattr(value, "isoformat") else str(value).strip()
    if isinstance(value, float) and value.is_integer():
        text = str(int(value))
    found = _DATE.fullmatch(text)
    if found is None or not 1 <= int(found[2] or 1) <= 12:
        raise UserError(
            f"the column '{column}' holds '{text[:80]}', which is no date",
            hint="name a column of years, or of dates written YYYY-MM-DD",
        )
    return int(found[1]), int(found[2]) if found[2] else None


def _month(column: str, value: Any) -> int | None:
    if value is None or value == "":
        return None
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = 0
    if not 1 <= number <= 12:
        raise UserError(
            f"the column '{column}' holds '{str(value)[:80]}', which is no month",
            hint="name a column of months, 1 to 12",
        )
    return number
