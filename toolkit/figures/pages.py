"""A figure of many panels as several figures, each of a size that a page of paper holds."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from toolkit.figures.base import Figure

__all__ = ["MOST_PANELS", "in_pages"]

MOST_PANELS: Final = 8
"""Four rows of two panels with a dozen lines each are about the height of a page."""


def in_pages(figure: Figure, most: int = MOST_PANELS) -> tuple[Figure, ...]:
    """Return the figure, or several with its panels in order where it has more than a page holds.

    The first keeps the name; titles and words for who cannot see them say which part it is.

    Args:
        figure: with any number of panels.
        most: panels on one page.

    Raises:
        ValueError: a page holds no panel.
    """
    if most < 1:
        raise ValueError(f"a page holds one panel or more, not {most}")
    starts = range(0, len(figure.panels), most)
    if len(starts) < 2:
        return (figure,)
    return tuple(
        replace(
            figure,
            name=figure.name if number == 1 else f"{figure.name}_{number}",
            title=f"{figure.title} ({number} of {len(starts)})",
            alt=f"Part {number} of {len(starts)}. {figure.alt}",
            panels=figure.panels[start : start + most],
        )
        for number, start in enumerate(starts, start=1)
    )
