"""Dots with intervals, a row for each label."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolkit.figures.base import Dots, Series
from toolkit.figures.frame import (
    LABEL,
    TICK,
    Entry,
    Gutter,
    axis_label,
    gutter,
    head,
    head_height,
    no_data,
    series_entries,
    tidy,
    unplaced,
)
from toolkit.figures.lettering import line_height
from toolkit.figures.scales import fit_axis, limits, usable
from toolkit.figures.styles import GUIDE, MUTED, Style, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["height", "paint"]

_STEP = 0.11
"""Inches between the dots of one label."""


def height(panel: Dots, inches: float) -> float:
    """Return how high a panel of some inches is."""
    labels = _gutter(panel, inches)
    room = inches - labels.width
    lines = axis_label(panel.x, room).count("\n") + 1
    below = line_height(TICK) + line_height(LABEL, lines) + 0.15
    return max(sum(labels.bands), 0.5) + below + head_height(panel.title, _entries(panel), room)


def _gutter(panel: Dots, inches: float) -> Gutter:
    return gutter(panel.labels, inches, max(_STEP * len(panel.series) + 0.07, 0.19))


def _entries(panel: Dots) -> list[Entry]:
    looks = [_look(each, place) for place, each in enumerate(panel.series)]
    return series_entries(panel.series, [_handle(look) for look in looks])


def _look(each: Series, place: int) -> Style:
    return MUTED if each.muted else style(place)


def _handle(look: Style) -> Any:
    from matplotlib.lines import Line2D

    return Line2D(
        [], [], color=look.colour, linewidth=1.0, marker=look.marker, markersize=4.5,
        markerfacecolor=look.colour if look.filled else "white",
    )  # fmt: skip


def paint(axes: Axes, panel: Dots, inches: float) -> list[str]:
    """Draw a panel.

    Args:
        axes: empty axes.
        panel: what is drawn.
        inches: width of the panel with its labels.

    Returns:
        What the figure has to say of it in words.
    """
    labels = _gutter(panel, inches)
    room = inches - labels.width
    tidy(axes)
    head(axes, panel.title, _entries(panel), room)
    axes.set_xlabel(axis_label(panel.x, room), fontsize=LABEL)
    ends = [v for s in panel.series for part in (s.values, s.lows, s.highs) for v in part]
    if panel.line is not None:
        ends.append(panel.line)
    reach = limits(ends, panel.scale)
    whole = all(end is None or float(end).is_integer() for end in ends)
    fit_axis(axes.xaxis, reach, panel.scale, max(3, int(room / 0.75)), whole=whole)
    centres = labels.centres()
    axes.set_ylim(sum(labels.bands) or 1.0, 0.0)
    axes.set_yticks(centres, labels.texts)
    axes.tick_params(axis="y", length=0)
    axes.hlines(centres, *reach, color="#e3e3e3", linewidth=0.5, zorder=0)
    if panel.line is not None and usable(panel.line, panel.scale):
        axes.axvline(panel.line, color=GUIDE, linewidth=0.8, linestyle=(0, (4, 2)), zorder=1)
    for place, each in enumerate(panel.series):
        offset = (place - (len(panel.series) - 1) / 2) * _STEP
        _one(axes, each, place, [y + offset for y in centres], panel)
    for row, y in enumerate(centres):
        if all(each.values[row] is None for each in panel.series):
            axes.text(
                0.01, y, "none", transform=axes.get_yaxis_transform(), va="center",
                fontsize=TICK, color=GUIDE, style="italic",
            )  # fmt: skip
    if not centres:
        no_data(axes)
    return unplaced(panel.series, panel.scale)


def _one(axes: Axes, each: Series, place: int, ys: list[float], panel: Dots) -> None:
    look = _look(each, place)
    found = [
        (row, value, y)
        for row, (value, y) in enumerate(zip(each.values, ys, strict=True))
        if value is not None and usable(value, panel.scale)
    ]
    lines = [
        (left, right, y)
        for row, value, y in found
        for left, right in [_ends(each, row, value, panel)]
        if left < right
    ]
    lefts, rights = [left for left, _, _ in lines], [right for _, right, _ in lines]
    levels = [y for _, _, y in lines]
    axes.hlines(levels, lefts, rights, color=look.colour, linewidth=1.1, zorder=2)
    axes.plot(
        [*lefts, *rights], [*levels, *levels], linestyle="", marker="|", markersize=3.5,
        color=look.colour, zorder=2,
    )  # fmt: skip
    axes.plot(
        [value for _, value, _ in found], [y for _, _, y in found], linestyle="",
        marker=look.marker, markersize=4.2, color=look.colour,
        markerfacecolor=look.colour if look.filled else "white",
        markeredgecolor=look.colour, markeredgewidth=0.8, zorder=3,
    )  # fmt: skip


def _ends(each: Series, row: int, value: float, panel: Dots) -> tuple[float, float]:
    low = each.lows[row] if each.lows else None
    high = each.highs[row] if each.highs else None
    return (
        low if low is not None and usable(low, panel.scale) else value,
        high if high is not None and usable(high, panel.scale) else value,
    )
