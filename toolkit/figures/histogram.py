"""Counts between edges, with upright lines for median and mean."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from toolkit.figures.base import Histogram
from toolkit.figures.frame import (
    LABEL,
    TICK,
    axis_label,
    head,
    head_height,
    mark_entries,
    no_data,
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
_BODY: Final = 1.9


def height(panel: Histogram, inches: float) -> float:
    """Return how high a panel of some inches is."""
    room = inches - _SIDE
    below = line_height(TICK) + line_height(LABEL, axis_label(panel.x, room).count("\n") + 1) + 0.15
    return _BODY + below + head_height(panel.title, mark_entries(panel.marks), room)


def paint(axes: Axes, panel: Histogram, inches: float) -> list[str]:
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
    head(axes, panel.title, mark_entries(panel.marks), room)
    bins = [
        (low, high, count)
        for low, high, count in zip(panel.edges, panel.edges[1:], panel.counts, strict=False)
        if usable(low, panel.scale) and usable(high, panel.scale) and usable(count)
    ]
    edges = [end for low, high, _ in bins for end in (low, high)]
    marks = [mark for mark in panel.marks if usable(mark[0], panel.scale)]
    fit_axis(
        axes.xaxis, limits([*edges, *(value for value, _ in marks)], panel.scale, 0.02),
        panel.scale, max(3, int(room / 0.7)),
    )  # fmt: skip
    highest = max((count for _, _, count in bins), default=0.0)
    fit_axis(axes.yaxis, (0.0, highest * 1.06 or 1.0), "linear", 6)
    axes.set_xlabel(axis_label(panel.x, room), fontsize=LABEL)
    axes.set_ylabel(axis_label(panel.y, _BODY), fontsize=LABEL)
    axes.bar(
        [low for low, _, _ in bins], [count for _, _, count in bins],
        [high - low for low, high, _ in bins], align="edge", color=style(5).colour,
        edgecolor="#222222", linewidth=0.4,
    )  # fmt: skip
    if not any(count for _, _, count in bins):
        no_data(axes)
    upright_lines(axes, [mark if mark in marks else (math.nan, mark[1]) for mark in panel.marks])
    lost = len(panel.counts) - len(bins)
    return [f"{lost} of {len(panel.counts)} bars have no place on the axis"] if lost else []
