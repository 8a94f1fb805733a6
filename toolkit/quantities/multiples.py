"""Numbers inside words: twice, once daily, doubled, threefold, halved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolkit.quantities.lexer import Token
from toolkit.quantities.quantity import Quantity
from toolkit.quantities.unit_reader import daily
from toolkit.quantities.units import FOLD

__all__ = ["MULTIPLE_WORDS", "multiple_at"]

_VERBS: Final = {
    **{"doubled": 2.0, "doubling": 2.0, "doubles": 2.0, "twofold": 2.0, "tripled": 3.0},
    **{"tripling": 3.0, "trebled": 3.0, "threefold": 3.0, "fourfold": 4.0, "quadrupled": 4.0},
    **{"fivefold": 5.0, "sixfold": 6.0, "sevenfold": 7.0, "eightfold": 8.0, "ninefold": 9.0},
    **{"tenfold": 10.0, "hundredfold": 100.0, "halved": 0.5, "halving": 0.5},
}
_TIMES: Final = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
MULTIPLE_WORDS: Final = frozenset((*_VERBS, *_TIMES, "double"))
"""Words in lower case that a multiple can be."""


def multiple_at(tokens: Sequence[Token], index: int) -> tuple[Quantity, int] | None:
    """Return the multiple in the word at a token and the token behind it, or None."""
    word = tokens[index].low
    if word in _TIMES:
        return _times(tokens, index, _TIMES[word])
    value = _VERBS.get(word)
    if value is None and word == "double" and _next(tokens, index) in ("the", "that"):
        value = 2.0
    if value is None:
        return None
    return _quantity(tokens, index, index + 1, value), index + 1


def _times(tokens: Sequence[Token], index: int, value: float) -> tuple[Quantity, int] | None:
    at = index + 1
    hyphen = at < len(tokens) and tokens[at].text == "-"
    time, after = daily(tokens, at + 1 if hyphen else at)
    if time is None:
        # "Once" alone is a conjunction as a rule.
        if value == 1.0:
            return None
        return _quantity(tokens, index, at, value), at
    found = _quantity(tokens, index, after, value)
    return (
        Quantity(
            start=found.start,
            end=found.end,
            kind="measure",
            values=found.values,
            steps=(0.0,),
            unit=FOLD.times(time, -1),
        ),
        after,
    )


def _next(tokens: Sequence[Token], index: int) -> str:
    return tokens[index + 1].low if index + 1 < len(tokens) else ""


def _quantity(tokens: Sequence[Token], index: int, after: int, value: float) -> Quantity:
    return Quantity(
        start=tokens[index].start,
        end=tokens[after - 1].end,
        kind="ratio",
        values=(value,),
        # Words like doubled are said of 1.9 and of 2.1; halved of 0.48.
        steps=(0.1,) if value < 1 else (1.0,),
        unit=FOLD,
    )
