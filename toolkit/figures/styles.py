"""How series differ: by colour, and by marker, line and hatch for who sees no colours.

The colours are those of Okabe and Ito (2008, Color Universal Design), in an order in which
neighbours differ in lightness as well; yellow, too pale for thin lines on white, is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["AXIS", "GUIDE", "MUTED", "PAPER", "Style", "style"]

PAPER: Final = "#ffffff"
AXIS: Final = "#444444"
GUIDE: Final = "#777777"
"""Lines that are no data."""

_COLOURS: Final = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#000000", "#56b4e9", "#d55e00")
_MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X")
_LINES: Final[tuple[str | tuple[float, tuple[float, ...]], ...]] = (
    "-",
    (0, (4, 1.5)),
    (0, (1, 1)),
    (0, (5, 1.2, 1, 1.2)),
    (0, (8, 2)),
    (0, (3, 1, 1, 1, 1, 1)),
    (0, (2, 2)),
)
_HATCHES: Final = ("", "////", "....", "xxxx", "----", "\\\\\\\\", "++++")


@dataclass(frozen=True, slots=True)
class Style:
    """How one series looks.

    Attributes:
        colour: of line, marker and bar.
        marker: its shape.
        filled: whether markers are filled.
        line: dashes, as the drawing library takes them.
        hatch: of bars.
    """

    colour: str
    marker: str
    filled: bool
    line: str | tuple[float, tuple[float, ...]]
    hatch: str


MUTED: Final = Style(colour="#a0a0a0", marker="o", filled=False, line="-", hatch="")
"""What is shown and not to be read."""


def style(place: int) -> Style:
    """Return the style of the series at a place; 98 differ, then they come again."""
    turn, at = divmod(place, len(_COLOURS))
    # Every second round has hollow markers; from the third on colours and shapes pair anew.
    shift = (at + turn // 2) % len(_COLOURS)
    return Style(
        colour=_COLOURS[at],
        marker=_MARKERS[shift],
        filled=turn % 2 == 0,
        line=_LINES[(at + turn) % len(_LINES)],
        hatch=_HATCHES[(at + turn) % len(_HATCHES)],
    )
