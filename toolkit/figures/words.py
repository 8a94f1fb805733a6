"""The words of a figure, for the description that a screen reader reads."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.figures.base import Bars, Dots, Figure, Grid, Histogram, Lines, Panel, Radar, Scatter
from toolkit.figures.lettering import clean, lacking

__all__ = ["all_words", "description"]

_LONG = 60


def all_words(figure: Figure) -> list[str]:
    """Return every text of a figure that is drawn, in reading order, each once."""
    texts = [figure.title, *(text for panel in figure.panels for text in _words(panel))]
    return [text for text in dict.fromkeys(texts) if text.strip()]


def _words(panel: Panel) -> Iterator[str]:
    yield panel.title
    if isinstance(panel, Scatter):
        yield from (panel.x, panel.y, *panel.note.splitlines())
    elif isinstance(panel, Grid):
        yield from (*panel.rows, *panel.columns, panel.legend)
        yield from (text for row in panel.texts for text in row)
    elif isinstance(panel, Radar):
        yield from panel.axes
    else:
        yield panel.x
        if isinstance(panel, Bars | Histogram | Lines):
            yield panel.y
        if isinstance(panel, Bars | Dots):
            yield from panel.labels
        if isinstance(panel, Histogram | Lines):
            yield from (words for _, words in panel.marks)
    if isinstance(panel, Bars | Dots | Lines | Radar):
        yield from (each.name for each in panel.series)


def description(figure: Figure) -> str:
    """Return what a figure shows and, in full, the words that may be cut or not drawn."""
    full = [
        clean(text)
        for text in all_words(figure)
        if text != figure.title and (len(text) > _LONG or lacking(text))
    ]
    parts = [clean(figure.alt), *(["In full: " + "; ".join(full)] if full else [])]
    return " ".join(part for part in parts if part)
