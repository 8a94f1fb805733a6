"""Numbers written in digits or in words, with the size of their last digit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from toolkit.quantities.lexer import Token

__all__ = ["NUMBER_WORDS", "Number", "number_at"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number at some place.

    Attributes:
        value: the number, its sign included.
        step: the size of its last digit, 0 where it is exact.
        start: first character.
        end: one past the last character.
        after: index of the first token after it.
        spelled: it is written in words.
        fraction: it is a share such as *two thirds*.
        readings: other numbers that the same characters may stand for.
    """

    value: float
    step: float
    start: int
    end: int
    after: int
    spelled: bool = False
    fraction: bool = False
    readings: tuple[float, ...] = ()


def number_at(tokens: Sequence[Token], index: int) -> Number | None:
    """Return the number that starts at a token, or None.

    The sign in front of it is the caller's business: a dash may be a range or a hyphen.
    """
    token = tokens[index]
    if token.kind == "word":
        return _spelled(tokens, index)
    if token.kind == "power":
        return _power(token, index)
    if token.kind != "numeral":
        return None
    value, step, readings = _digits(token.text)
    number = Number(
        value=value,
        step=step,
        start=token.start,
        end=token.end,
        after=index + 1,
        readings=readings,
    )
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    if following is None:
        return number
    if following.text in _VULGAR and following.start == token.end:
        whole = value + _VULGAR[following.text]
        return _replaced(number, whole, 0.0, following, index + 2)
    if following.low in _MULTIPLIERS:
        factor = _MULTIPLIERS[following.low]
        return _replaced(number, value * factor, step * factor, following, index + 2)
    return number


def _replaced(number: Number, value: float, step: float, last: Token, after: int) -> Number:
    return Number(value=value, step=step, start=number.start, end=last.end, after=after)


_VULGAR: Final = {
    **{"½": 1 / 2, "⅓": 1 / 3, "⅔": 2 / 3, "¼": 1 / 4, "¾": 3 / 4},
    **{"⅕": 1 / 5, "⅖": 2 / 5, "⅗": 3 / 5, "⅘": 4 / 5, "⅛": 1 / 8},
}
_MULTIPLIERS: Final = {
    **{"thousand": 1e3, "thousands": 1e3, "million": 1e6, "millions": 1e6},
    **{"billion": 1e9, "billions": 1e9, "trillion": 1e12},
}
_GROUPED: Final = re.compile(r"([1-9]\d{0,2})((?:[ ,]\d{3})++)([.·]\d++)?+")
_MAX_DIGITS: Final = 300
"""Beyond it a float overflows; such a run of digits is no number that a text means."""


def _digits(text: str) -> tuple[float, float, tuple[float, ...]]:
    """Return value, size of the last digit, and other readings of a plain numeral."""
    if text in _VULGAR:
        return _VULGAR[text], 0.0, ()
    if len(text) > _MAX_DIGITS:
        return float("inf"), 0.0, ()
    readings: tuple[float, ...] = ()
    grouped = _GROUPED.fullmatch(text)
    if grouped:
        if " " in text:
            readings = tuple(float(part) for part in text.replace("·", ".").split(" "))
        text = text.replace(",", "").replace(" ", "")
    elif "," in text:
        readings = tuple(float(part) for part in text.split(","))
        text = text.replace(",", ".")
    text = text.replace("·", ".")
    decimals = len(text) - text.index(".") - 1 if "." in text else 0
    return float(text), 10.0**-decimals, readings


_POWER: Final = re.compile(r"(?:(\d+(?:[.·]\d+)?)\s?[x×X*·]\s?)?10(.*)")
_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_EXPONENT: Final = re.compile(r"[-+]?\d+")


def _power(token: Token, index: int) -> Number | None:
    written = _POWER.fullmatch(token.text)
    if written:
        mantissa, tail = written[1], written[2]
        # A bare power states an order of magnitude exactly.
        value, step, _ = _digits(mantissa) if mantissa else (1.0, 0.0, ())
        exponent = _EXPONENT.search(tail.translate(_SUPERSCRIPTS))
        shown = int(exponent.group()) if exponent else 0
    else:
        mantissa, _, tail = token.low.partition("e")
        value, step, _ = _digits(mantissa)
        shown = int(tail)
    if abs(shown) > _MAX_DIGITS or len(token.text) > _MAX_DIGITS:
        return None
    return Number(
        value=_scaled(value, shown),
        step=_scaled(step, shown),
        start=token.start,
        end=token.end,
        after=index + 1,
    )


def _scaled(value: float, exponent: int) -> float:
    """Return value * 10**exponent as the nearest float, so that 1.2e-3 is 0.0012 exactly."""
    return float(f"{value!r}e{exponent}") if "e" not in repr(value) else value * 10.0**exponent


