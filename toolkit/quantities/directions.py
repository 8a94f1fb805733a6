"""Statements of direction: what rose, fell, got better or stayed as it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from toolkit.quantities.cue_reader import (
    FoundCue,
    find_cues,
    is_compound,
    is_hedged,
    is_population,
    is_predicate,
    outcome_follows,
)
from toolkit.quantities.cues import CUES, EXPOSURE, Axis
from toolkit.quantities.lexer import Token, read
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
        axis: ``amount`` (up, down), ``quality`` (better, worse), ``rank`` (superior, inferior) or
            ``speed`` (faster, slower).
        sign: 1, -1, or 0 for no change, no difference and what is denied.
        outcome: stems of the words of what rose or fell.
        agent: stems of the words of what did it; may be empty.
        group: stems of the words of where or in whom; may be empty.
        other: stems of what it is compared with; may be empty.
        hedged: it is only held possible.
    """

    start: int
    end: int
    axis: Axis
    sign: int
    outcome: frozenset[str]
    agent: frozenset[str] = frozenset()
    group: frozenset[str] = frozenset()
    other: frozenset[str] = frozenset()
    hedged: bool = False


def find_directions(text: str) -> list[Statement]:
    """Return the statements of direction in a text, in order.

    Aims, questions and demands (*whether it reduces*, *in order to improve*) state nothing and are
    left out, and so are statements whose outcome is not named.

    Args:
        text: any text; its time is linear in its length.
    """
    found: list[Statement] = []
    for clause in _clauses(read(text)[1]):
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
    """Cut at ends of sentences and where a contrast begins; brackets are left out."""
    clause: list[Token] = []
    aim, depth = False, 0
    for index, token in enumerate(tokens):
        ends = token.text == "." and _ends_sentence(tokens, index)
        aim = aim or token.low in _AIMS
        if not (ends or token.low in _BREAKS):
            depth = max(0, depth + (token.text in "([") - (token.text in ")]"))
            if not depth and token.text not in ")]":
                # What stands in brackets are figures and asides; outcomes go on behind them.
                clause.append(token)
            if len(clause) < _MAX_CLAUSE:
                continue
        if clause and not aim:
            yield clause
        clause = []
        aim, depth = aim and not ends, 0
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
    tie = _tie(tokens)
    exposures = {
        cue.first: cue
        for cue in cues
        if tie < len(tokens) and cue.last < tie and not is_predicate(tokens, cue)
    }
    tied = any(cue.last >= tie for cue in cues)
    found: list[Statement] = []
    for number, cue in enumerate(cues):
        left = cues[number - 1].last + 1 if number else 0
        if cue.cue.grammar == "gerund" or is_population(tokens, cue, left):
            continue
        if is_compound(tokens, cue):
            continue
        if cue.first in exposures and (tied or outcome_follows(tokens, cue, cue.last + 1)):
            continue
        if number and _is_caused(tokens, cues[number - 1], cue):
            continue
        statement = _statement(tokens, cues, number)
        if statement is not None and tied and cue.last >= tie and exposures:
            # Lower intake goes with higher risk: one statement, that of the risk.
            (exposure, *more) = exposures.values()
            if more or exposure.cue.axis != "amount":
                continue
            turned = exposure.cue.sign or 1
            statement = replace(statement, sign=statement.sign * turned)
        if statement is not None:
            found.append(statement)
    return found


def _is_caused(tokens: Sequence[Token], before: FoundCue, cue: FoundCue) -> bool:
    """Say whether a change does it: *reducing intake lowers the risk* tells of no change alone."""
    if before.cue.grammar not in ("gerund", "noun") or cue.cue.grammar not in ("base", "verb"):
        return False
    between = tokens[before.last + 1 : cue.first]
    return not any(token.text in (",", "and") for token in between)


def _tie(tokens: Sequence[Token]) -> int:
    """Return the place of *associated with* and its like; the clause's length where none is."""
    for index in range(len(tokens) - 1):
        if tokens[index].low in EXPOSURE and tokens[index + 1].low in ("with", "to"):
            return index
    return len(tokens)


def _statement(tokens: Sequence[Token], cues: Sequence[FoundCue], number: int) -> Statement | None:
    found = cues[number]
    left = cues[number - 1].last + 1 if number else 0
    right = cues[number + 1].first if number + 1 < len(cues) else len(tokens)
    if found.negated and not found.cue.sign and tokens[found.last].low in CUES:
        # Not similar: it changed, and nothing says which way.
        return None
    after = found.last + 1
    while after < right and tokens[after].low.endswith("ly"):
        after += 1
    agent: frozenset[str] = frozenset()
    if found.cue.axis == "rank":
        outcome, group = frozenset(("#rank",)), phrase_before(tokens, found.first, left)
    elif outcome_follows(tokens, found, after):
        if after < right and tokens[after].low == "between":
            outcome, group = _between(tokens, after + 1, right)
        else:
            outcome, group = _behind(tokens, after, right)
            agent = _subject(tokens, cues, number)
    else:
        outcome, group = outcome_before(tokens, found.first, left)
        group |= tail(tokens, found.last + 1, right)
    if not outcome:
        return None
    group |= _opening(tokens, found.first)
    other = rival(tokens, found.last + 1, len(tokens)) - outcome
    shared = other & (group | agent)
    return Statement(
        start=tokens[found.first].start,
        end=tokens[found.last].end,
        axis=found.cue.axis,
        sign=0 if found.negated else found.cue.sign,
        outcome=outcome,
        agent=agent - outcome - shared,
        group=group - outcome - shared,
        other=other - shared,
        hedged=is_hedged(tokens, found),
    )


def _subject(tokens: Sequence[Token], cues: Sequence[FoundCue], number: int) -> frozenset[str]:
    """Return what did it: the words before the cue, or before the first of a list of cues."""
    if not number:
        return phrase_before(tokens, cues[0].first, 0)
    left = cues[number - 1].last + 1
    between = [token.low for token in tokens[left : cues[number].first]]
    if "and" in between:
        return phrase_before(tokens, cues[0].first, 0)
    return phrase_before(tokens, cues[number].first, left)


def _opening(tokens: Sequence[Token], end: int) -> frozenset[str]:
    """Return whom a clause is about that begins with *In treated rats,*."""
    if not tokens or tokens[0].low not in ("in", "among", "with", "after", "for"):
        return frozenset()
    for index in range(1, min(end, 15)):
        if tokens[index].text == ",":
            return stems(tokens[1:index])
    return frozenset()


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
