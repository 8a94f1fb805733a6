"""Statements of direction: what rose, fell, got better or stayed as it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from toolkit.quantities.cue_reader import (
    FoundCue,
    find_cues,
    is_predicate,
    outcome_follows,
)
from toolkit.quantities.cues import CUES, EXPOSURE, Axis
from toolkit.quantities.folding import fold
from toolkit.quantities.lexer import Token, tokenize
from toolkit.quantities.phrases import (
    outcome_before,
    phrase_before,
    phrase_end,
    rival,
    stems,
    tail,
)

__all__ = ["Statement", "find_directions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A statement of direction.

    Attributes:
        start: first character of the words that state it, a negation included.
        end: one past the last character.
        axis: ``amount`` (up, down), ``quality`` (better, worse) or ``rank`` (superior, inferior).
        sign: 1, -1, or 0 for no change, no difference and what is denied.
        outcome: stems of the words of what rose or fell.
        group: stems of the words of where, in whom or by what; may be empty.
        other: stems of what it is compared with; may be empty.
    """

    start: int
    end: int
    axis: Axis
    sign: int
    outcome: frozenset[str]
    group: frozenset[str] = frozenset()
    other: frozenset[str] = frozenset()


def find_directions(text: str) -> list[Statement]:
    """Return the statements of direction in a text, in order.

    Aims, questions and demands (*whether it reduces*, *in order to improve*) state nothing and are
    left out, and so are statements whose outcome is not named.

    Args:
        text: any text; its time is linear in its length.
    """
    found: list[Statement] = []
    for clause in _clauses(tokenize(fold(text))):
        found.extend(_statements(clause))
    return found


_BREAKS: Final = frozenset(
    ("but", "while", "whereas", "although", "though", "yet", "however", ";", ":", "?", "!")
)
_AIMS: Final = frozenset(
    (
        *("whether", "aim", "aims", "aimed", "objective", "purpose", "hypothesized"),
        *("hypothesised", "hypothesis", "hypothesize", "investigate", "determine", "sought"),
    )
)
_MAX_CLAUSE: Final = 80
"""Longer clauses are cut, so that looking both ways from each cue stays linear."""


def _clauses(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Cut at ends of sentences and where a contrast begins; commas stay inside."""
    clause: list[Token] = []
    aim = False
    for index, token in enumerate(tokens):
        ends = token.text == "." and _ends_sentence(tokens, index)
        aim = aim or token.low in _AIMS
        if not (ends or token.low in _BREAKS):
            clause.append(token)
            if len(clause) < _MAX_CLAUSE:
                continue
        if clause and not aim:
            yield clause
        clause = []
        aim = aim and not ends
    if clause and not aim:
        yield clause


def _ends_sentence(tokens: Sequence[Token], index: int) -> bool:
    if index + 1 == len(tokens):
        return True
    following = tokens[index + 1]
    return following.start > tokens[index].end and not following.text[:1].islower()


def _statements(tokens: Sequence[Token]) -> list[Statement]:
    cues = find_cues(tokens)
    if not cues:
        return []
    tie = next((i for i, token in enumerate(tokens) if token.low in EXPOSURE), len(tokens))
    tied = any(cue.last >= tie for cue in cues)
    found: list[Statement] = []
    exposure = 1
    for number, cue in enumerate(cues):
        if tied and cue.last < tie and not is_predicate(tokens, cue):
            # Lower intake goes with higher risk: one statement, that of the risk.
            exposure *= cue.cue.sign or 1
            continue
        left = cues[number - 1].last + 1 if number else 0
        right = cues[number + 1].first if number + 1 < len(cues) else len(tokens)
        statement = _statement(tokens, cue, left, right)
        if statement is not None:
            turned = exposure if cue.last >= tie else 1
            found.append(replace(statement, sign=statement.sign * turned))
    return found


def _statement(tokens: Sequence[Token], found: FoundCue, left: int, right: int) -> Statement | None:
    sign = 0 if found.negated else found.cue.sign
    if found.negated and not found.cue.sign and tokens[found.last].low in CUES:
        # Not similar: it changed, and nothing says which way.
        return None
    after = found.last + 1
    while after < right and tokens[after].low.endswith("ly"):
        after += 1
    if found.cue.axis == "rank":
        outcome, group = frozenset(("#rank",)), phrase_before(tokens, found.first, left)
    elif outcome_follows(tokens, found, after):
        if after < right and tokens[after].low == "between":
            outcome, group = _between(tokens, after + 1, right)
        else:
            outcome, group = _behind(tokens, after, right)
            group |= phrase_before(tokens, found.first, left)
    else:
        outcome, group = outcome_before(tokens, found.first, left)
        group |= tail(tokens, found.last + 1, right)
    if not outcome:
        return None
    other = rival(tokens, found.last + 1, right) - outcome
    return Statement(
        start=tokens[found.first].start,
        end=tokens[found.last].end,
        axis=found.cue.axis,
        sign=sign,
        outcome=outcome,
        group=group - outcome - other,
        other=other,
    )


def _behind(
    tokens: Sequence[Token], after: int, right: int
) -> tuple[frozenset[str], frozenset[str]]:
    """Return outcome and group of *higher X in Y*, *reduction in X*, *associated with X*."""
    start = after
    if start < right and tokens[start].low in ("in", "of", "for", "on", "with"):
        start += 1
    end = phrase_end(tokens, start, right)
    return stems(tokens[start:end]), tail(tokens, end, right)


def _between(
    tokens: Sequence[Token], start: int, right: int
) -> tuple[frozenset[str], frozenset[str]]:
    """Return outcome and group of *association between A and B*, *difference between As in B*."""
    words = [token.low for token in tokens[start:right]]
    if "in" in words:
        at = start + words.index("in") + 1
        return stems(tokens[at : phrase_end(tokens, at, right)]), frozenset()
    if "and" in words:
        at = start + words.index("and") + 1
        return stems(tokens[at : phrase_end(tokens, at, right)]), stems(tokens[start : at - 1])
    return frozenset(), frozenset()
