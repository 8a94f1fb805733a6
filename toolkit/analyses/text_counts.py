"""What texts are counted in: words, sentences, numbered points."""

from __future__ import annotations

import re
from typing import Final, Literal

from toolkit.sentences import n_sentences, n_words

__all__ = ["Unit", "count_units", "n_points"]

Unit = Literal["points", "words", "sentences"]

_NUMBER: Final = re.compile(r"(?<!\S)(\d{1,2})[.)]\s+")


def n_points(text: str) -> int:
    """Return the number of numbered points of a text.

    Points are a run of numbers 1, 2, 3 ..., each followed by a full stop or a parenthesis and a
    blank; a number out of turn belongs to the text (``L4. 5 mm``). A text without two of them is
    one point, a blank one none.
    """
    if not text.strip():
        return 0
    expected = 1
    for match in _NUMBER.finditer(text):
        if int(match.group(1)) == expected:
            expected += 1
    return max(expected - 1, 1)


def count_units(text: str, unit: Unit) -> int:
    """Return how many words, sentences or points a text has."""
    if unit == "points":
        return n_points(text)
    return n_words(text) if unit == "words" else n_sentences(text)
