"""Words of a figure: made safe to draw, measured, and broken into lines that fit.

Figures are drawn with one font that comes with the drawing library, so that they look the same
everywhere. It has Latin, Greek, Cyrillic and mathematical signs; letters that it lacks, and
scripts that are written from the right and would come out backwards, are drawn as ``□`` and the
figure says so. The words themselves stand in the description of the SVG.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from matplotlib.ft2font import FT2Font

__all__ = [
    "LACKING",
    "MOST_LINES",
    "clean",
    "drawable",
    "lacking",
    "line_height",
    "shorten",
    "width",
    "wrap",
    "wrapped",
]

LACKING: Final = "□"
"""Stands for letters that the font lacks."""

MOST_LINES: Final = 4
"""A label of more lines is cut; the whole of it stands in the description."""

_SPACING: Final = 1.2
_INCH: Final = 72.0


def clean(text: str) -> str:
    r"""Return text on one line in which every character can be seen and stand in XML.

    Control characters, lone surrogates and code points that are no characters become their
    escapes, such as ``\x07``; runs of blanks become one.
    """
    return "".join(_visible(letter) for letter in " ".join(text.split()))


def _visible(letter: str) -> str:
    kind = unicodedata.category(letter)
    if kind in ("Cc", "Cs") or (ord(letter) & 0xFFFE) == 0xFFFE:
        return letter.encode("unicode_escape").decode("ascii")
    # Marks that turn the direction of the text around would reorder what follows them.
    return "" if kind == "Cf" else letter


def drawable(text: str) -> str:
    """Return clean text in which each run of letters that cannot be drawn is one ``□``."""
    found: list[str] = []
    before = True
    for letter in unicodedata.normalize("NFC", clean(text)):
        has = _has(letter)
        if has or before:
            found.append(letter if has else LACKING)
        before = has
    return "".join(found)


def lacking(text: str) -> bool:
    """Return whether a text has letters that cannot be drawn."""
    return not all(_has(letter) for letter in unicodedata.normalize("NFC", clean(text)))


@cache
def _has(letter: str) -> bool:
    if unicodedata.bidirectional(letter) in ("R", "AL", "AN"):
        return False
    return letter == " " or _font().get_char_index(ord(letter)) != 0


@cache
def _font() -> FT2Font:
    import matplotlib
    from matplotlib.ft2font import FT2Font

    return FT2Font(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf")


@cache
def _advance(letter: str) -> float:
    from matplotlib.ft2font import LoadFlags

    font = _font()
    font.set_size(100, 72)
    glyph = font.load_char(ord(letter), flags=LoadFlags.NO_HINTING)
    return float(glyph.linearHoriAdvance) / 65536 / 100


def width(text: str, points: float) -> float:
    """Return how wide a line is, in inches; bold text is about a tenth wider."""
    return sum(_advance(letter) for letter in text) * points / _INCH


def line_height(points: float, lines: int = 1) -> float:
    """Return how high some lines of text are, in inches."""
    return points * _SPACING * lines / _INCH


def wrap(text: str, inches: float, points: float) -> list[str]:
    """Return the lines of a drawable text, broken at blanks, else within words.

    Args:
        text: any text.
        inches: widest line.
        points: size of the letters.

    Returns:
        At least one line; no letter of :func:`drawable` is lost.
    """
    lines: list[str] = []
    line = ""
    for word in drawable(text).split(" "):
        trial = f"{line} {word}" if line else word
        if width(trial, points) <= inches:
            line = trial
            continue
        if line:
            lines.append(line)
        *full, line = _broken(word, inches, points)
        lines += full
    return [*lines, line]


def _broken(word: str, inches: float, points: float) -> list[str]:
    pieces, piece, taken = [], "", 0.0
    for letter in word:
        wide = width(letter, points)
        if piece and taken + wide > inches:
            # A break after a hyphen or a slash reads better than one within a name.
            cut = max(piece.rfind(sign) for sign in "-/_:|") + 1
            keep = cut if cut >= 3 else len(piece)
            pieces.append(piece[:keep])
            piece = piece[keep:]
            taken = width(piece, points)
        piece += letter
        taken += wide
    return [*pieces, piece]


def shorten(lines: list[str], most: int = MOST_LINES) -> list[str]:
    """Return the first lines, the last of them ending in an ellipsis where others were cut."""
    return lines if len(lines) <= most else [*lines[: most - 1], lines[most - 1][:-1] + "…"]


def wrapped(text: str, inches: float, points: float, most: int = MOST_LINES) -> str:
    """Return a text as at most ``most`` lines joined by line feeds."""
    return "\n".join(shorten(wrap(text, inches, points), most))
