"""Series over numbers, with bands for intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from toolkit.figures.base import Lines, Series
from toolkit.figures.frame import (
    LABEL,
    TICK,
    Entry,
    axis_label,
    head,
    head_height,
    mark_entries,
    no_data,
    series_entries,
    tidy,
    upright_lines,
)
from toolkit.figures.lettering import line_height
from toolkit.figures.scales import fit_axis, limits, usable
from toolkit.figures.styles import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["height", "paint"]

_SIDE: Final = 0.6
_BODY: Final = 2.0


def height(panel: Lines, inches: float) -> float:
    """Return how high a panel of some inches is."""
    room = inches - _SIDE
    below = line_height(TICK) + line_height(LABEL, axis_label(panel.x, room).count("\n") + 1) + 0.15
    return _BODY + below + head_height(panel.title, _entries(panel), room)


def _entries(panel: Lines) -> list[Entry]:
    handles = [_handle(place) for place in range(len(panel.series))]
    return [*series_entries(panel.series, handles), *mark_entries(panel.marks)]


def _handle(place: int) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], **_look(place))


def _look(place: int) -> dict[str, Any]:
    look = style(place)
    return {
        "color": look.colour,
        "linestyle": look.line,
        "linewidth": 1.3,
        "marker": look.marker,
        "markersize": 3.5,
        "markerfacecolor": look.colour if look.filled else "white",
    }


def paint(axes: Axes, panel: Lines, inches: float) -> list[str]:
    """Draw a panel.

    Args:
        axes: empty axes.
        panel: what is drawn.
        inches: width of the panel with its numbers.

    Returns:
        What the figure has to say of it in words.
    """
    room = inches - _SIDE
    tidy(axes)
    head(axes, panel.title, _entries(panel), room)
    marks = [value for value, _ in panel.marks if usable(value, panel.x_scale)]
    fit_axis(
        axes.xaxis, limits([*panel.xs, *marks], panel.x_scale, 0.03), panel.x_scale,
        max(3, int(room / 0.7)),
    )  # fmt: skip
    values = [v for s in panel.series for part in (s.values, s.lows, s.highs) for v in part]
    fit_axis(axes.yaxis, limits(values), "linear", 6)
    axes.set_xlabel(axis_label(panel.x, room), fontsize=LABEL)
    axes.set_ylabel(axis_label(panel.y, _BODY), fontsize=LABEL)
    xs = [x if usable(x, panel.x_scale) else math.nan for x in panel.xs]
    for place, each in enumerate(panel.series):
        _one(axes, each, place, xs)
    if not any(usable(value) for each in panel.series for value in each.values):
        no_data(axes)
    shown = [mark if mark[0] in marks else (math.nan, mark[1]) for mark in panel.marks]
    upright_lines(axes, shown)
    lost = sum(1 for x in xs if math.isnan(x))
    return [f"{lost} of {len(xs)} positions have no place on the axis"] if lost else []


def _one(axes: Axes, each: Series, place: int, xs: list[float]) -> None:
    axes.plot(xs, _gapped(each.values), zorder=3, **_look(place))
    if each.lows and each.highs:
        axes.fill_between(
            xs, _gapped(each.lows), _gapped(each.highs), color=style(place).colour, alpha=0.15,
            linewidth=0, zorder=1,
        )  # fmt: skip
        for ends in (each.lows, each.highs):
            axes.plot(xs, _gapped(ends), color=style(place).colour, linewidth=0.5,
                      linestyle=style(place).line, zorder=2)  # fmt: skip


def _gapped(values: tuple[float | None, ...]) -> list[float]:
    return [math.nan if v is None or not usable(v) else v for v in values]
