"""The many spellings of one sign made one, character by character, so that positions stay."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

__all__ = ["fold"]

_SIGNS: Final = {
    **dict.fromkeys("−–—‐‑‒―﹣－⁃", "-"),
    **dict.fromkeys("\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009", " "),
    **dict.fromkeys("\u200a\u202f\u205f\u3000\t\r", " "),
    **dict.fromkeys("μ𝜇𝛍", "µ"),
    **dict.fromkeys("º˚∘ᵒ", "°"),
    **dict.fromkeys("∙⋅•", "·"),
    **dict.fromkeys("✕✖⨯╳", "×"),
    **dict.fromkeys("≦⩽⋜", "≤"),
    **dict.fromkeys("≧⩾⋝", "≥"),
    **dict.fromkeys("≈∼≃～≅", "~"),
    **dict.fromkeys("％﹪", "%"),
    **dict.fromkeys("＜〈", "<"),
    **dict.fromkeys("＞〉", ">"),
    "＝": "=",
    "＋": "+",
    "．": ".",
    "，": ",",
    "（": "(",
    "）": ")",
    "⁄": "/",
    "∕": "/",
    "：": ":",
    "∶": ":",
    "’": "'",
    "‘": "'",
}
_TABLE: Final = str.maketrans(_SIGNS)
_DIGIT: Final = re.compile(r"(?![0-9])\d")


def fold(text: str) -> str:
    """Return the text with one spelling for each sign and digit, of the same length.

    Dashes and minus signs become ``-``, blanks of all widths a space, micro signs ``µ``, degree
    signs ``°``, digits of all scripts ``0``-``9``. Superscripts and fractions such as ``½`` stay.
    """
    if text.isascii() and "\t" not in text and "\r" not in text:
        return text
    folded = text.translate(_TABLE)
    return _DIGIT.sub(lambda match: str(unicodedata.decimal(match.group())), folded)
