"""Axes of numbers: limits that hold everything, ticks written as plain numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from matplotlib.axis import Axis

    from toolkit.figures.base import Scale

__all__ = ["fit_axis", "limits", "number_text", "usable"]

_RAISED: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_LARGEST: Final = 1e290
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
        reach = max(math.log10(high / low) if high / low < math.inf else 580.0, 0.3)
        return low / 10 ** (margin * reach), high * 10 ** (margin * reach)
    # Numbers that agree in all digits a float holds still need an axis.
    reach = max(high - low, max(abs(low), abs(high)) * 1e-9, 1e-290)
    if low == high:
        reach = abs(low) or 1.0
    return low - margin * reach, high + margin * reach


def fit_axis(axis: Axis, ends: tuple[float, float], scale: Scale, ticks: int = 6) -> None:
    """Set limits, scale and ticks of an axis.

    Args:
        axis: an x or y axis.
        ends: its limits.
        scale: linear or log.
        ticks: about how many numbers there is room for.
    """
    from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

    if scale == "log":
        getattr(axis.axes, f"set_{axis.axis_name}scale")("log")
        places = _log_ticks(*ends, ticks)
    else:
        places = [float(tick) for tick in MaxNLocator(ticks).tick_values(*ends)]
        places = [tick for tick in places if ends[0] <= tick <= ends[1]]
    texts = dict(zip(places, _texts(places), strict=True))
    axis.set_major_locator(FixedLocator(places))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: texts.get(value, "")))
    getattr(axis.axes, f"set_{axis.axis_name}lim")(*ends)


def _log_ticks(low: float, high: float, ticks: int) -> list[float]:
    first, last = math.ceil(math.log10(low)), math.floor(math.log10(high))
    step = max(1, math.ceil((last - first + 1) / ticks))
    places = [10.0**power for power in range(first, last + 1, step)]
    if len(places) >= 3:
        return places
    # Less than three decades: 2 and 5 help, and where even they are too few all of 1 to 9.
    for digits in ((1, 2, 5), range(1, 10)):
        places = [
            digit * 10.0**power
            for power in range(first - 1, last + 1)
            for digit in digits
            if low <= digit * 10.0**power <= high
        ]
        if len(places) >= 2:
            break
    return places[:: math.ceil(len(places) / (ticks + 2)) or 1]


def _texts(places: Sequence[float]) -> list[str]:
    """Return ticks with as many digits as tell them apart."""
    gaps = [b - a for a, b in zip(places, places[1:], strict=False) if b > a]
    if not gaps:
        return [number_text(place) for place in places]
    largest, gap = max(abs(place) for place in places), min(gaps)
    if largest < 1e6 and gap >= 1e-4:
        # Ticks of a log axis keep their own digits: 0.01, 1, 100.
        if max(gaps) > 1.5 * gap:
            return [number_text(place) for place in places]
        digits = max(0, math.ceil(-math.log10(gap) - 1e-9))
        return [f"{place:,.{digits}f}".replace("-", "−") for place in places]
    if max(gaps) > 1.5 * gap:
        return [number_text(place) for place in places]
    power = math.floor(math.log10(largest))
    digits = max(0, math.ceil(power - math.log10(gap) - 1e-9))
    return [_scientific(place, power, digits) for place in places]


def _scientific(value: float, power: int, digits: int) -> str:
    if value == 0:
        return "0"
    # Dividing by a power below the smallest normal float would lose digits.
    mantissa = value / 10.0**power if power > -300 else value * 10.0**-power
    return f"{mantissa:.{digits}f}".replace("-", "−") + f"×10{str(power).translate(_RAISED)}"


def number_text(value: float, digits: int = 3) -> str:
    """Return a number for people: ``1,234``, ``0.05``, ``1.2×10⁹``."""
    if value == 0:
        return "0"
    if not math.isfinite(value):
        return str(value)
    size = abs(value)
    if 1e-3 <= size < 1e6:
        places = max(0, digits - 1 - math.floor(math.log10(size)))
        text = f"{value:,.{places}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return text.replace("-", "−")
    power = math.floor(math.log10(size))
    mantissa = f"{value / 10.0**power:.{digits - 1}f}".rstrip("0").rstrip(".")
    raised = f"10{str(power).translate(_RAISED)}"
    if mantissa in ("1", "-1"):
        return raised if mantissa == "1" else f"−{raised}"
    return f"{mantissa}×{raised}".replace("-", "−")