_ONES: Final = {
    word: value
    for value, word in enumerate(
        (
            *(
                "zero",
                "one",
                "two",
                "three",
                "four",
                "five",
                "six",
                "seven",
                "eight",
                "nine",
                "ten",
            ),
            *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
            *("eighteen", "nineteen"),
        )
    )
}
_TENS: Final = {
    word: 10 * value
    for value, word in enumerate(
        ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), start=2
    )
}
_TENS["fourty"] = 40
_SCALES: Final = {"hundred": 100.0, **_MULTIPLIERS, "dozen": 12.0}
_PARTS: Final = {
    **{"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4},
    **{"fourth": 4, "fourths": 4, "fifth": 5, "fifths": 5, "sixth": 6, "sixths": 6},
    **{"seventh": 7, "sevenths": 7, "eighth": 8, "eighths": 8, "ninth": 9, "ninths": 9},
    **{"tenth": 10, "tenths": 10},
}
NUMBER_WORDS: Final = frozenset((*_ONES, *_TENS, "half", "halves", "a", "an"))
"""Words in lower case that a number can begin with."""
_FRACTION_STEP: Final = 0.04
"""A fraction in words stands for all shares within two percentage points of it."""


_HALVED: Final = frozenset(("year", "hour", "day", "month", "minute", "dose"))


def _spelled(tokens: Sequence[Token], index: int) -> Number | None:
    fraction = _fraction(tokens, index)
    if fraction is not None:
        return fraction
    after, total, part, digits = index, 0.0, 0.0, 0
    while after < len(tokens):
        word = tokens[after].low
        if word in ("a", "an") and after == index:
            if not _word(tokens, after + 1, _SCALES):
                return None
            part = 1.0
        elif word in _TENS and part % 100 == 0:
            part += _TENS[word]
        elif word in _ONES and _fits(part, _ONES[word]):
            part += _ONES[word]
        elif word in _SCALES and (part or digits):
            part, total = _multiply(part, total, _SCALES[word])
        elif not (_joins(tokens, after) and after > index):
            break
        digits += 1
        after += 1
    if not digits:
        return None
    last = tokens[after - 1]
    return Number(
        value=total + part,
        step=1.0,
        start=tokens[index].start,
        end=last.end,
        after=after,
        spelled=True,
    )


def _fits(part: float, ones: int) -> bool:
    """Say whether a word below twenty goes on with a number: *forty five*, not *two five*."""
    if part == 0:
        return True
    return part % 100 == 0 or (part % 100 >= 20 and part % 10 == 0 and 0 < ones < 10)


def _multiply(part: float, total: float, scale: float) -> tuple[float, float]:
    if scale in (100.0, 12.0):
        return part * scale, total
    return 0.0, total + part * scale


def _joins(tokens: Sequence[Token], after: int) -> bool:
    """Say whether a hyphen (twenty-one) or an *and* (hundred and two) stands inside a number."""
    token = tokens[after]
    if after + 1 >= len(tokens) or after == 0:
        return False
    following, before = tokens[after + 1].low, tokens[after - 1].low
    if token.text == "-":
        return (before in _TENS and following in _ONES) or following in _SCALES
    if token.low == "and":
        return before in ("hundred", "thousand") and (following in _ONES or following in _TENS)
    return False


def _word(tokens: Sequence[Token], index: int, table: dict[str, float]) -> bool:
    return index < len(tokens) and tokens[index].low in table


def _fraction(tokens: Sequence[Token], index: int) -> Number | None:
    """Return *half*, *a third of*, *two thirds*, *three-quarters*."""
    word = tokens[index].low
    after = index + 1
    if word in ("half", "halves"):
        hyphen = after < len(tokens) and tokens[after].text == "-"
        # Half-life is none; half-year and half-hour are half a unit.
        if hyphen and not (after + 1 < len(tokens) and tokens[after + 1].low in _HALVED):
            return None
        return _part(tokens, index, after, 1, 2)
    count = 1 if word in ("a", "an") else _ONES.get(word, 0)
    if not 1 <= count <= 9 or after >= len(tokens):
        return None
    if tokens[after].text == "-":
        after += 1
    if after >= len(tokens) or tokens[after].low not in _PARTS:
        return None
    name = tokens[after].low
    whole = _PARTS[name]
    # "a third" alone and "one fifth" before a noun may be an ordinal.
    article = word in ("a", "an") and whole != 2
    if article and not (after + 1 < len(tokens) and tokens[after + 1].low == "of"):
        return None
    if count > 1 and not name.endswith("s"):
        return None
    return _part(tokens, index, after + 1, count, whole)


def _part(tokens: Sequence[Token], index: int, after: int, count: int, whole: int) -> Number:
    return Number(
        value=count / whole,
        step=_FRACTION_STEP,
        start=tokens[index].start,
        end=tokens[after - 1].end,
        after=after,
        spelled=True,
        fraction=True,
    )
