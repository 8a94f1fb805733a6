"""Numbers that a word of statistics announces: p-values, confidence intervals, HR, OR, RR."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolkit.quantities.lexer import Token
from toolkit.quantities.measured import measured_at, sign_read
from toolkit.quantities.quantity import Comparator, Quantity
from toolkit.quantities.units import PERCENT, Unit, plain

__all__ = ["STATISTICS_WORDS", "interval_at", "p_value_at", "statistic_before"]

Found = tuple[Quantity | None, int]

_INTERVALS: Final = frozenset(("ci", "cis", "cri", "cl", "hdi"))
_INTERVAL_ADJECTIVES: Final = frozenset(("confidence", "credible", "credibility"))
STATISTICS_WORDS: Final = _INTERVALS | _INTERVAL_ADJECTIVES | {"p", "ps", "pvalue"}
"""Words in lower case that a confidence interval or a p-value can begin with."""
_GLUE: Final = frozenset(
    (":", "=", ",", "(", "[", "{", ")", "]", "of", "was", "is", "were", "from", "between", "range")
) | {"ranging", "ranged", "ci", "cis", "cri", "%", "the", "-"}
_BETWEEN: Final = frozenset(("-", "to", ",", ";", "and", "/", "through"))
_MAX_GLUE: Final = 8


def interval_at(tokens: Sequence[Token], index: int) -> Found | None:
    """Return the confidence interval that a token starts, by its level or by its name."""
    level, at = _level(tokens, index)
    named = _interval_name(tokens, at)
    if named is None:
        return None
    if level is None:
        inner = named
        while inner < len(tokens) and tokens[inner].text in ("(", "[", ",", ":"):
            inner += 1
        level, behind = _level(tokens, inner)
        named = named if level is None else behind
    bounds = _bounds(tokens, named)
    if bounds is None:
        return (None, named)
    low, high, unit, steps, end, after = bounds
    return (
        Quantity(
            start=tokens[index].start,
            end=end,
            kind="interval",
            values=(low, high),
            steps=steps,
            unit=unit,
            level=level,
        ),
        after,
    )


def _level(tokens: Sequence[Token], index: int) -> tuple[float | None, int]:
    if index + 1 >= len(tokens) or tokens[index].kind != "numeral":
        return None, index
    measured = measured_at(tokens, index)
    if measured is None or measured.unit != PERCENT or not 50 <= measured.value < 100:
        return None, index
    after = measured.after
    named = after + 1 < len(tokens) and tokens[after + 1].kind == "word"
    if named and tokens[after].text == "-":
        after += 1
    return measured.value, after


def _interval_name(tokens: Sequence[Token], index: int) -> int | None:
    """Return the token behind *CI* or *confidence interval*, or None."""
    if index >= len(tokens):
        return None
    word = tokens[index]
    if (word.low in _INTERVALS and word.text.isupper()) or word.text in ("CIs", "CrI", "CrIs"):
        return index + 1
    if word.low in _INTERVAL_ADJECTIVES and index + 1 < len(tokens):
        following = tokens[index + 1].low
        if following.startswith(("interval", "limit", "level", "bound")):
            return index + 2
    return None


def _bounds(
    tokens: Sequence[Token], index: int
) -> tuple[float, float, Unit | None, tuple[float, float], int, int] | None:
    at = index
    while at < len(tokens) and at < index + _MAX_GLUE and tokens[at].low in _GLUE:
        if tokens[at].text == "-" and at + 1 < len(tokens) and tokens[at + 1].kind == "numeral":
            break
        at += 1
    first = measured_at(tokens, at)
    if first is None or first.number.spelled:
        return None
    if first.after < len(tokens) and tokens[first.after].low in _BETWEEN:
        second = measured_at(tokens, first.after + 1)
        if second is not None and not second.number.spelled:
            unit = second.unit or first.unit
            steps = (first.step, second.step)
            return first.value, second.value, unit, steps, second.end, second.after
    if len(first.number.readings) == 2:
        low, high = first.number.readings
        return low, high, first.unit, (1.0, 1.0), first.end, first.after
    return None


_P_FILLERS: Final = frozenset(
    (
        *("value", "values", "for", "of", "trend", "interaction", "heterogeneity", "difference"),
        *("the", "all", "adjusted", "adj", "corrected", "was", "were", "is", "linear", "both"),
        *("each", "nominal", "logrank", "overall", "(", ")", "-", "'s", "s"),
    )
) | {"'", ","}
_MAX_FILLERS: Final = 8


def p_value_at(tokens: Sequence[Token], index: int) -> Found | None:
    """Return the p-value whose *p* is at a token."""
    if tokens[index].text not in ("p", "P", "Ps", "ps", "pvalue", "Pvalue"):
        return None
    at = index + 1
    while at < len(tokens) and at <= index + _MAX_FILLERS and tokens[at].low in _P_FILLERS:
        at += 1
    comparator, at = _comparison(tokens, at)
    measured = measured_at(tokens, at)
    if measured is None or measured.unit is not None or not 0 <= measured.value <= 1:
        return None
    if not comparator:
        # P 0.03: the sign was lost; otherwise "p value of 0.03".
        plainly = at == index + 1 and measured.value < 1 and measured.step < 1
        worded = any(token.low in ("value", "values", "of") for token in tokens[index + 1 : at])
        if not (plainly or worded):
            return None
        comparator = "="
    return (
        Quantity(
            start=tokens[index].start,
            end=measured.end,
            kind="p_value",
            values=(measured.value,),
            steps=(measured.step,),
            comparator=comparator,
        ),
        measured.after,
    )


def _comparison(tokens: Sequence[Token], index: int) -> tuple[Comparator, int]:
    """Return the comparison that starts at a token, and the token behind it."""
    at = index
    while (
        at < len(tokens)
        and at < index + 3
        and tokens[at].low in ("<", ">", "=", "≤", "≥", "or", "/")
    ):
        at += 1
    if at > index:
        sign, _ = sign_read(tokens, at)
        return sign, at
    words = tuple(token.low for token in tokens[index : index + 2])
    if words[:1] == ("~",):
        return "=", index + 1
    if words in (("less", "than"), ("lower", "than")):
        return "<", index + 2
    if words in (("greater", "than"), ("more", "than"), ("higher", "than")):
        return ">", index + 2
    if words[:1] in (("below",), ("under",)):
        return "<", index + 1
    return "", index


_STATISTICS: Final = {
    **dict.fromkeys(("hr", "hrs", "ahr", "ahrs", "shr"), plain("hazard ratio")),
    **dict.fromkeys(("or", "ors", "aor", "aors"), plain("odds ratio")),
    **dict.fromkeys(("rr", "rrs", "arr"), plain("risk ratio")),
    **dict.fromkeys(("irr", "irrs"), plain("rate ratio")),
}
_RATIOS: Final = {
    **{"hazard": plain("hazard ratio"), "hazards": plain("hazard ratio")},
    **{"odds": plain("odds ratio"), "risk": plain("risk ratio"), "rate": plain("rate ratio")},
}
_BEFORE_GLUE: Final = frozenset(("=", ":", "of", "was", "is", "(", "[", ")", "]", ",", "were", ";"))


def statistic_before(tokens: Sequence[Token], index: int) -> Unit | None:
    """Return which ratio a number is: *HR 0.75*, *odds ratio of 2.1*; None where nothing says."""
    at = index - 1
    while at >= 0 and index - at <= 3 and tokens[at].low in _BEFORE_GLUE:
        at -= 1
    if at < 0:
        return None
    word, before = tokens[at], tokens[at - 1].low if at else ""
    if word.low in _STATISTICS and any(char.isupper() for char in word.text):
        return _STATISTICS[word.low]
    if word.low in ("ratio", "ratios"):
        return _RATIOS.get(before)
    if word.low in ("risk", "risks") and before == "relative":
        return _RATIOS["risk"]
    return None
