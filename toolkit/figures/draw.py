"""Draws figures as SVG and PNG, the same bytes for the same figure.

Letters are outlines in the SVG, which needs no font where it is shown; its ``title`` and ``desc``
say in words what is seen. It has no script and refers to nothing outside itself.
"""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from xml.sax.saxutils import escape

from toolkit.figures.base import Figure
from toolkit.figures.lettering import clean
from toolkit.figures.page import compose
from toolkit.figures.words import description

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Page

__all__ = ["Drawn", "draw", "settings"]

_DOTS_PER_INCH: Final = 200

_LOCK: Final = threading.Lock()
"""The drawing library keeps its settings in one place for all threads."""

_SETTINGS: Final[dict[Any, Any]] = {
    "font.family": ["DejaVu Sans"],
    "text.parse_math": False,
    "text.usetex": False,
    "svg.fonttype": "path",
    "svg.image_inline": True,
    "axes.unicode_minus": True,
    "hatch.linewidth": 0.5,
    "path.simplify": False,
    "image.composite_image": True,
}


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure as two files.

    Attributes:
        svg: UTF-8.
        png: 200 dots per inch.
    """

    svg: bytes
    png: bytes


def draw(figure: Figure) -> Drawn:
    """Draw a figure.

    Threads take turns.

    Raises:
        ValueError: a series has not one value for each position, or a radar fewer than three
            axes.
    """
    with _LOCK, settings(figure.name):
        page = compose(figure)
        return Drawn(_svg(page, figure), _png(page))


@contextmanager
def settings(name: str) -> Iterator[None]:
    """Set the library as it was delivered, whatever a user's own settings are, for a while."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        # Names of parts of two figures on one page must differ.
        matplotlib.rcParams.update({**_SETTINGS, "svg.hashsalt": name})
        yield


def _png(page: Page) -> bytes:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(page)
    out = io.BytesIO()
    page.savefig(out, format="png", dpi=_DOTS_PER_INCH, metadata={"Software": None})
    return out.getvalue()


def _svg(page: Page, figure: Figure) -> bytes:
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    FigureCanvasSVG(page)
    out = io.BytesIO()
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    page.savefig(out, format="svg", dpi=_DOTS_PER_INCH, metadata=nothing)
    text = out.getvalue().decode("utf-8")
    # The document type names an address; comments repeat the words of the figure.
    text = re.sub(r"<!DOCTYPE[^>]*>\s*", "", text, count=1)
    text = re.sub(r"[ \t]*<!--.*?-->\n?", "", text, flags=re.DOTALL)
    key = re.sub(r"[^A-Za-z0-9_.-]", "-", figure.name) or "figure"
    text = re.sub(r'(\bid="|xlink:href="#|url\(#)', rf"\g<1>{key}.", text)
    opened = text.index(">", text.index("<svg"))
    words = (
        f'<title id="{key}-title">{escape(clean(figure.title))}</title>\n'
        f'<desc id="{key}-desc">{escape(description(figure))}</desc>\n'
    )
    marked = f' role="img" aria-labelledby="{key}-title" aria-describedby="{key}-desc">\n'
    return (text[:opened] + marked + words + text[opened + 1 :].lstrip("\n")).encode()
