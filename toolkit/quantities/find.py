"""Find the quantities of a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from toolkit.quantities.lexer import Token, read
from toolkit.quantities.measured import (
    Measured,
    comparator_before,
    is_signed,
    measured_at,
    time_before,
)
from toolkit.quantities.multiples import MULTIPLE_WORDS, multiple_at
from toolkit.quantities.names import reference_end, skip_name
from toolkit.quantities.numerals import NUMBER_WORDS
from toolkit.quantities.phrases import names_something
from toolkit.quantities.quantity import Kind, Quantity
from toolkit.quantities.statistics_words import (
    STATISTICS_WORDS,
    interval_at,
    p_value_at,
    statistic_before,
)
from toolkit.quantities.unit_reader import unit_at
from toolkit.quantities.units import COUNT, FOLD, PERCENT, YEAR, Unit

__all__ = ["find_quantities"]

Found = tuple[Quantity | None, int]


def find_quantities(text: str) -> list[Quantity]:
    """Return the quantities of a text in order; none overlap.

    Found are numbers in digits and in English words with their units, ranges, ``mean ± SD``,
    percentages and fractions, n of N, p-values, confidence intervals, ratios, powers of ten,
    multiples (*twofold*, *twice daily*) and years. Names that hold digits (HER2, type 2, COVID-19),
    references, list numbers, ordinals and dates in digits are none.

    Args:
        text: any text; its time is linear in its length.
    """
    folded, tokens = read(text)
    found: list[Quantity] = []
    index = 0
    while index < len(tokens):
        quantity, index = _next(tokens, index)
        if quantity is not None:
            found.append(quantity)
    _share_units(found, folded)
    return found


_LIST_WORDS: Final = frozenset(("and", "or", "vs", "versus", "v", "vs.", "to", "against"))


def _share_units(found: list[Quantity], folded: str) -> None:
    """Give the unit that ends a list to all of it: *5, 10 and 20 mg*, *35 vs 40%*."""
    inherited = False
    for index in range(len(found) - 2, -1, -1):
        here, following = found[index], found[index + 1]
        joint = folded[here.end : following.start].strip()[:12]
        listed = joint.strip(" ,").lower() in _LIST_WORDS or (joint == "," and inherited)
        alone = here.kind == "number" and here.unit is None
        inherited = listed and alone and following.unit is not None
        if inherited:
            unit = following.unit
            found[index] = replace(here, unit=unit, kind=_kind(unit))


def _next(tokens: Sequence[Token], index: int) -> Found:
    """Return what starts at a token and where to go on; at least one token is used up."""
    kind, low = tokens[index].kind, tokens[index].low
    if kind == "name" or (kind == "word" and low not in _STARTS):
        return None, index + 1
    readers = _SIGN_READERS if kind == "sign" else _WORD_READERS if kind == "word" else _DIGITS
    for reader in readers:
        found = reader(tokens, index)
        if found is not None:
            return found
    return None, index + 1


def _reference(tokens: Sequence[Token], index: int) -> Found | None:
    end = reference_end(tokens, index)
    return None if end is None else (None, end)


def _signed(tokens: Sequence[Token], index: int) -> Found | None:
    if tokens[index].text in "$€£" or is_signed(tokens, index):
        return _numeric(tokens, index)
    return None


def _multiple(tokens: Sequence[Token], index: int) -> Found | None:
    return multiple_at(tokens, index)


def _numeric(tokens: Sequence[Token], index: int) -> Found | None:
    measured = measured_at(tokens, index)
    if measured is None or measured.value in (float("inf"), float("-inf")):
        return None
    skipped = skip_name(tokens, measured.index, after=measured.bare)
    if skipped is not None:
        return None, skipped
    for reader in (_ratio, _share, _spread, _range):
        found = reader(tokens, index, measured)
        if found is not None:
            return found
    return _single(tokens, index, measured)


_STARTS: Final = MULTIPLE_WORDS | NUMBER_WORDS | STATISTICS_WORDS
"""Words that a quantity can begin with; most words of a text need no further look."""
_SIGN_READERS: Final[tuple[Callable[[Sequence[Token], int], Found | None], ...]] = (
    _reference,
    _signed,
)
_WORD_READERS: Final[tuple[Callable[[Sequence[Token], int], Found | None], ...]] = (
    interval_at,
    p_value_at,
    _multiple,
    _numeric,
)
_DIGITS: Final[tuple[Callable[[Sequence[Token], int], Found | None], ...]] = (
    interval_at,
    _numeric,
)


def _text(tokens: Sequence[Token], index: int) -> str:
    return tokens[index].low if 0 <= index < len(tokens) else ""


def _ratio(tokens: Sequence[Token], index: int, first: Measured) -> Found | None:
    """Read 3:1 and 1:1:2; a time of day such as 08:30 is no quantity."""
    values, steps, last = [first.value], [first.step], first
    while _text(tokens, last.bare) == ":" and last.unit is None:
        following = measured_at(tokens, last.bare + 1)
        close = tokens[last.bare].start == tokens[last.bare - 1].end
        if following is None or following.number.spelled or not close:
            break
        values.append(following.value)
        steps.append(following.step)
        last = following
    if len(values) == 1:
        return None
    digits = [len(tokens[one.index].text) for one in (first, last)]
    if len(values) == 2 and digits == [2, 2] and first.value < 25 and last.value < 60:
        return None, last.after
    end = tokens[last.bare - 1].end
    return _make("ratio", first.start, end, values, steps, FOLD), last.bare


def _share(tokens: Sequence[Token], index: int, first: Measured) -> Found | None:
    """Read 12/34, 12 of 34, 12 out of 34, one in eight."""
    if first.unit is not None or first.number.fraction or first.value != int(first.value):
        return None
    at = _share_joint(tokens, first.bare)
    if at is None:
        return None
    second = measured_at(tokens, at)
    if second is None or second.number.fraction or second.value != int(second.value):
        return None
    pressure = second.unit is not None and second.unit.above == ("pressure",)
    if pressure:
        values, steps = [first.value, second.value], [first.step, second.step]
        return _make("range", first.start, second.end, values, steps, second.unit), second.after
    if second.unit not in (None, COUNT) or not 0 <= first.value <= second.value or not second.value:
        return None
    joint = _text(tokens, first.bare)
    if _is_year(tokens, second) and (joint == "in" or _is_year(tokens, first)):
        return None
    quantity = Quantity(
        start=first.start,
        end=tokens[second.bare - 1].end,
        kind="share",
        values=(first.value, second.value),
        steps=(0.0, 0.0),
        unit=COUNT,
        comparator=comparator_before(tokens, index),
    )
    return quantity, second.bare


def _share_joint(tokens: Sequence[Token], at: int) -> int | None:
    joint = _text(tokens, at)
    if joint == "/":
        touching = at + 1 < len(tokens) and tokens[at + 1].start - tokens[at - 1].end <= 3
        return at + 1 if touching else None
    if joint == "out" and _text(tokens, at + 1) == "of":
        at, joint = at + 1, "of"
    if joint not in ("of", "in"):
        return None
    at += 1
    if joint == "in" and _text(tokens, at) in ("every", "each"):
        return at + 1
    if joint == "of":
        while _text(tokens, at) in ("the", "these", "all", "our", "a", "total", "of", "those"):
            at += 1
    return at


def _spread(tokens: Sequence[Token], index: int, first: Measured) -> Found | None:
    at = first.after
    if _text(tokens, at) == "±":
        at += 1
    elif _text(tokens, at) == "+" and _text(tokens, at + 1) in ("-", "/"):
        at += 2 if _text(tokens, at + 1) == "-" else 3
    else:
        return None
    second = measured_at(tokens, at)
    if second is None or second.number.spelled:
        return None
    unit = second.unit or first.unit
    values, steps = [first.value, second.value], [first.step, second.step]
    return _make("spread", first.start, second.end, values, steps, unit), second.after


_FROM: Final = frozenset(("range", "ranges", "ranged", "ranging", "varied", "varying", "interval"))


def _range(tokens: Sequence[Token], index: int, first: Measured) -> Found | None:
    """Read 12-15 mg, 12 to 15, between 12 and 15; from 12 to 15 is a change of two numbers."""
    joint = _text(tokens, first.after)
    before = _before_comparison(tokens, index)
    if joint == "and" and before != "between":
        return None
    if joint not in ("-", "~", "to", "and", "through"):
        return None
    changed = before == "from" and _text(tokens, index - 2) not in _FROM
    if joint in ("to", "through") and changed:
        return None
    at = first.after + 1
    if joint == "-" and _text(tokens, at) == "to" and _text(tokens, at + 1) == "-":
        at += 2
    second = measured_at(tokens, at)
    if second is None or second.number.fraction or (joint == "-" and second.number.spelled):
        return None
    if skip_name(tokens, second.index, after=second.bare) is not None and joint != "-":
        return None
    if None not in (first.unit, second.unit) and first.unit != second.unit:
        return None
    unit = second.unit or first.unit
    values, steps = [first.value, second.value], [first.step, second.step]
    if _is_year(tokens, first) and unit is None:
        unit, steps = YEAR, [0.0, 0.0]
        if second.value < 100:
            values[1] = second.value + first.value // 100 * 100
    return _make("range", first.start, second.end, values, steps, unit), second.after


def _before_comparison(tokens: Sequence[Token], index: int) -> str:
    return _text(tokens, index - 1)


def _is_year(tokens: Sequence[Token], measured: Measured) -> bool:
    text = tokens[measured.index].text
    digits = len(text) == 4 and text.isdigit() and measured.bare == measured.index + 1
    return digits and measured.unit is None and 1900 <= measured.value < 2100


def _single(tokens: Sequence[Token], index: int, measured: Measured) -> Found:
    number, unit = measured.number, measured.unit
    if number.fraction:
        return _fraction(tokens, measured)
    comparator = comparator_before(tokens, index)
    if number.spelled and number.value == 1.0 and unit in (None, COUNT):
        # "One" is a pronoun or an article as a rule, also before a noun.
        return None, number.after
    if unit is None:
        unit = statistic_before(tokens, index) or time_before(tokens, index)
    if unit is None:
        unit = _unit_behind_bracket(tokens, measured.bare)
    if unit is None and _counts(tokens, measured):
        unit = COUNT
    if unit is None and _is_year(tokens, measured):
        unit = YEAR
    quantity = Quantity(
        start=measured.start,
        end=measured.end,
        kind=_kind(unit),
        values=(measured.value,),
        steps=(0.0 if unit == YEAR else measured.step,),
        unit=unit,
        comparator=comparator,
        signed=tokens[index].text in ("+", "-"),
        readings=number.readings,
    )
    return quantity, measured.after


_MAX_ASIDE: Final = 14


def _unit_behind_bracket(tokens: Sequence[Token], at: int) -> Unit | None:
    """Return the unit of *54 (SD 9) years*, where a spread stands before it."""
    if _text(tokens, at) not in ("(", "["):
        return None
    for close in range(at + 1, min(at + _MAX_ASIDE, len(tokens))):
        if tokens[close].text in (")", "]"):
            return unit_at(tokens, close + 1)[0]
    return None


def _counts(tokens: Sequence[Token], measured: Measured) -> bool:
    """Say whether a whole number counts the things that follow: *8 patterns*, not *65 or older*."""
    at = measured.bare
    if measured.value != int(measured.value) or measured.step != 1 or _is_year(tokens, measured):
        return False
    if at >= len(tokens) or tokens[at].kind != "word" or tokens[at].start == tokens[at - 1].end:
        return False
    return names_something(tokens[at].low)


def _fraction(tokens: Sequence[Token], measured: Measured) -> Found:
    """Read *half of them* as a percentage and *half a year* as a measure."""
    number, unit, after = measured.number, measured.unit, measured.after
    if _text(tokens, measured.index - 1) in _WHICH_HALF:
        return None, number.after
    if unit is None and _text(tokens, after) in ("a", "an"):
        unit, after = unit_at(tokens, after + 1)
    if unit is not None and unit.above == ("time",):
        end = tokens[after - 1].end
        return _make("measure", measured.start, end, [number.value], [0.0], unit), after
    quantity = Quantity(
        start=number.start,
        end=number.end,
        kind="percent",
        values=(100 * number.value,),
        steps=(100 * number.step,),
        unit=PERCENT,
        comparator=comparator_before(tokens, measured.index),
    )
    return quantity, number.after


_WHICH_HALF: Final = frozenset(("first", "second", "latter", "other", "lower", "upper"))


def _kind(unit: Unit | None) -> Kind:
    if unit is None or unit == COUNT:
        return "number"
    if unit == PERCENT:
        return "percent"
    if unit == YEAR:
        return "year"
    if unit == FOLD or any(name.endswith(" ratio") for name in unit.above):
        return "ratio"
    return "measure"


def _make(
    kind: Kind,
    start: int,
    end: int,
    values: Sequence[float],
    steps: Sequence[float],
    unit: Unit | None,
) -> Quantity:
    return Quantity(
        start=start, end=end, kind=kind, values=tuple(values), steps=tuple(steps), unit=unit
    )
