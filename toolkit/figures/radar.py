"""Series on axes that leave one centre."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final

from toolkit.figures.base import Radar, Series
from toolkit.figures.frame import (
    LABEL,
    TICK,
    Entry,
    head,
    head_height,
    no_data,
    series_entries,
)
from toolkit.figures.lettering import drawable, width, wrapped
from toolkit.figures.scales import usable
from toolkit.figures.styles import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["height", "paint"]

_RINGS: Final = (0.25, 0.5, 0.75, 1.0)
_BESIDE: Final = 0.14
"""Inches between the circle and the edge of the panel that names do not take."""
_NAMES: Final = 0.3
"""Inches for names above and below the circle."""
_LARGEST: Final = 1.7
_MIDDLE: Final = 0.08
"""Axes that point this little to a side have their names above or below."""


def height(panel: Radar, inches: float) -> float:
    """Return how high a panel of some inches is."""
    return (
        2 * (_radius(panel, inches) + _NAMES)
        + 0.1
        + head_height(panel.title, _entries(panel), inches)
    )


def _entries(panel: Radar) -> list[Entry]:
    return series_entries(panel.series, [_handle(place) for place in range(len(panel.series))])


def _handle(place: int) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], **_look(place))


def _look(place: int) -> dict[str, Any]:
    look = style(place)
    return {
        "color": look.colour,
        "linestyle": look.line,
        "linewidth": 1.2,
        "marker": look.marker,
        "markersize": 3.8,
        "markerfacecolor": look.colour if look.filled else "white",
        "markeredgewidth": 0.8,
    }


def paint(axes: Axes, panel: Radar, inches: float) -> list[str]:
    """Draw a panel.

    Args:
        axes: empty axes.
        panel: what is drawn.
        inches: width of the panel with the names of its axes.

    Returns:
        What the figure has to say of it in words.

    Raises:
        ValueError: there are fewer than three axes.
    """
    count = len(panel.axes)
    if count < 3:
        raise ValueError(f"a radar has three axes or more, not {count}")
    axes.set_axis_off()
    axes.set_aspect("equal", adjustable="box", anchor="NW")
    radius = _radius(panel, inches)
    # The unit circle, and as much beside it as the names of the axes take.
    across, up = (inches / 2) / radius, (radius + _NAMES) / radius
    head(axes, panel.title, _entries(panel), inches)
    spokes = [_place(at, count, 1.0) for at in range(count)]
    for ring in _RINGS:
        round_ = [_place(at % count, count, ring) for at in range(count + 1)]
        axes.plot(*zip(*round_, strict=True), color="#cccccc", linewidth=0.5, zorder=0)
    for x, y in spokes:
        axes.plot([0, x], [0, y], color="#cccccc", linewidth=0.5, zorder=0)
    _name(axes, panel, inches, radius)
    for place, each in enumerate(panel.series):
        _one(axes, each, place, count)
    for ring in (0.5, 1.0):
        x, y = _place(0, count, ring)
        axes.text(x + 0.02, y, f"{ring:g}", fontsize=TICK - 1, color="#666666", zorder=4,
                  va="center" if ring < 1 else "top")  # fmt: skip
    if not any(usable(value) for each in panel.series for value in each.values):
        no_data(axes)
    axes.set(xlim=(-across, across), ylim=(-up, up))
    beyond = sum(
        1 for each in panel.series for v in each.values if v is not None and not 0 <= v <= 1
    )
    return [f"{beyond} values beyond an axis are drawn at its end"] if beyond else []


def _place(at: int, count: int, length: float) -> tuple[float, float]:
    angle = math.pi / 2 - 2 * math.pi * at / count
    return length * math.cos(angle), length * math.sin(angle)


def _radius(panel: Radar, inches: float) -> float:
    """Return the inches of the circle that leave room for the longest words beside it."""
    radius = _LARGEST
    for at, name in enumerate(panel.axes):
        x, _ = _place(at, len(panel.axes), 1.0)
        word = max(width(part, LABEL) for part in re.split(r"(?<=-)| ", drawable(name)))
        if abs(x) >= _MIDDLE:
            radius = min(radius, (inches / 2 - min(word, inches / 4) - _BESIDE) / abs(x))
    return max(radius, 0.4)


def _name(axes: Axes, panel: Radar, inches: float, radius: float) -> None:
    for at, name in enumerate(panel.axes):
        x, y = _place(at, len(panel.axes), 1.0 + 0.08 / radius)
        side = "center" if abs(x) < _MIDDLE else "left" if x > 0 else "right"
        room = inches / 2 - abs(x) * radius - 0.02 if side != "center" else inches / 2
        axes.text(
            x, y, wrapped(name, room, LABEL, 3), fontsize=LABEL, ha=side,
            va="bottom" if y > 0.95 else "top" if y < -0.95 else "center",
            # The panel has room for them: no margin is to be found for them again.
            in_layout=False,
        )  # fmt: skip


def _one(axes: Axes, each: Series, place: int, count: int) -> None:
    points = [
        _place(at, count, min(1.0, max(0.0, value)))
        if value is not None and usable(value)
        else (math.nan, math.nan)
        for at, value in enumerate(each.values)
    ]
    closed = [*points, points[0]]
    axes.plot([x for x, _ in closed], [y for _, y in closed], zorder=2, **_look(place))
