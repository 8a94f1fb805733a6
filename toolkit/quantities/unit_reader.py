"""Read the unit behind a number: ``mg/kg/day``, ``x 10(9)/L``, ``mL min-1 1.73 m-2``, ``°C``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from toolkit.quantities.lexer import Token
from toolkit.quantities.numerals import number_at
from toolkit.quantities.units import COUNT, FOLD, PERCENT, Unit, named_unit, plain

__all__ = ["TIMES_WORDS", "daily", "unit_at"]

_NO_TERMS: Final = 5
_CELSIUS: Final = Unit(("temperature",), (), 1.0, 273.15)
_FAHRENHEIT: Final = Unit(("temperature",), (), 5 / 9, 459.67 * 5 / 9)
_DEGREES: Final = {
    **{"c": _CELSIUS, "celsius": _CELSIUS, "centigrade": _CELSIUS},
    **{"f": _FAHRENHEIT, "fahrenheit": _FAHRENHEIT},
}
_PER_MILLE: Final = plain("percent", 0.1)
_MONEY: Final = {"$": plain("dollar"), "€": plain("euro"), "£": plain("pound sterling")}
_ADVERBS: Final = {
    **{"hourly": "hour", "daily": "day", "nightly": "day", "weekly": "week", "monthly": "month"},
    **{"yearly": "year", "annually": "year"},
}
TIMES_WORDS: Final = frozenset(("a", "an", "per", "each", "every", "/"))
"""What stands between *three times* and *day*."""

_POWERED: Final = re.compile(r"([A-Za-zµ]{1,3})([23])")
_SUPER: Final = {"¹": 1, "²": 2, "³": 3}
_COMPOUNDS: Final = {
    ("mm", "hg"): "mmHg",
    ("cm", "h2o"): "cmH2O",
    ("international", "units"): "IU",
    ("international", "unit"): "IU",
    ("us", "$"): "USD",
}
_NO_DIVISORS: Final = frozenset(("", "os", "orem", "protocol", "rectum", "se", "annum", "or"))
# Symbols that are rather something else when they stand after a blank.
_ONLY_ATTACHED: Final = frozenset(("X", "G", "T", "N"))


def unit_at(tokens: Sequence[Token], index: int) -> tuple[Unit | None, int]:
    """Return the unit that starts at a token, right behind a number, and the token after it.

    Returns:
        The unit, or None and ``index`` where there is none.
    """
    hyphen = _is(tokens, index, "-") and index > 0 and _touch(tokens, index - 1)
    start = index + 1 if hyphen and _touch(tokens, index) else index
    unit, after = _simple(tokens, start, attached=_touch(tokens, start - 1))
    if unit is None:
        return None, index
    if unit == FOLD:
        return _frequency(tokens, after)
    if unit.offset or unit == PERCENT:
        return unit, after
    return _product(tokens, unit, after)


def daily(tokens: Sequence[Token], index: int) -> tuple[Unit | None, int]:
    """Return a unit of time behind *twice* or *three times*: ``daily``, ``a day``, ``per week``."""
    if index < len(tokens) and tokens[index].low in _ADVERBS:
        return named_unit(_ADVERBS[tokens[index].low]), index + 1
    if index + 1 < len(tokens) and tokens[index].low in TIMES_WORDS:
        unit = named_unit(tokens[index + 1].text)
        if unit is not None and unit.above == ("time",):
            return unit, index + 2
    return None, index


def _frequency(tokens: Sequence[Token], after: int) -> tuple[Unit, int]:
    time, end = daily(tokens, after)
    return (FOLD, after) if time is None else (FOLD.times(time, -1), end)


def _is(tokens: Sequence[Token], index: int, text: str) -> bool:
    return 0 <= index < len(tokens) and tokens[index].text == text


def _touch(tokens: Sequence[Token], index: int) -> bool:
    """Say whether a token and the next have nothing between them."""
    if not 0 <= index < len(tokens) - 1:
        return False
    return tokens[index].end == tokens[index + 1].start


def _simple(tokens: Sequence[Token], index: int, *, attached: bool) -> tuple[Unit | None, int]:
    """Return one unit without what multiplies or divides it."""
    if index >= len(tokens):
        return None, index
    token = tokens[index]
    if token.kind == "sign":
        return _sign(tokens, index)
    if token.kind != "word":
        return None, index
    following = tokens[index + 1].low if index + 1 < len(tokens) else ""
    pair = _COMPOUNDS.get((token.low, following))
    if pair is not None:
        return named_unit(pair), index + 2
    if token.low in ("degree", "degrees", "deg") and following in _DEGREES:
        return _DEGREES[following], index + 2
    if token.text in ("C", "F") and not _is(tokens, index + 1, "-"):
        return (_DEGREES[token.low], index + 1) if not attached else (None, index)
    if token.low == "per" and following == "cent":
        return PERCENT, index + 2
    return _word(tokens, index, attached=attached)


def _sign(tokens: Sequence[Token], index: int) -> tuple[Unit | None, int]:
    sign = tokens[index].text
    if sign == "%":
        return PERCENT, index + 1
    if sign == "‰":
        return _PER_MILLE, index + 1
    if sign == "°" and index + 1 < len(tokens) and tokens[index + 1].low in _DEGREES:
        return _DEGREES[tokens[index + 1].low], index + 2
    if sign == "°":
        return plain("angle"), index + 1
    if sign == "×" and not _number_follows(tokens, index + 1):
        return FOLD, index + 1
    if sign in _MONEY and _touch(tokens, index - 1) and not _number_follows(tokens, index + 1):
        return _MONEY[sign], index + 1
    return None, index


def _number_follows(tokens: Sequence[Token], index: int) -> bool:
    return index < len(tokens) and tokens[index].kind in ("numeral", "power")


def _word(tokens: Sequence[Token], index: int, *, attached: bool) -> tuple[Unit | None, int]:
    token = tokens[index]
    if token.text in _ONLY_ATTACHED and not attached and not _is(tokens, index - 1, "-"):
        return None, index
    if token.low == "x" and _number_follows(tokens, index + 1):
        return None, index
    powered = _POWERED.fullmatch(token.text)
    if powered:
        base = named_unit(powered[1])
        if base is None or base.above != ("length",):
            return None, index
        return base.times(base, int(powered[2]) - 1), index + 1
    unit = named_unit(token.text)
    if unit is None:
        return None, index
    if unit == PERCENT and index + 1 < len(tokens) and tokens[index + 1].low.startswith("point"):
        return unit, index + 2
    if unit == COUNT:
        return _person_time(tokens, index)
    if token.text == "US" or (token.text == "D" and not attached and _is(tokens, index + 1, "-")):
        return None, index
    return unit, index + 1


def _person_time(tokens: Sequence[Token], index: int) -> tuple[Unit, int]:
    """Return *patients*, or *patient-years*."""
    at = index + 2 if _is(tokens, index + 1, "-") else index + 1
    if at < len(tokens) and tokens[at].kind == "word" and not tokens[index].low.endswith("s"):
        time = named_unit(tokens[at].text)
        if time is not None and time.above == ("time",) and not time.below:
            return plain("person-time", time.factor), at + 1
    return COUNT, index + 1


def _product(tokens: Sequence[Token], unit: Unit, index: int) -> tuple[Unit, int]:
    """Go on with exponents, divisors and factors."""
    power, after = _exponent(tokens, index, first=True)
    if power == -1:
        unit = Unit(unit.below, unit.above, 1 / unit.factor)
    elif power in (2, 3):
        unit = unit.times(unit, power - 1)
    for _ in range(_NO_TERMS):
        more, end = _term(tokens, unit, after)
        if more is None:
            break
        unit, after = more, end
    return unit, after


def _exponent(tokens: Sequence[Token], index: int, *, first: bool = False) -> tuple[int, int]:
    """Return the power written behind a unit, 1 where there is none, and the token after it."""
    if index >= len(tokens) or not _touch(tokens, index - 1):
        return 1, index
    texts = [token.text for token in tokens[index : index + 4]]
    if texts[0] in _SUPER:
        return _SUPER[texts[0]], index + 1
    if texts[0] == "⁻" and len(texts) > 1 and texts[1] in _SUPER:
        return -_SUPER[texts[1]], index + 2
    allowed = ("1",) if first else ("1", "2", "3")
    if texts[0] == "-" and len(texts) > 1 and texts[1] in allowed and _touch(tokens, index):
        return -int(texts[1]), index + 2
    return _bracketed(texts, index)


def _bracketed(texts: Sequence[str], index: int) -> tuple[int, int]:
    """Return the power of ``kg(-1)``, ``cm(3)``, ``m^2`` and ``m^-2``."""
    if texts[0] not in ("(", "^"):
        return 1, index
    sign = -1 if texts[1:2] == ["-"] else 1
    digit = texts[1] if sign == 1 and len(texts) > 1 else texts[2] if len(texts) > 2 else ""
    if digit not in ("1", "2", "3"):
        return 1, index
    used = 2 if sign == 1 else 3
    if texts[0] == "(":
        if texts[used : used + 1] != [")"]:
            return 1, index
        used += 1
    return sign * int(digit), index + used


def _term(tokens: Sequence[Token], unit: Unit, index: int) -> tuple[Unit | None, int]:
    """Return the unit with one more factor or divisor, or None where there is no more."""
    if index >= len(tokens):
        return None, index
    text = tokens[index].low
    if text in ("/", "per"):
        return _divided(tokens, unit, index + 1)
    if text in ("·", ".", "×") and _touch(tokens, index - 1) and _touch(tokens, index):
        return _factor(tokens, unit, index + 1, needs_power=text == ".")
    return _factor(tokens, unit, index, needs_power=True)


def _divided(tokens: Sequence[Token], unit: Unit, index: int) -> tuple[Unit | None, int]:
    scale, at = 1.0, index
    if at < len(tokens) and tokens[at].kind == "numeral":
        written = tokens[at].text.replace(",", "").replace(" ", "").replace("·", ".")
        scale, at = float(written) if len(written) < 20 else 1.0, at + 1
    divisor, after = _simple(tokens, at, attached=True)
    if divisor is None:
        # Something per visit, per well: a unit of its own.
        word = tokens[at].low if at < len(tokens) and tokens[at].kind == "word" else ""
        if word in _NO_DIVISORS or scale != 1.0 or number_at(tokens, at) is not None:
            return None, index
        divisor, after = plain(tokens[at].low.rstrip("s")), at + 1
    power, after = _exponent(tokens, after)
    if not scale:
        return None, index
    scaled = Unit(divisor.above, divisor.below, divisor.factor * scale)
    # In mg/kg-1 the sign repeats what the stroke says.
    return unit.times(scaled, -abs(power)), after


def _factor(
    tokens: Sequence[Token], unit: Unit, index: int, *, needs_power: bool
) -> tuple[Unit | None, int]:
    scale, at = 1.0, index
    if _is(tokens, at, "1.73"):
        scale, at = 1.73, at + 1
    other, after = _simple(tokens, at, attached=True)
    if other is None or other in (FOLD, PERCENT, COUNT) or other.offset:
        return None, index
    power, end = _exponent(tokens, after)
    if needs_power and power >= 0:
        return None, index
    product = unit.times(other, power)
    # 1.73 m-2 is one over 1.73 m2: the number is not raised.
    factor = product.factor * scale if power > 0 else product.factor / scale
    return Unit(product.above, product.below, factor), end
