"""A table of numbers in shades."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolkit.figures.base import Grid
from toolkit.figures.frame import LABEL, NOTE, TICK, Gutter, gutter, head, head_height, no_data
from toolkit.figures.lettering import drawable, line_height, width, wrapped
from toolkit.figures.scales import number_text, usable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["height", "paint"]

_PALE: Final = (0.96, 0.97, 0.99)
_DEEP: Final = (0.03, 0.19, 0.42)
_BELOW: Final = (0.50, 0.23, 0.03)
_SMALLEST: Final = 4.0
"""Points below which a number in a cell is left out."""
_MARGIN: Final = 0.3
"""Inches that a legend stays narrower than the cells: they may be drawn narrower than planned."""


def _gutter(panel: Grid, inches: float) -> Gutter:
    return gutter(panel.rows, inches, 0.2)


def _columns(panel: Grid, room: float) -> tuple[list[str], bool, float]:
    """Return the columns' labels, whether they are turned, and the inches they take."""
    cell = room / max(1, len(panel.columns)) - 0.04
    words = [word for label in panel.columns for word in drawable(label).split(" ")]
    if all(width(word, TICK) <= cell for word in words):
        texts = [wrapped(label, cell, TICK) for label in panel.columns]
        lines = max((text.count("\n") + 1 for text in texts), default=1)
        return texts, False, line_height(TICK, lines) + 0.06
    lines = max(1, min(3, int(cell / line_height(TICK))))
    texts = [wrapped(label, 1.2, TICK, lines) for label in panel.columns]
    longest = max(width(line, TICK) for text in texts for line in text.split("\n"))
    return texts, True, longest + 0.1


def height(panel: Grid, inches: float) -> float:
    """Return how high a panel of some inches is."""
    labels = _gutter(panel, inches)
    room = inches - labels.width - 0.1
    above = _columns(panel, room)[2] + head_height(panel.title, [], room)
    legend = wrapped(_legend(panel), room - _MARGIN, NOTE).count("\n") + 1
    return max(sum(labels.bands), 0.4) + above + line_height(NOTE, legend) + 0.15


def _legend(panel: Grid) -> str:
    known = [value for row in panel.values for value in row if value is not None and usable(value)]
    if not known:
        return panel.legend
    if panel.middle is not None:
        middle = number_text(panel.middle)
        return f"{panel.legend} (▴ above {middle}, ▾ below; the further, the darker)"
    return f"{panel.legend} (pale: {number_text(min(known))}, dark: {number_text(max(known))})"


def paint(axes: Axes, panel: Grid, inches: float) -> list[str]:
    """Draw a panel.

    Args:
        axes: empty axes.
        panel: what is drawn.
        inches: width of the panel with its labels.

    Returns:
        What the figure has to say of it in words.
    """
    labels = _gutter(panel, inches)
    room = inches - labels.width - 0.1
    texts, turned, above = _columns(panel, room)
    head(axes, panel.title, [], room)
    if panel.title.strip():
        axes.set_title(
            axes.get_title(loc="left"),
            loc="left",
            fontsize=8,
            fontweight="bold",
            y=1.0,
            pad=above * 72 + 3,
        )
    centres, total = labels.centres(), sum(labels.bands) or 1.0
    axes.set(xlim=(0, max(1, len(panel.columns))), ylim=(total, 0))
    axes.xaxis.tick_top()
    axes.set_xticks([at + 0.5 for at in range(len(texts))], texts, rotation=90 if turned else 0)
    axes.set_yticks(centres, labels.texts)
    axes.tick_params(length=0, labelsize=TICK)
    axes.spines[:].set_visible(False)
    axes.set_xlabel(wrapped(_legend(panel), room - _MARGIN, NOTE), fontsize=NOTE)
    if not panel.rows or not panel.columns:
        no_data(axes)
        return []
    return _cells(axes, panel, labels, room / len(panel.columns))


def _cells(axes: Axes, panel: Grid, labels: Gutter, cell: float) -> list[str]:
    from matplotlib.patches import Rectangle

    size = _letters(panel, cell)
    for y, band, values, texts in zip(
        labels.centres(), labels.bands, panel.values, panel.texts, strict=True
    ):
        for at, (value, text) in enumerate(zip(values, texts, strict=True)):
            shade = _shade(panel, value)
            axes.add_patch(
                Rectangle((at, y - band / 2), 1, band, facecolor=shade, edgecolor="white")
            )
            ink = "white" if _light(shade) < 0.5 else "black"
            if size >= _SMALLEST and text.strip():
                axes.text(at + 0.5, y, drawable(text), fontsize=size, color=ink,
                          ha="center", va="center")  # fmt: skip
            if panel.middle is not None and value is not None and value != panel.middle:
                axes.text(at + 0.97, y - band / 2 + 0.01, "▴" if value > panel.middle else "▾",
                          fontsize=4.5, color=ink, ha="right", va="top")  # fmt: skip
    return [] if size >= _SMALLEST else ["the numbers of the cells are in the table"]


def _letters(panel: Grid, cell: float) -> float:
    widest = max((width(drawable(text), 1.0) for row in panel.texts for text in row), default=0.0)
    return min(LABEL, (cell - 0.08) / widest) if widest else LABEL


def _shade(panel: Grid, value: float | None) -> tuple[float, float, float]:
    if value is None or not usable(value):
        return (1.0, 1.0, 1.0)
    known = [each for row in panel.values for each in row if each is not None and usable(each)]
    if panel.middle is not None:
        reach = max(abs(each - panel.middle) for each in known)
        part = abs(value - panel.middle) / reach if reach else 0.0
        return _mix(_BELOW if value < panel.middle else _DEEP, part)
    low, high = min(known), max(known)
    return _mix(_DEEP, (value - low) / (high - low) if high > low else 0.0)


def _mix(deep: tuple[float, float, float], part: float) -> tuple[float, float, float]:
    red, green, blue = (pale + (dark - pale) * part for pale, dark in zip(_PALE, deep, strict=True))
    return red, green, blue


def _light(shade: tuple[float, float, float]) -> float:
    # Relative weights of Rec. 601 luma, near enough to choose between black and white ink.
    return 0.299 * shade[0] + 0.587 * shade[1] + 0.114 * shade[2]
