"""Change a number: another plausible value, written with as many decimals."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from toolkit.perturb.base import Edited, Unedited, cased_like, edited

__all__ = ["number"]

_FACTORS: Final = ("0.4", "0.5", "0.6", "0.7", "1.4", "1.5", "1.6", "1.8", "2")
"""Far enough from 1 that two figures tell the values apart, near enough to be believed."""

_APART: Final = Decimal("0.2")
"""Least change, as a share of the larger value."""

_MOST_DIGITS: Final = 27
"""Twice such a number still has the 28 digits that decimal arithmetic carries."""

_DIGITS: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.·]\d+)?", re.ASCII)

# What a number must not stand in: a name (IL-6, CD4, COVID-19, p53), a power, a version, a link.
_NAME_BEFORE: Final = re.compile(
    r"(?:[^\W\d_]\d{0,3}[-‐‑_]?|[\w/.:][./:^_]|\d[,·]|\^|\d\(|[#@&=?/_])$"
)
_NAME_AFTER: Final = re.compile(
    r"[\d_^/@]|,\d|[.·:]\d|[-‐‑]?[^\W\d_]+\d|[-‐‑]?[A-Z]|[²³⁰-⁹⁻]|\s?[×x]\s?10|st\b|nd\b|rd\b|th\b"
)
_LABEL_BEFORE: Final = re.compile(
    r"\b(?:types?|grades?|stages?|phases?|class|levels?|tables?|fig(?:ure|s)?|nos?|number|chapter|"
    r"version|group|model|trial|registration|chromosome|factor|scale|omega|vitamin|coronavirus|subunit|goals?|target|section|isoform|domain|exon|codon|"
    r"complement|interleukin|doi|NCT|ISRCTN|H|p|q)[\s.:-]{0,2}$",
    re.IGNORECASE,
)
_P_VALUE: Final = re.compile(
    r"\bp(?:[-\s]?values?)?(?:\s+(?:of|was|is))?\s*[<>=≤≥]\s*$", re.IGNORECASE
)
_LEVEL_AFTER: Final = re.compile(r"\s?%\s?(?:CI|CrI|CL|PI|confidence|credible|prediction|limits)\b")
_DASH_BEFORE: Final = re.compile(r"\d\s?%?\s?(?:[-‐‑–−]|to)\s?$")
_DASH_AFTER: Final = re.compile(r"\s?%?\s?(?:[-‐‑–−]|to\s)\s?\d")

_WORDS: Final = (
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_WORD: Final = re.compile(rf"(?<![\w-])(?:{'|'.join(_WORDS)})(?![\w])", re.IGNORECASE)
_NOT_COUNT: Final = re.compile(
    r"[-\s]*(?:sided|tailed|fold\s+higher|way|dimensional)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    end: int
    value: Decimal
    decimals: int
    commas: bool
    point: str
    least: Decimal | None
    most: Decimal | None


def number(text: str, rng: random.Random) -> Edited | Unedited:
    """Give one number of a text another value.

    The new value keeps the number's decimals and thousands marks and lies at least a fifth away. A
    p value and any other number below 1 stay below it, a share stays at most 100 %, and the ends
    of a range stay in order. Digits that belong to
    a name, a year, a power, a link or the level of an interval are left alone; a number word from
    two to twelve is changed where a text has no digits to change.
    """
    found = list(_numbers(text))
    rng.shuffle(found)
    for place in found:
        values = _values(place)
        if values:
            new = _written(place, rng.choice(values))
            return edited("number", text, [(place.start, place.end, new)])
    words = [match for match in _WORD.finditer(text) if not _NOT_COUNT.match(text, match.end())]
    if not words:
        return Unedited("no number in the text that can be changed")
    match = rng.choice(words)
    count = _WORDS.index(match.group().lower()) + 2
    others = [word for at, word in enumerate(_WORDS, start=2) if _far(Decimal(count), Decimal(at))]
    near = [word for word in others if abs(_WORDS.index(word) + 2 - count) <= 3]
    new = cased_like(match.group(), rng.choice(near or others))
    return edited("number", text, [(match.start(), match.end(), new)])


def _numbers(text: str) -> Iterator[_Found]:
    for match in _DIGITS.finditer(text):
        start, end = match.span()
        before = text[max(0, start - 24) : start]
        p_value = _P_VALUE.search(before)
        if not p_value and (_NAME_BEFORE.search(before) or _LABEL_BEFORE.search(before)):
            continue
        if _NAME_AFTER.match(text, end) or _LEVEL_AFTER.match(text, end):
            continue
        written = match.group()
        value = Decimal(written.replace(",", "").replace("·", "."))
        point = "·" if "·" in written else "."
        decimals = len(written.partition(point)[2])
        if _is_year(written, text, end) or (
            len(written) > 1 and written[0] == "0" and not decimals
        ):
            continue
        if sum(map(str.isdigit, written)) > _MOST_DIGITS:
            continue
        least, most = _limits(text, match, value, p_value=bool(p_value))
        yield _Found(start, end, value, decimals, "," in written, point, least, most)


def _is_year(written: str, text: str, end: int) -> bool:
    plain = len(written) == 4 and written.isdigit() and 1900 <= int(written) <= 2099
    return plain and not re.match(
        r"\s?(?:%|[mkµμn]?[gl]\b|patients|participants|subjects)", text[end:]
    )


def _limits(
    text: str, match: re.Match[str], value: Decimal, *, p_value: bool
) -> tuple[Decimal | None, Decimal | None]:
    """Return how small and how large the new value may be."""
    least: Decimal | None = None
    most: Decimal | None = None
    share = re.match(r"\s?(?:%|per\s?cent)", text[match.end() : match.end() + 9]) is not None
    if share and value <= 100:
        most = Decimal(100)
    elif p_value or value < 1:
        most = Decimal("0.99")
    if _DASH_BEFORE.search(text[max(0, match.start() - 8) : match.start()]):
        least = value
    elif _DASH_AFTER.match(text, match.end()):
        most = value
    return least, most


def _values(found: _Found) -> list[Decimal]:
    step = Decimal(1).scaleb(-found.decimals)
    if found.value == 0:
        tried = [step, 2 * step, 3 * step]
    else:
        tried = [found.value * Decimal(factor) for factor in _FACTORS]
        tried += [found.value - step, found.value + step]
    rounded = dict.fromkeys(value.quantize(step, ROUND_HALF_UP) for value in tried)
    return [value for value in rounded if value > 0 and _fits(found, value)]


def _fits(found: _Found, value: Decimal) -> bool:
    return (
        _far(found.value, value)
        and (found.least is None or value >= found.least)
        and (found.most is None or value <= found.most)
    )


def _far(old: Decimal, new: Decimal) -> bool:
    return abs(new - old) >= _APART * max(old, new) and new != old


def _written(found: _Found, value: Decimal) -> str:
    form = f"{value:,.{found.decimals}f}" if found.commas else f"{value:.{found.decimals}f}"
    return form.replace(".", found.point)
