"""Bars, upright where their labels fit below them and lying elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from toolkit.figures.base import Bars
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
from toolkit.figures.lettering import drawable, line_height, width, wrap
from toolkit.figures.scales import fit_axis, limits, number_text, usable
from toolkit.figures.styles import GUIDE, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["height", "paint"]

_UPRIGHT: Final = 1.9
"""Inches of the axes of upright bars."""
_SIDE: Final = 0.6
"""Inches for the numbers left of upright bars."""

_NUMBERED: Final = 10
"""Upright bars up to this many have their numbers above them."""

_Way = Literal["lying", "level", "turned"]


def _way(panel: Bars, inches: float) -> _Way:
    """Return how the labels stand: to the left of lying bars, below upright ones, or turned."""
    if panel.lying or not panel.labels:
        return "lying"
    slot = (inches - _SIDE) / len(panel.labels) - 0.05
    if all(_fits(label, slot) for label in panel.labels):
        return "level"
    longest = max(width(drawable(label), TICK) for label in panel.labels)
    return "turned" if longest <= 0.6 and slot + 0.05 >= line_height(TICK) else "lying"


def _fits(label: str, slot: float) -> bool:
    words = drawable(label).split(" ")
    return all(width(word, TICK) <= slot for word in words) and len(wrap(label, slot, TICK)) <= 3


def _gutter(panel: Bars, inches: float) -> Gutter:
    return gutter(panel.labels, inches, max(0.1 * len(panel.series) + 0.06, 0.18))


def height(panel: Bars, inches: float) -> float:
    """Return how high a panel of some inches is."""
    way = _way(panel, inches)
    if way == "lying":
        labels = _gutter(panel, inches)
        room = inches - labels.width
        body = max(sum(labels.bands), 0.5) + line_height(TICK)
        words = panel.y
    else:
        room, words, body = inches - _SIDE, panel.x, _UPRIGHT
        body += line_height(TICK, 3) if way == "level" else 0.6
    body += line_height(LABEL, axis_label(words, room).count("\n") + 1) + 0.15
    return body + head_height(panel.title, _entries(panel), room)


def _entries(panel: Bars) -> list[Entry]:
    return series_entries(panel.series, [_handle(place) for place in range(len(panel.series))])


def _handle(place: int) -> Any:
    from matplotlib.patches import Patch

    return Patch(**_look(place))


def _look(place: int) -> dict[str, Any]:
    look = style(place)
    # Hatches are drawn in the edge's colour: dark on the fill, so they show in grey as well.
    return {
        "facecolor": look.colour if look.filled else "white",
        "edgecolor": "white" if look.hatch and look.filled and look.colour == "#000000" else "#222",
        "hatch": look.hatch,
        "linewidth": 0.4,
    }


def paint(axes: Axes, panel: Bars, inches: float) -> list[str]:
    """Draw a panel.

    Args:
        axes: empty axes.
        panel: what is drawn.
        inches: width of the panel with its labels.

    Returns:
        What the figure has to say of it in words.
    """
    tidy(axes)
    way = _way(panel, inches)
    values = [v for s in panel.series for part in (s.values, s.lows, s.highs) for v in part]
    low, high = limits([*values, 0.0], margin=0.08)
    known = [value for value in values if value is not None and usable(value)]
    reach = (
        low if min(known, default=0.0) < 0 else 0.0,
        high if max(known, default=0.0) > 0 else 0.0,
    )
    if reach[0] == reach[1]:
        reach = (0.0, 1.0)
    if way == "lying":
        _lying(axes, panel, inches, reach)
    else:
        _upright(axes, panel, inches, reach, turned=way == "turned")
    if not any(usable(value) for each in panel.series for value in each.values):
        no_data(axes)
    return unplaced(panel.series)


def _lying(axes: Axes, panel: Bars, inches: float, reach: tuple[float, float]) -> None:
    labels = _gutter(panel, inches)
    room = inches - labels.width
    head(axes, panel.title, _entries(panel), room)
    alone = len(panel.series) == 1 and not panel.series[0].lows
    if alone and reach[0] == 0:
        # Room for the numbers behind the bars.
        reach = (0.0, reach[1] * 1.12)
    fit_axis(axes.xaxis, reach, "linear", max(3, int(room / 0.8)))
    axes.set_xlabel(axis_label(panel.y, room), fontsize=LABEL)
    axes.set_ylabel(axis_label(panel.x, 3.0), fontsize=LABEL)
    centres = labels.centres()
    axes.set_ylim(sum(labels.bands) or 1.0, 0.0)
    axes.set_yticks(centres, labels.texts)
    axes.tick_params(axis="y", length=0)
    axes.axvline(0, color=GUIDE, linewidth=0.6)
    _draw(axes, panel, centres, 0.12 if len(panel.series) == 1 else 0.09, lying=True)
    if alone and len(centres) <= 60:
        for y, value in zip(centres, panel.series[0].values, strict=True):
            if value is not None and usable(value):
                axes.annotate(
                    number_text(value, 4), (max(value, 0.0), y), (3, 0), va="center",
                    textcoords="offset points", fontsize=TICK - 0.5,
                )  # fmt: skip


def _upright(
    axes: Axes, panel: Bars, inches: float, reach: tuple[float, float], *, turned: bool
) -> None:
    room = inches - _SIDE
    head(axes, panel.title, _entries(panel), room)
    fit_axis(axes.yaxis, reach, "linear", 6)
    axes.set_xlabel(axis_label(panel.x, room), fontsize=LABEL)
    axes.set_ylabel(axis_label(panel.y, _UPRIGHT), fontsize=LABEL)
    places = [float(place) for place in range(len(panel.labels))]
    slot = room / len(places) - 0.05
    texts = [
        drawable(label) if turned else "\n".join(wrap(label, slot, TICK)) for label in panel.labels
    ]
    axes.set_xlim(-0.5, len(places) - 0.5)
    axes.set_xticks(places, texts, rotation=90 if turned else 0)
    axes.tick_params(axis="x", length=0)
    axes.axhline(0, color=GUIDE, linewidth=0.6)
    _draw(axes, panel, places, 0.8 / max(1, len(panel.series)), lying=False)
    if len(panel.series) == 1 and not panel.series[0].lows and len(places) <= _NUMBERED:
        for x, value in zip(places, panel.series[0].values, strict=True):
            if value is not None and usable(value):
                axes.annotate(
                    number_text(value, 4), (x, max(value, 0.0)), (0, 2), ha="center",
                    textcoords="offset points", fontsize=TICK - 0.5,
                )  # fmt: skip


def _draw(axes: Axes, panel: Bars, centres: list[float], thick: float, *, lying: bool) -> None:
    count = len(panel.series)
    for place, each in enumerate(panel.series):
        offset = (place - (count - 1) / 2) * thick
        for row, centre in enumerate(centres):
            value, at = each.values[row], centre + offset
            if value is None or not usable(value):
                if value is None:
                    _none(axes, at, lying=lying)
                continue
            draw = axes.barh if lying else axes.bar
            draw([at], [value], thick, **_look(place))
            low = each.lows[row] if each.lows else None
            high = each.highs[row] if each.highs else None
            if low is not None and high is not None and usable(low) and usable(high):
                lines = axes.hlines if lying else axes.vlines
                # White below black: seen on every fill.
                lines(at, low, high, color="white", linewidth=2.4, zorder=3)
                lines(at, low, high, color="black", linewidth=1.0, zorder=4)


def _none(axes: Axes, at: float, *, lying: bool) -> None:
    axes.annotate(
        "none", (0.0, at) if lying else (at, 0.0), (3, 0) if lying else (0, 3),
        textcoords="offset points", fontsize=TICK - 1, color=GUIDE, style="italic",
        rotation=0 if lying else 90,
        ha="left" if lying else "center", va="center" if lying else "bottom",
    )  # fmt: skip
