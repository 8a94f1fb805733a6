"""Spell a unit out, or write a spelled one short: the quantity stays the same."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from typing import Final

from toolkit.perturb.base import Edited, Unedited, edited
from toolkit.perturb.unit import AFTER_NUMBER

__all__ = ["unit_spelling"]

_SPELLED: Final = {
    "ng": ("nanogram", "nanograms"), "µg": ("microgram", "micrograms"),
    "μg": ("microgram", "micrograms"), "mcg": ("microgram", "micrograms"),
    "mg": ("milligram", "milligrams"), "g": ("gram", "grams"), "kg": ("kilogram", "kilograms"),
    "mL": ("milliliter", "milliliters"), "ml": ("milliliter", "milliliters"),
    "dL": ("deciliter", "deciliters"), "L": ("liter", "liters"),
    "nm": ("nanometer", "nanometers"), "µm": ("micrometer", "micrometers"),
    "μm": ("micrometer", "micrometers"), "mm": ("millimeter", "millimeters"),
    "cm": ("centimeter", "centimeters"), "km": ("kilometer", "kilometers"),
    "mmol": ("millimole", "millimoles"), "µmol": ("micromole", "micromoles"),
    "nmol": ("nanomole", "nanomoles"), "kcal": ("kilocalorie", "kilocalories"),
    "mmHg": ("millimeter of mercury", "millimeters of mercury"),
    "mm Hg": ("millimeter of mercury", "millimeters of mercury"),
    "Gy": ("gray", "gray"), "Hz": ("hertz", "hertz"), "MHz": ("megahertz", "megahertz"),
    "°C": ("degree Celsius", "degrees Celsius"), "h": ("hour", "hours"), "hr": ("hour", "hours"),
    "hrs": ("hours", "hours"), "min": ("minute", "minutes"), "yr": ("year", "years"),
    "yrs": ("years", "years"), "wk": ("week", "weeks"), "mo": ("month", "months"),
    "%": ("percent", "percent"),
}  # fmt: skip
_SHORT: Final = {
    "milligrams": "mg", "milligram": "mg", "micrograms": "µg", "kilograms": "kg",
    "milliliters": "mL", "millilitres": "mL", "millimeters": "mm", "millimetres": "mm",
    "centimeters": "cm", "centimetres": "cm", "kilometers": "km", "kilometres": "km",
    "hours": "h", "hour": "h", "minutes": "min", "minute": "min", "years": "yr", "months": "mo",
    "weeks": "wk", "percent": "%", "per cent": "%",
}  # fmt: skip
_PER: Final = {
    "mL": "milliliter", "ml": "milliliter", "dL": "deciliter", "dl": "deciliter", "L": "liter",
    "l": "liter", "kg": "kilogram", "g": "gram", "d": "day", "day": "day", "h": "hour",
    "min": "minute", "mg": "milligram", "week": "week", "month": "month", "year": "year",
    "m2": "square meter", "m²": "square meter",
}  # fmt: skip


def _any(names: Iterable[str]) -> str:
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


_UNIT: Final = re.compile(
    rf"{AFTER_NUMBER}(?P<unit>{_any([*_SPELLED, *_SHORT])})"
    rf"(?:/(?P<per>{_any(_PER)})(?![\w/]))?(?![\w/°%²³^]|\s?[-‐‑]\w)"
)


def unit_spelling(text: str, rng: random.Random) -> Edited | Unedited:
    """Write a unit another way wherever the text has it: *mg* as *milligrams*, *percent* as *%*.

    A quantity joined to its unit by a hyphen (12-month) keeps it.
    """
    found = [match for match in _UNIT.finditer(text) if text[match.start() - 1] not in "-‐‑"]
    found = [
        match for match in found if not (match.group("per") and match.group("unit") not in _SPELLED)
    ]
    if not found:
        return Unedited("no unit in the text that has another spelling")
    chosen = rng.choice(found).group()
    same = [match for match in found if match.group() == chosen]
    return edited("unit_spelling", text, [_change(text, match) for match in same])


def _change(text: str, match: re.Match[str]) -> tuple[int, int, str]:
    start, unit, per = match.start(), match.group("unit"), match.group("per")
    # A few characters tell a 1 from other numbers; all that stands before would be read each time.
    number = re.search(r"(\S+?)\s?$", text[max(0, start - 40) : start])
    if unit in _SHORT:
        spaced = text[start - 1].isspace()
        if _SHORT[unit] == "%" and spaced:
            return start - 1, match.end(), "%"
        return start, match.end(), _SHORT[unit] if spaced else f" {_SHORT[unit]}"
    single = number is not None and number.group(1) == "1"
    new = _SPELLED[unit][0 if single else 1]
    if per:
        new += f" per {_PER[per]}"
    return start, match.end(), new if text[start - 1].isspace() else f" {new}"
