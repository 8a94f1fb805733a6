"""What a figure is: panels of plain numbers, with a title and words for who cannot see them.

An analysis says what is to be seen; :mod:`toolkit.figures.draw` decides how it looks. Series are
told apart by shape, line and hatch as well as by colour, so that a grey print and every kind of
colour vision show the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = [
    "Bars",
    "Dots",
    "Figure",
    "Grid",
    "Histogram",
    "Lines",
    "Panel",
    "Radar",
    "Scatter",
    "Series",
]

Scale = Literal["linear", "log"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Numbers that belong together, one for each position of a panel.

    Attributes:
        name: for the legend; empty where there is only one series.
        values: one a position; None where there is none.
        lows: lower ends of intervals; empty for none at all.
        highs: upper ends.
        muted: grey and hollow in dots, for what is not to be read.
    """

    name: str = ""
    values: tuple[float | None, ...]
    lows: tuple[float | None, ...] = ()
    highs: tuple[float | None, ...] = ()
    muted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Dots:
    """A line for each label, a dot for each series with its interval: who lies where.

    Attributes:
        labels: from top to bottom.
        series: values of each label.
        x: what the axis says, with unit.
        line: an upright line, such as no difference; None for none.
        scale: of the axis.
    """

    labels: tuple[str, ...]
    series: tuple[Series, ...]
    x: str
    title: str = ""
    line: float | None = None
    scale: Scale = "linear"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """A bar for each label, lying when labels are long.

    Attributes:
        labels: in order.
        series: heights; several series stand side by side.
        y: what heights are, with unit.
        x: what labels are.
        lying: bars lie, labels from top to bottom.
    """

    labels: tuple[str, ...]
    series: tuple[Series, ...]
    y: str
    x: str = ""
    title: str = ""
    lying: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Scatter:
    """A point for each pair of numbers, with a fitted line where one is asked for.

    Attributes:
        xs: n numbers.
        ys: n numbers.
        x: what the axis says.
        y: what the axis says.
        note: coefficients as text, printed inside.
        line: (intercept, slope) of a line in the scale of the axes; None for none.
    """

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    x: str
    y: str
    title: str = ""
    note: str = ""
    line: tuple[float, float] | None = None
    x_scale: Scale = "linear"
    y_scale: Scale = "linear"


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """Counts between edges, with upright lines such as median and mean.

    Attributes:
        edges: k + 1 ascending numbers.
        counts: k counts.
        marks: (value, words) of upright lines.
    """

    edges: tuple[float, ...]
    counts: tuple[float, ...]
    x: str
    y: str
    title: str = ""
    marks: tuple[tuple[float, str], ...] = ()
    scale: Scale = "linear"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """Series over numbers, with bands where there are intervals.

    Attributes:
        xs: n ascending numbers, the positions of every series.
        marks: (value, words) of upright lines.
    """

    xs: tuple[float, ...]
    series: tuple[Series, ...]
    x: str
    y: str
    title: str = ""
    marks: tuple[tuple[float, str], ...] = ()
    x_scale: Scale = "linear"


@dataclass(frozen=True, slots=True, kw_only=True)
class Radar:
    """Series on axes that leave one centre, each axis from 0 (centre) to 1.

    Attributes:
        axes: names, clockwise from the top; three or more.
        series: one value an axis.
    """

    axes: tuple[str, ...]
    series: tuple[Series, ...]
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table of numbers in shades, each number printed.

    Attributes:
        rows: labels from top to bottom.
        columns: labels from left to right.
        values: one tuple a row; None is left empty.
        texts: what is printed in each cell.
        middle: the number of the neutral shade, for differences; None when there is none.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    texts: tuple[tuple[str, ...], ...]
    legend: str
    title: str = ""
    middle: float | None = None


Panel = Bars | Dots | Grid | Histogram | Lines | Radar | Scatter


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure.

    Attributes:
        name: safe as the name of a file, unique within its analysis.
        title: with n.
        alt: what it shows, in a sentence or two with its main numbers, for who cannot see it.
        panels: in reading order.
        columns: panels side by side.
        width: over a whole page (7 inches) or over one of two columns (3.4 inches).
    """

    name: str
    title: str
    alt: str
    panels: tuple[Panel, ...]
    columns: int = 1
    width: Literal["page", "column"] = "page"
