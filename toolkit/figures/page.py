"""A figure as a page: title, panels side by side, what has to be said in words below."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from toolkit.figures import bars, dots, grid, histogram, lines, radar, scatter
from toolkit.figures.base import (
    Bars,
    Dots,
    Figure,
    Grid,
    Histogram,
    Lines,
    Panel,
    Radar,
    Scatter,
)
from toolkit.figures.frame import HEAD, NOTE, no_data
from toolkit.figures.lettering import LACKING, lacking, line_height, wrap
from toolkit.figures.styles import PAPER
from toolkit.figures.words import all_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Page

__all__ = ["WIDTHS", "compose"]

WIDTHS: Final = {"page": 7.0, "column": 3.4}
"""Inches of a figure over a whole page and over one of two columns."""

_GAP: Final = 0.15

_Height = Callable[[Any, float], float]
_Paint = Callable[[Any, Any, float], list[str]]

_KINDS: Final[dict[type, tuple[_Height, _Paint]]] = {
    Bars: (bars.height, bars.paint),
    Dots: (dots.height, dots.paint),
    Grid: (grid.height, grid.paint),
    Histogram: (histogram.height, histogram.paint),
    Lines: (lines.height, lines.paint),
    Radar: (radar.height, radar.paint),
    Scatter: (scatter.height, scatter.paint),
}


def compose(figure: Figure) -> Page:
    """Return a figure laid out, ready to be drawn.

    Raises:
        ValueError: a series has not one value for each position, or a number of columns is
            below 1.
    """
    from matplotlib.figure import Figure as Page

    for panel in figure.panels:
        _check(panel)
    if figure.columns < 1:
        raise ValueError(f"a figure has one column or more, not {figure.columns}")
    inches = WIDTHS[figure.width]
    columns = min(figure.columns, max(1, len(figure.panels)))
    rows = max(1, math.ceil(len(figure.panels) / columns))
    wide = (inches - 0.1 - _GAP * (columns - 1)) / columns
    heights = [0.3] * rows
    for at, panel in enumerate(figure.panels):
        needed = _KINDS[type(panel)][0](panel, wide)
        heights[at // columns] = max(heights[at // columns], needed)
    head = wrap(figure.title, (inches - 0.2) / 1.12, HEAD) if figure.title.strip() else []
    page = Page(facecolor=PAPER, layout="constrained")
    page.get_layout_engine().set(w_pad=0.04, h_pad=0.05, wspace=0.02, hspace=0.02)  # type: ignore[union-attr,call-arg]
    spec = page.add_gridspec(rows, columns, height_ratios=heights)
    notes: list[str] = []
    for at, panel in enumerate(figure.panels):
        axes = page.add_subplot(spec[at // columns, at % columns])
        notes += [_of(panel, note) for note in _KINDS[type(panel)][1](axes, panel, wide)]
    if not figure.panels:
        axes = page.add_subplot(spec[0, 0])
        axes.set_axis_off()
        no_data(axes)
    if any(lacking(text) for text in all_words(figure)):
        notes.append(f"{LACKING}: letters that the font of this figure lacks; the table has them")
    foot = [line for note in notes for line in wrap(note, inches - 0.2, NOTE)]
    if head:
        page.suptitle("\n".join(head), x=0.01, ha="left", fontsize=HEAD, fontweight="bold")
    if foot:
        page.supxlabel("\n".join(foot), x=0.01, ha="left", fontsize=NOTE)
    above = line_height(HEAD, len(head)) + 0.1
    below = line_height(NOTE, len(foot)) + 0.05
    page.set_size_inches(inches, above + sum(heights) + 0.12 * rows + below)
    _lay_out(page)
    return page


def _lay_out(page: Page) -> None:
    """Place the panels once, for both files."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(page)
    engine = page.get_layout_engine()
    assert engine is not None
    engine.execute(page)
    page.set_layout_engine("none")


def _of(panel: Panel, note: str) -> str:
    return f"{panel.title}: {note}" if panel.title.strip() else note


def _check(panel: Panel) -> None:
    if isinstance(panel, Scatter):
        _same(len(panel.xs), len(panel.ys), "ys")
    elif isinstance(panel, Histogram):
        _same(max(len(panel.edges) - 1, 0), len(panel.counts), "counts")
    elif isinstance(panel, Grid):
        for part in (panel.values, panel.texts):
            _same(len(panel.rows), len(part), "rows")
            for row in part:
                _same(len(panel.columns), len(row), "columns")
    else:
        _check_series(panel)


def _check_series(panel: Bars | Dots | Lines | Radar) -> None:
    positions: tuple[Any, ...]
    if isinstance(panel, Lines):
        positions = panel.xs
    else:
        positions = panel.axes if isinstance(panel, Radar) else panel.labels
    for each in panel.series:
        _same(len(positions), len(each.values), f"values of '{each.name}'")
        for ends in (each.lows, each.highs):
            if ends:
                _same(len(positions), len(ends), f"ends of intervals of '{each.name}'")


def _same(expected: int, found: int, what: str) -> None:
    if expected != found:
        raise ValueError(f"{found} {what} where there are {expected} positions")
