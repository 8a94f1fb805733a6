"""A figure of many panels as several figures, each of a size that a page of paper holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from toolkit.figures.base import Dots, Figure, Panel

__all__ = ["MOST_PANELS", "in_pages"]

MOST_PANELS: Final = 8
_MOST_DOTS: Final = 56
"""Dots one below the other that stand on a page, at about a fifth of an inch each."""


def in_pages(figure: Figure, most: int = MOST_PANELS) -> tuple[Figure, ...]:
    """Return the figure, or several with its panels in order where it has more than a page holds.

    The first keeps the name; titles and words for who cannot see them say which part it is. Panels
    of many dots fill a page sooner; a row of panels is never divided.

    Args:
        figure: with any number of panels.
        most: panels on one page, at least one row.
    """
    pages = list(_pages(figure, most))
    if len(pages) < 2:
        return (figure,)
    return tuple(
        replace(
            figure,
            name=figure.name if number == 1 else f"{figure.name}_{number}",
            title=f"{figure.title} ({number} of {len(pages)})",
            alt=f"Part {number} of {len(pages)}. {figure.alt}",
            panels=tuple(panels),
        )
        for number, panels in enumerate(pages, start=1)
    )


def _pages(figure: Figure, most: int) -> Iterator[list[Panel]]:
    page: list[Panel] = []
    dots = 0
    for start in range(0, len(figure.panels), figure.columns):
        row = figure.panels[start : start + figure.columns]
        if page and (len(page) + len(row) > most or dots + _dots(row) > _MOST_DOTS):
            yield page
            page, dots = [], 0
        page += row
        dots += _dots(row)
    if page:
        yield page


def _dots(row: Sequence[Panel]) -> int:
    return max(len(one.labels) * len(one.series) if isinstance(one, Dots) else 0 for one in row)
