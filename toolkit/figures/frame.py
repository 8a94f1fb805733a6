"""What all panels share: sizes of letters, title, legend, upright lines, words for no data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolkit.figures.base import Scale, Series
from toolkit.figures.lettering import line_height, width, wrap, wrapped
from toolkit.figures.scales import usable
from toolkit.figures.styles import AXIS, GUIDE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "HEAD",
    "LABEL",
    "NOTE",
    "TICK",
    "TITLE",
    "Entry",
    "Gutter",
    "axis_label",
    "gutter",
    "head",
    "head_height",
    "mark_entries",
    "no_data",
    "series_entries",
    "tidy",
    "unplaced",
    "upright_lines",
]

TICK: Final = 7.0
NOTE: Final = 6.5
LABEL: Final = 7.5
TITLE: Final = 8.0
HEAD: Final = 9.5

_BOLD: Final = 1.12
"""Bold letters are this much wider, at most."""
_HANDLE: Final = 0.5
"""Inches of a legend's line or patch and the blanks around it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a legend: what is drawn, and its words."""

    handle: Any
    words: str


@dataclass(frozen=True, slots=True)
class Gutter:
    """Labels on the left, broken into lines.

    Attributes:
        texts: the labels, lines joined by line feeds.
        width: inches they take.
        bands: inches that each label's row takes.
    """

    texts: tuple[str, ...]
    width: float
    bands: tuple[float, ...]

    def centres(self) -> list[float]:
        """Return the middle of each row, in inches from the top."""
        found, top = [], 0.0
        for band in self.bands:
            found.append(top + band / 2)
            top += band
        return found


def gutter(labels: Sequence[str], panel: float, least: float) -> Gutter:
    """Return labels wrapped to at most two fifths of a panel.

    Args:
        labels: from top to bottom.
        panel: inches of the panel.
        least: inches a row needs for what it shows.
    """
    texts = tuple(wrapped(label, panel * 0.4, TICK) for label in labels)
    lines = [text.split("\n") for text in texts]
    wide = max((width(line, TICK) for each in lines for line in each), default=0.0)
    bands = tuple(max(line_height(TICK, len(each)) + 0.05, least) for each in lines)
    return Gutter(texts, wide, bands)


def series_entries(series: Sequence[Series], handles: Sequence[Any]) -> list[Entry]:
    """Return the legend of some series; none where they have no names."""
    return [
        Entry(handle, each.name)
        for each, handle in zip(series, handles, strict=True)
        if each.name.strip()
    ]


def mark_entries(marks: Sequence[tuple[float, str]]) -> list[Entry]:
    """Return the legend of upright lines."""
    from matplotlib.lines import Line2D

    return [
        Entry(Line2D([], [], color=colour, linestyle=dashes, linewidth=1.2), words)
        for (_, words), (colour, dashes) in zip(marks, _mark_styles(len(marks)), strict=True)
    ]


def upright_lines(axes: Axes, marks: Sequence[tuple[float, str]]) -> None:
    """Draw upright lines that :func:`mark_entries` explains."""
    for (value, _), (colour, dashes) in zip(marks, _mark_styles(len(marks)), strict=True):
        if math.isfinite(value):
            axes.axvline(value, color=colour, linestyle=dashes, linewidth=1.2, zorder=4)


def _mark_styles(count: int) -> list[tuple[str, Any]]:
    # From behind, so that no line looks like one of the first series.
    colours = ("#d55e00", "#000000", "#0072b2", "#009e73")
    dashes = ((0, (7, 3)), (0, (1.5, 1.5)), (0, (7, 2, 1.5, 2)), (0, (3, 3)))
    return [(colours[at % 4], dashes[at % 4]) for at in range(count)]


def head_height(title: str, entries: Sequence[Entry], room: float) -> float:
    """Return the inches that title and legend take above the axes."""
    lines = len(wrap(title, room / _BOLD, TITLE)) if title.strip() else 0
    return line_height(TITLE, lines) + _legend_height(entries, room) + (0.06 if lines else 0.0)


def _columns(entries: Sequence[Entry], room: float) -> tuple[int, list[str]]:
    texts = [wrapped(entry.words, room - _HANDLE, LABEL) for entry in entries]
    widest = max(width(line, LABEL) for text in texts for line in text.split("\n"))
    return max(1, min(len(entries), int(room / (widest + _HANDLE)))), texts


def _legend_height(entries: Sequence[Entry], room: float) -> float:
    if not entries:
        return 0.0
    columns, texts = _columns(entries, room)
    # A legend is filled column by column.
    rows = math.ceil(len(texts) / columns)
    heights = [line_height(LABEL, text.count("\n") + 1) + 0.015 for text in texts]
    return max(sum(heights[at : at + rows]) for at in range(0, len(texts), rows)) + 0.05


def head(axes: Axes, title: str, entries: Sequence[Entry], room: float) -> None:
    """Write title and legend above the axes."""
    legend = _legend_height(entries, room)
    if entries:
        columns, texts = _columns(entries, room)
        axes.legend(
            [entry.handle for entry in entries],
            texts,
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            borderaxespad=0.2,
            borderpad=0.0,
            frameon=False,
            fontsize=LABEL,
            ncols=columns,
            columnspacing=1.2,
            handlelength=2.6,
            labelspacing=0.3,
        )
    if title.strip():
        text = "\n".join(wrap(title, room / _BOLD, TITLE))
        axes.set_title(
            text, loc="left", fontsize=TITLE, fontweight="bold", y=1.0, pad=legend * 72 + 4
        )


def axis_label(text: str, inches: float) -> str:
    """Return the words of an axis as lines that fit."""
    return wrapped(text, inches, LABEL)


def tidy(axes: Axes) -> None:
    """Leave the lines of an axis that carry numbers, thin and grey."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set(color=AXIS, linewidth=0.6)
    axes.tick_params(labelsize=TICK, color=AXIS, width=0.6, length=2.5)
    axes.set_axisbelow(True)


def unplaced(series: Sequence[Series], scale: Scale = "linear") -> list[str]:
    """Return a sentence that counts values which no axis can hold; none where there are none."""
    lost = sum(
        1
        for each in series
        for value in each.values
        if value is not None and not usable(value, scale)
    )
    why = "not finite, or too large" + (", or not above 0" if scale == "log" else "")
    have = "value has" if lost == 1 else "values have"
    return [f"{lost} {have} no place on the axis: {why}"] if lost else []


def no_data(axes: Axes, words: str = "no data") -> None:
    """Say in words that there is nothing to see."""
    axes.text(
        0.5, 0.5, words, transform=axes.transAxes, ha="center", va="center",
        fontsize=LABEL, color=GUIDE, style="italic", zorder=6,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
    )  # fmt: skip
