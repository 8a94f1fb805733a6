"""Points for pairs of numbers, with a fitted line and coefficients in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from toolkit.figures.base import Scatter
from toolkit.figures.frame import LABEL, NOTE, TICK, axis_label, head, head_height, no_data, tidy
from toolkit.figures.lettering import drawable, line_height
from toolkit.figures.scales import fit_axis, limits, usable
from toolkit.figures.styles import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from toolkit.figures.base import Scale

__all__ = ["height", "paint"]

_SIDE: Final = 0.55
_AS_PIXELS: Final = 800
"""More points than this are one picture within the SVG, which stays small and quick."""


def height(panel: Scatter, inches: float) -> float:
    """Return how high a panel of some inches is."""
    room = inches - _SIDE
    below = line_height(TICK) + line_height(LABEL, axis_label(panel.x, room).count("\n") + 1) + 0.15
    return min(room * 0.75, 2.6) + below + head_height(panel.title, [], room)


def paint(axes: Axes, panel: Scatter, inches: float) -> list[str]:
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
    head(axes, panel.title, [], room)
    pairs = [
        (x, y)
        for x, y in zip(panel.xs, panel.ys, strict=True)
        if usable(x, panel.x_scale) and usable(y, panel.y_scale)
    ]
    ends = limits([x for x, _ in pairs], panel.x_scale)
    reach = limits([y for _, y in pairs], panel.y_scale)
    fit_axis(axes.xaxis, ends, panel.x_scale, max(3, int(room / 0.55)))
    fit_axis(axes.yaxis, reach, panel.y_scale, 5)
    axes.set_xlabel(axis_label(panel.x, room), fontsize=LABEL)
    axes.set_ylabel(axis_label(panel.y, min(room * 0.75, 2.6)), fontsize=LABEL)
    if not pairs:
        no_data(axes)
    else:
        look, count = style(0), len(pairs)
        axes.plot(
            [x for x, _ in pairs], [y for _, y in pairs], linestyle="", marker="o",
            markersize=max(1.2, 4 - math.log10(count)), color=look.colour,
            alpha=max(0.25, min(0.9, 3 / math.sqrt(count))), markeredgewidth=0,
            rasterized=count > _AS_PIXELS, zorder=2,
        )  # fmt: skip
        if panel.line is not None:
            _line(axes, panel, ends, reach)
    if panel.note.strip():
        _note(axes, panel, _corner(pairs, panel, ends, reach))
    lost = len(panel.xs) - len(pairs)
    return [f"{lost} of {len(panel.xs)} points not shown: no place on the axes"] if lost else []


def _line(
    axes: Axes, panel: Scatter, ends: tuple[float, float], reach: tuple[float, float]
) -> None:
    assert panel.line is not None
    first, slope = panel.line
    steps = [number / 100 for number in range(101)]
    low, high = _along(ends[0], panel.x_scale), _along(ends[1], panel.x_scale)
    xs = [low + (high - low) * step for step in steps]
    bottom, top = _along(reach[0], panel.y_scale), _along(reach[1], panel.y_scale)
    points = [(x, first + slope * x) for x in xs]
    points = [(x, y) for x, y in points if bottom <= y <= top]
    axes.plot(
        [_back(x, panel.x_scale) for x, _ in points], [_back(y, panel.y_scale) for _, y in points],
        color="black", linewidth=1.3, zorder=3,
    )  # fmt: skip


def _along(value: float, scale: Scale) -> float:
    return math.log10(value) if scale == "log" else value


def _back(value: float, scale: Scale) -> float:
    return 10.0**value if scale == "log" else value


def _corner(
    pairs: list[tuple[float, float]],
    panel: Scatter,
    ends: tuple[float, float],
    reach: tuple[float, float],
) -> tuple[bool, bool]:
    """Return (right, top) of the corner with the fewest points."""
    counts = dict.fromkeys([(False, True), (True, True), (True, False), (False, False)], 0)
    for x, y in pairs:
        across = _share(x, ends, panel.x_scale)
        up = _share(y, reach, panel.y_scale)
        # Three lines of words take about a third of the height and half of the width.
        if not 0.35 < up < 0.65:
            counts[across > 0.5, up > 0.5] += 1
    return min(counts, key=lambda corner: counts[corner])


def _share(value: float, ends: tuple[float, float], scale: Scale) -> float:
    low, high = _along(ends[0], scale), _along(ends[1], scale)
    return (_along(value, scale) - low) / (high - low)


def _note(axes: Axes, panel: Scatter, corner: tuple[bool, bool]) -> None:
    right, top = corner
    text = "\n".join(drawable(line) for line in panel.note.splitlines())
    axes.text(
        0.97 if right else 0.03, 0.97 if top else 0.03, text, transform=axes.transAxes,
        ha="right" if right else "left", va="top" if top else "bottom", fontsize=NOTE,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.0}, zorder=5,
    )  # fmt: skip
