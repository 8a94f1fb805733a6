"""Change a unit: another of the same dimension, the number left as it is."""

from __future__ import annotations

import random
import re
from typing import Final

from toolkit.perturb.base import Edited, Unedited, cased_like, edited

__all__ = ["AFTER_NUMBER", "unit"]

AFTER_NUMBER: Final = (
    r"(?:(?<=\d)|(?<=\d[ \u00a0\u2009\u202f-])|(?<=\btwo[ -])|(?<=\bthree[ -])|(?<=\bfour[ -])"
    r"|(?<=\bfive[ -])|(?<=\bsix[ -])|(?<=\bseven[ -])|(?<=\beight[ -])|(?<=\bnine[ -])"
    r"|(?<=\bten[ -])|(?<=\btwelve[ -]))"
)
"""Where a unit may stand: right after digits or a number word, or one space or hyphen on."""

_FAMILIES: Final = (
    ("ng", "µg", "mg", "g", "kg"),
    ("ng", "mcg", "mg", "g", "kg"),
    ("pg", "ng", "mg"),
    ("µL", "mL", "dL", "L"),
    ("µl", "ml", "dl", "l"),
    ("nm", "µm", "mm", "cm"),
    ("mm", "cm", "km"),
    ("nmol", "µmol", "mmol", "mol"),
    ("nM", "µM", "mM"),
    ("mmHg", "kPa"),
    ("kcal", "kJ"),
    ("mGy", "Gy"),
    ("mSv", "Sv"),
    ("Hz", "kHz", "MHz"),
    ("°C", "°F"),
    ("mIU", "IU"),
    ("h", "min"),
    ("hours", "days", "weeks", "months", "years"),
    ("hour", "day", "week", "month", "year"),
    ("hrs", "min"),
    ("hr", "min"),
    ("seconds", "minutes", "hours"),
    ("second", "minute", "hour"),
    ("milligrams", "grams", "kilograms"),
    ("micrograms", "milligrams", "grams"),
    ("millilitres", "litres"),
    ("milliliters", "liters"),
    ("millimetres", "centimetres", "metres"),
    ("millimeters", "centimeters", "meters"),
)


def _neighbours() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for family in _FAMILIES:
        for at, name in enumerate(family):
            near = [other for other in family[max(0, at - 2) : at + 3] if other != name]
            found.setdefault(name, []).extend(near)
    # Greek small mu is written in place of the micro sign as often as not.
    for name in [name for name in found if "µ" in name]:
        found[name.replace("µ", "μ")] = [other.replace("µ", "μ") for other in found[name]]
    return {name: tuple(dict.fromkeys(near)) for name, near in found.items()}


_NEIGHBOURS: Final = _neighbours()
_ANY: Final = "|".join(re.escape(name) for name in sorted(_NEIGHBOURS, key=len, reverse=True))
_UNIT: Final = re.compile(
    rf"{AFTER_NUMBER}(?:{_ANY}|(?i:hours?|days?|weeks?|months?|years?))(?![\w°])"
)


def unit(text: str, rng: random.Random) -> Edited | Unedited:
    """Give one quantity of a text another unit of the same dimension.

    The number stays, so that the quantity is another one: 5 mg become 5 g, six weeks six months.
    In a compound such as mg/dL the unit above the line is changed.
    """
    found = list(_UNIT.finditer(text))
    if not found:
        return Unedited("no unit after a number that can be changed")
    match = rng.choice(found)
    name = match.group()
    near = _NEIGHBOURS.get(name)
    if near is None:
        near = tuple(cased_like(name, other) for other in _NEIGHBOURS[name.lower()])
    return edited("unit", text, [(match.start(), match.end(), rng.choice(near))])
