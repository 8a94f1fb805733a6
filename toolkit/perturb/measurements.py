"""Sizes in millimetres and centimetres: where they stand in a text, and how they are altered."""

from __future__ import annotations

import random
import re
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from toolkit.perturb.alteration import Alteration
from toolkit.perturb.base import Edit

__all__ = ["CATEGORY", "altered_size", "find_sizes"]

CATEGORY: Final = "measurements"
"""The category of sizes; a dictionary has no entries of it."""

_NUMBER: Final = r"\d+(?:\.\d+)?"
_BY: Final = r"\s*(?:[x×X]|by)\s*"
_UNIT: Final = r"(?:mm|cm)"
# Not the end of another number, of a level of the spine (`L4-5`), or of a word.
_SIZE: Final = re.compile(
    rf"(?<![\w.,/])(?<!\w-){_NUMBER}(?:(?:\s*-?{_UNIT})?{_BY}{_NUMBER}){{0,2}}(?:\s+|-)?{_UNIT}\b"
)
_PART: Final = re.compile(rf"{_NUMBER}|{_UNIT}")
_OTHER: Final = {"mm": "cm", "cm": "mm"}
_TRIES: Final = 200


def find_sizes(text: str) -> list[tuple[int, int]]:
    """Return where each size begins and ends: ``1.5 cm``, ``2.1 x 3.0 cm``, ``12x9x7 mm``."""
    return [match.span() for match in _SIZE.finditer(text)]


def altered_size(
    text: str,
    span: tuple[int, int],
    rng: random.Random,
    *,
    factor: tuple[float, float] = (0.3, 3.0),
    minimum_change: float = 0.2,
    unit_change: float = 0.25,
) -> Alteration | None:
    """Alter one size: one factor for all its dimensions, so that the shape stays.

    Decimals stay as many as they were. Where the unit changes, the number is not converted:
    ``1.5 cm`` may become ``3.3 mm``.

    Args:
        text: the text.
        span: one of :func:`find_sizes`.
        rng: the source of chance.
        factor: range of the uniform factor.
        minimum_change: relative change of the length in millimetres below which it is drawn
            again.
        unit_change: probability that the unit changes, from 0 to 1.

    Returns:
        The alteration; None where no factor in the range changes the number enough, as where
        one digit leaves no other number.
    """
    old = text[slice(*span)]
    for _ in range(_TRIES):
        times = Decimal(repr(rng.uniform(*factor)))
        flip = rng.random() < unit_change
        new = _scaled(old, times, flip=flip)
        if new is not None and _changed_enough(old, new, minimum_change):
            edit = Edit("measurement", span[0], span[1], old, new)
            return Alteration(
                kind="measurement", category=CATEGORY, original=old, replacement=new, edits=(edit,)
            )
    return None


def _scaled(size: str, times: Decimal, *, flip: bool) -> str | None:
    parts: list[str] = []
    done = 0
    for match in _PART.finditer(size):
        parts.append(size[done : match.start()])
        found = match.group()
        if found in _OTHER:
            parts.append(_OTHER[found] if flip else found)
        else:
            number = _rounded(Decimal(found) * times, found)
            if number is None:
                return None
            parts.append(number)
        done = match.end()
    return "".join([*parts, size[done:]])


def _rounded(value: Decimal, like: str) -> str | None:
    places = len(like.partition(".")[2])
    rounded = value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    return None if rounded == 0 else format(rounded, "f")


def _changed_enough(old: str, new: str, minimum: float) -> bool:
    """Tell whether every dimension changed by the share of its length that is asked for."""
    pairs = zip(_millimetres(old), _millimetres(new), strict=True)
    return all(abs(after / before - 1) >= Decimal(repr(minimum)) for before, after in pairs)


def _millimetres(size: str) -> list[Decimal]:
    found = _PART.findall(size)
    lengths: list[Decimal] = []
    for at, part in enumerate(found):
        if part in _OTHER:
            continue
        # A dimension without a unit of its own has that of the next one that has.
        unit = next(unit for unit in found[at:] if unit in _OTHER)
        lengths.append(Decimal(part) * (10 if unit == "cm" else 1) or Decimal("0.001"))
    return lengths
