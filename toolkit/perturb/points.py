"""The points of an impression: a numbered list, or the sentences of one that is not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from toolkit.perturb.removal import sentence_spans

__all__ = ["Point", "find_points", "find_sentences"]

_NUMBER: Final = re.compile(r"(?<!\S)(\d{1,2})[.)]\s+")
# `Gleason grade 3. No ...`: a number that the word before it asks for begins no point.
_ASKS: Final = re.compile(
    r"(?:grade|stage|type|level|levels|segment|segments|zone|category|class|score|rads|series|image"
    r"|phase|and|or|of|to)\s+$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a list.

    Attributes:
        start: first character, that of its number where it has one.
        body: first character after number and white space.
        end: the character after its last one, white space before the next point left out.
        number: its number; None for a sentence.
    """

    start: int
    body: int
    end: int
    number: int | None = None


def find_points(text: str) -> list[Point]:
    """Return the points of a numbered list; a text without one is a single point.

    A list is the longest run of numbers that rises by one from 1 and has two members or more,
    each with white space before it, ``.`` or ``)`` and white space after it. ``1.5 cm`` has no
    white space inside, and ``L4. 5 mm`` begins no list, so neither splits a text.
    """
    heads: list[re.Match[str]] = []
    for match in _NUMBER.finditer(text):
        wanted = int(match.group(1)) == len(heads) + 1
        if wanted and not _ASKS.search(text, max(0, match.start() - 12), match.start()):
            heads.append(match)
    if len(heads) < 2:
        whole = text.strip()
        start = text.find(whole)
        return [Point(start, start, start + len(whole))] if whole else []
    ends = [*(head.start() for head in heads[1:]), len(text)]
    return [
        Point(head.start(), head.end(), len(text[:end].rstrip()), int(head.group(1)))
        for head, end in zip(heads, ends, strict=True)
    ]


def find_sentences(text: str, point: Point) -> list[Point]:
    """Return the sentences of a point."""
    body = text[point.body : point.end]
    return [
        Point(point.body + start, point.body + start, point.body + end)
        for start, end in sentence_spans(body)
    ]
