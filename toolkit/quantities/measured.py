"""A number with its sign and its unit, and what stands before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from toolkit.quantities.lexer import Token
from toolkit.quantities.numerals import Number, number_at
from toolkit.quantities.quantity import Comparator
from toolkit.quantities.unit_reader import unit_at
from toolkit.quantities.units import Unit, named_unit, plain

__all__ = ["Measured", "comparator_before", "is_signed", "measured_at", "sign_read", "time_before"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A number with its sign and its unit.

    Attributes:
        value: the number with its sign.
        step: the size of its last digit.
        start: first character, sign and currency included.
        end: one past the last character, unit included.
        index: the first token of the digits or words.
        after: the first token behind it.
        bare: the first token behind the number without its unit.
        unit: the unit, or None.
        number: the number as it was read.
    """

    value: float
    step: float
    start: int
    end: int
    index: int
    after: int
    bare: int
    unit: Unit | None
    number: Number


_MONEY: Final = {"$": plain("dollar"), "€": plain("euro"), "£": plain("pound sterling")}


def measured_at(tokens: Sequence[Token], index: int) -> Measured | None:
    """Return the number that starts at a token, which may be a sign or a currency, or None."""
    first, at = index, index
    if at >= len(tokens):
        return None
    negative = tokens[at].text == "-"
    if tokens[at].text in ("-", "+"):
        at += 1
    money = _MONEY.get(tokens[at].text) if at < len(tokens) else None
    if money is not None:
        at += 1
    if at >= len(tokens) or (at > first and tokens[at].kind not in ("numeral", "power")):
        return None
    number = number_at(tokens, at)
    if number is None:
        return None
    unit, after = (money, number.after) if money else unit_at(tokens, number.after)
    return Measured(
        value=-number.value if negative else number.value,
        step=number.step,
        start=tokens[first].start,
        end=tokens[after - 1].end,
        index=at,
        after=after,
        bare=number.after,
        unit=unit,
        number=number,
    )


def is_signed(tokens: Sequence[Token], index: int) -> bool:
    """Say whether a plus or minus at a token is the sign of the number behind it."""
    if tokens[index].text not in ("-", "+") or index + 1 >= len(tokens):
        return False
    following = tokens[index + 1]
    if following.kind not in ("numeral", "power") or following.start != tokens[index].end:
        return False
    if index == 0:
        return True
    before = tokens[index - 1]
    if before.end == tokens[index].start:
        return before.text in "([{=<>≤≥~,;:/|"
    return before.kind not in ("numeral", "power")


_SIGNS: Final[dict[str, Comparator]] = {
    **{"<": "<", ">": ">", "≤": "<=", "≥": ">=", "=": "=", "~": "~"},
}
_WORDS: Final[dict[str, Comparator]] = {
    **{"over": "~>", "above": "~>", "exceeding": "~>", "exceeded": "~>", "exceeds": "~>"},
    **{"beyond": "~>", "minimum": "~>", "below": "~<", "under": "~<", "maximum": "~<"},
    **{"about": "~", "approximately": "~", "around": "~", "roughly": "~", "circa": "~"},
    **{"ca": "~", "approx": "~", "some": "~", "estimated": "~", "nearly": "~", "almost": "~"},
}
_THAN: Final[dict[str, Comparator]] = {
    **dict.fromkeys(("more", "greater", "higher", "larger", "longer", "older"), "~>"),
    **dict.fromkeys(("less", "fewer", "lower", "smaller", "shorter", "younger"), "~<"),
}
_TWO_WORDS: Final[dict[tuple[str, str], Comparator]] = {
    **{("at", "least"): "~>", ("at", "most"): "~<", ("up", "to"): "~<", ("close", "to"): "~"},
}


def sign_read(tokens: Sequence[Token], end: int) -> tuple[Comparator, int]:
    """Return the comparison written right before a token, and the token it starts at.

    ``<``, ``<=``, ``=<``, ``</=`` and ``< or =`` are known; empty when there is none.
    """
    last = tokens[end - 1].text if end else ""
    if last not in _SIGNS:
        return "", end
    found, start = _SIGNS[last], end - 1
    for gap in (1, 2):
        at = start - gap
        between = tokens[at + 1].low if gap == 2 and at >= 0 else ""
        if at >= 0 and last in "=<>" and between in ("", "or", "/"):
            pair = {tokens[at].text, last}
            if pair == {"<", "="}:
                return "<=", at
            if pair == {">", "="}:
                return ">=", at
    return found, start


def comparator_before(tokens: Sequence[Token], index: int) -> Comparator:
    """Return what compares the number that starts at a token, in signs or in words."""
    sign, _ = sign_read(tokens, index)
    if sign or not index:
        return sign
    last = tokens[index - 1].low
    before = tokens[index - 2].low if index > 1 else ""
    if last == "than":
        return _THAN.get(before, "")
    if last in ("a", "an", "only", "just", "the"):
        return comparator_before(tokens, index - 1)
    return _TWO_WORDS.get((before, last)) or _WORDS.get(last, "")


def time_before(tokens: Sequence[Token], index: int) -> Unit | None:
    """Return the unit of *week* in *week 12*, or None where no such word numbers the number."""
    at = index - 1
    if at > 0 and tokens[at].text in ("-", "and", ",", "or", "to"):
        # On days 7 and 14: only a word before a number that it numbers itself.
        if tokens[at].text == "-" and tokens[at - 1].kind == "word":
            at -= 1
        elif at > 1 and tokens[at - 1].kind == "numeral" and tokens[at - 2].low.endswith("s"):
            index, at = at - 1, at - 2
    if at < 0 or tokens[at].kind != "word" or len(tokens[at].text) < 3:
        return None
    unit = named_unit(tokens[at].text)
    if unit is None or unit.above != ("time",) or unit.below:
        return None
    counted = at > 0 and (
        tokens[at - 1].kind in ("numeral", "power")
        or tokens[at - 1].low in ("per", "a", "an", "each", "every", "-", "/", "one", "first")
        or number_at(tokens, at - 1) is not None
    )
    return None if counted else unit
