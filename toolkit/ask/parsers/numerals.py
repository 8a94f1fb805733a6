"""Numbers written in digits; none is fished out of prose."""

from __future__ import annotations

import re
from typing import Final

from toolkit.ask.parsers.entries import NOTHING

__all__ = ["read_number", "split_numbers"]

_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]{1,100}(?:\.[0-9]{1,100})?|\.[0-9]{1,100})")
_SPAN: Final = re.compile(r"([0-9]{1,6})(?:[-–—]([0-9]{1,6}))?")
_DASH: Final = re.compile(r"(?<=[0-9])\s*+[-–—]\s*+(?=[0-9])")
_MOST: Final = 10_000


def read_number(text: str) -> int | float | None:
    """Return the number that a text is; None where it is anything else, such as ``4/5``.

    A point divides decimals; neither commas nor exponents are read.
    """
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    if not value.is_integer():
        return value
    return int(value) if "." in text else int(text)


def split_numbers(text: str) -> list[int] | None:
    """Return whole numbers divided by commas, ranges spelt out: ``1, 3-5`` is 1, 3, 4, 5.

    Returns:
        The numbers in their order, repeated ones kept; none for a blank text or "none"; None
        where anything else stands there, or more than 10,000 numbers.
    """
    bare = text.strip().strip("[]()").strip().removesuffix(".").rstrip("])")
    if not bare or bare.casefold() in NOTHING:
        return []
    numbers: list[int] = []
    for part in re.split(r"[,;\s]+", _DASH.sub("-", bare).replace("][", ",")):
        match = _SPAN.fullmatch(part.strip("[]()"))
        if match is None:
            return None
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first or last - first >= _MOST - len(numbers):
            return None
        numbers += range(first, last + 1)
    return numbers
