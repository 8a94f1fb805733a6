"""Which statements of direction of one text another text bears out, and which it contradicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from toolkit.quantities.directions import Statement, find_directions

__all__ = ["Directions", "compare_directions"]


@dataclass(frozen=True, slots=True)
class Directions:
    """What became of an output's statements of direction.

    Attributes:
        agreeing: the input says the same of the same outcome.
        changed: the input says only something else of the same outcome.
        unmatched: the input says nothing that compares, or contradicts itself.
    """

    agreeing: tuple[Statement, ...]
    changed: tuple[Statement, ...]
    unmatched: tuple[Statement, ...]


def compare_directions(output: str, input: str) -> Directions:
    """Hold an output's statements of direction against those of its input.

    Two statements compare when they are on one axis, or one of them denies a change; when the words
    of one outcome are among those of the other, which may have as many again; and when the agents
    or groups they name, if both name some, share a word; where one denies what the other states,
    one must be part of the other. Where they are those of a comparison the other way round
    (*higher with A than with B*, *lower with B*), the sign is turned. What the
    input only holds possible is left aside. A statement of the output is changed when all that
    compares with it in the input says one thing, and another than it does; where the input says
    both, nothing can be told.

    Args:
        output: a generated text; the positions are in it.
        input: what its author was shown.
    """
    known = _statements(input)
    parts: dict[str, list[Statement]] = {"agreeing": [], "changed": [], "unmatched": []}
    for statement in find_directions(output):
        signs = known.signs(statement)
        if statement.sign in signs:
            parts["agreeing"].append(statement)
        elif len(signs) == 1:
            parts["changed"].append(statement)
        else:
            parts["unmatched"].append(statement)
    return Directions(*(tuple(parts[name]) for name in ("agreeing", "changed", "unmatched")))


@lru_cache(maxsize=256)
def _statements(input: str) -> _Known:
    return _Known(find_directions(input))


class _Known:
    """The statements of an input, found by the words of their outcomes."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self._by_stem: dict[str, list[Statement]] = {}
        # Repeated statements say nothing new, and a hostile text may repeat one without end.
        seen: set[tuple[object, ...]] = set()
        for statement in statements:
            key = (
                statement.axis,
                statement.sign,
                statement.outcome,
                statement.agent,
                statement.group,
                statement.other,
            )
            if key not in seen and not statement.hedged:
                seen.add(key)
                for stem in statement.outcome:
                    self._by_stem.setdefault(stem, []).append(statement)

    def signs(self, wanted: Statement) -> set[int]:
        """Return the signs that the input gives to the outcome of a statement."""
        signs: set[int] = set()
        for stem in sorted(wanted.outcome):
            for found in self._by_stem.get(stem, ())[:_MOST]:
                sign = _comparable(wanted, found)
                if sign is not None:
                    signs.add(sign)
        return signs


_MOST: Final = 200
"""Statements looked at for one word: a text that says more of it is no abstract."""


_ALIKE: Final = 0.5
"""Least share of the words of two outcomes that are common, where who is meant is known."""
_VERY_ALIKE: Final = 0.6


def _comparable(wanted: Statement, found: Statement) -> int | None:
    """Return the sign that a statement of the input gives to a wanted one, or None."""
    if wanted.axis != found.axis and wanted.sign and found.sign:
        return None
    if not (wanted.outcome <= found.outcome or found.outcome <= wanted.outcome):
        return None
    alike = len(wanted.outcome & found.outcome) / len(wanted.outcome | found.outcome)
    here, there = wanted.agent | wanted.group, found.agent | found.group
    if wanted.axis == "rank" and not (here and there):
        return None
    turned = (here & found.other) or (there & wanted.other)
    if not turned and not (here and there):
        return found.sign if alike >= _VERY_ALIKE else None
    if alike < _ALIKE:
        return None
    same = wanted.agent & found.agent if wanted.agent and found.agent else here & there
    denied = found.sign != wanted.sign and 0 in (found.sign, wanted.sign)
    if same and denied and not (here <= there or there <= here):
        # No change in some is no contradiction of a change in others.
        return None
    if same:
        return None if turned else found.sign
    return -found.sign if turned else None
