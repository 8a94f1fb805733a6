"""Axes of numbers: limits that hold everything, ticks written as plain numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from matplotlib.axis import Axis

    from toolkit.figures.base import Scale

__all__ = ["fit_axis", "limits", "number_text", "usable"]

_RAISED: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_LARGEST: Final = 1e280
"""Beyond it the sums of drawing overflow."""


def usable(value: float | None, scale: Scale = "linear") -> bool:
    """Return whether a number has a place on an axis: finite, and above 0 on a log axis."""
    if value is None or not math.isfinite(value) or abs(value) > _LARGEST:
        return False
    return scale == "linear" or value > 1 / _LARGEST


def limits(
    values: Iterable[float | None], scale: Scale = "linear", margin: float = 0.05
) -> tuple[float, float]:
    """Return the ends of an axis that holds the usable ones of some values, with a margin.

    Returns:
        Two different numbers; (0, 1), on a log axis (1, 10), where there is no value.
    """
    found = [float(value) for value in values if value is not None and usable(value, scale)]
    if not found:
        return (0.0, 1.0) if scale == "linear" else (1.0, 10.0)
    low, high = min(found), max(found)
    if scale == "log":
        reach = max(math.log10(high / low) if high / low < math.inf else 560.0, 0.3)
        return low / 10 ** (margin * reach), high * 10 ** (margin * reach)
    # Numbers that agree in all digits a float holds still need an axis.
    reach = max(high - low, max(abs(low), abs(high)) * 1e-9, 1e-280)
    if low == high:
        reach = abs(low) or 1.0
    return low - margin * reach, high + margin * reach


def fit_axis(
    axis: Axis,
    ends: tuple[float, float],
    scale: Scale,
    ticks: int = 6,
    *,
    whole: bool = False,
) -> None:
    """Set limits, scale and ticks of an axis.

    Args:
        axis: an x or y axis.
        ends: its limits.
        scale: linear or log.
        ticks: about how many numbers there is room for.
        whole: whether only whole numbers make sense, such as ranks.
    """
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    if scale == "log":
        getattr(axis.axes, f"set_{_name(axis)}scale")("log")
    places = _log_ticks(*ends, ticks) if scale == "log" else _ticks(*ends, ticks, whole)
    texts = dict(zip(places, _texts(places), strict=True))
    axis.set_major_locator(FixedLocator(places))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: texts.get(value, "")))
    getattr(axis.axes, f"set_{_name(axis)}lim")(*ends)


def _name(axis: Axis) -> str:
    name: str = axis.axis_name  # type: ignore[attr-defined]
    return name


def _ticks(low: float, high: float, ticks: int, whole: bool = False) -> list[float]:
    from matplotlib.ticker import MaxNLocator

    places = MaxNLocator(ticks, steps=[1, 2, 5, 10], integer=whole).tick_values(low, high)
    return [float(place) for place in places if low <= place <= high]


def _log_ticks(low: float, high: float, ticks: int) -> list[float]:
    first, last = math.ceil(math.log10(low)), math.floor(math.log10(high))
    step = max(1, math.ceil((last - first + 1) / ticks))
    places = [10.0**power for power in range(first, last + 1, step)]
    # Less than two decades: some of the numbers between help.
    for digits in ((1, 3), (1, 2, 5)):
        if len(places) >= 2:
            break
        places = [
            digit * 10.0**power
            for power in range(first - 1, last + 1)
            for digit in digits
            if low <= digit * 10.0**power <= high
        ]
    return places if len(places) >= 2 else _ticks(low, high, ticks)


def _texts(places: Sequence[float]) -> list[str]:
    """Return ticks with as many digits as tell them apart."""
    gaps = [b - a for a, b in pairwise(places)]
    even = bool(gaps) and max(gaps) < 1.5 * min(gaps)
    if not even:
        # Ticks of a log axis keep their own digits: 0.01, 1, 100.
        return [number_text(place) for place in places]
    largest = max(abs(place) for place in places)
    power = 0 if largest < 1e6 and gaps[0] >= 1e-4 else math.floor(math.log10(largest))
    digits = 0
    while digits < 16 and any(
        abs(round(place / 10.0**power, digits) - place / 10.0**power) > gaps[0] / 10.0**power * 1e-6
        for place in places
    ):
        digits += 1
    if power == 0:
        return [_plain(place, digits) for place in places]
    return [_scientific(place, power, digits) for place in places]


def _plain(value: float, digits: int) -> str:
    # A comma helps in 12,000; in 2024, which may be a year, it does not.
    comma = "," if abs(value) >= 10_000 else ""
    text = f"{value:{comma}.{digits}f}"
    return text.replace("-", "−") if float(text.replace(",", "")) else text.lstrip("-")


def _scientific(value: float, power: int, digits: int) -> str:
    if value == 0:
        return "0"
    mantissa = _plain(value / 10.0**power, digits)
    return f"{mantissa}×10{str(power).translate(_RAISED)}"


def number_text(value: float, digits: int = 3) -> str:
    """Return a number for people: ``12,345``, ``0.05``, ``1.2×10⁹``."""
    if value == 0:
        return "0"
    if not math.isfinite(value):
        return str(value)
    size = abs(value)
    if 1e-3 <= size < 1e6:
        places = max(0, digits - 1 - math.floor(math.log10(size)))
        text = _plain(value, places)
        return text.rstrip("0").rstrip(".") if "." in text else text
    power = math.floor(math.log10(size))
    mantissa = f"{value / 10.0**power:.{digits - 1}f}".rstrip("0").rstrip(".")
    raised = f"10{str(power).translate(_RAISED)}"
    if mantissa in ("1", "-1"):
        return raised if mantissa == "1" else f"−{raised}"
    return f"{mantissa}×{raised}".replace("-", "−")
