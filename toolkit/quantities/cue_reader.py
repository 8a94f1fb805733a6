"""Find the words of a clause that state a direction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from toolkit.quantities.cues import (
    ADVERBS,
    BE,
    CUES,
    EXPOSURE,
    MODALS,
    NEGATIONS,
    PREPOSITIONS,
    Cue,
)
from toolkit.quantities.lexer import Token
from toolkit.quantities.phrases import goes_on

__all__ = [
    "FoundCue",
    "find_cues",
    "is_compound",
    "is_hedged",
    "is_population",
    "is_predicate",
    "is_tie",
    "outcome_follows",
]


@dataclass(frozen=True, slots=True)
class FoundCue:
    """A cue in a clause.

    Attributes:
        first: the first word that belongs to it, a negation included.
        word: the first word of the cue itself.
        last: its last word.
        cue: what it says.
        negated: it is denied.
    """

    first: int
    word: int
    last: int
    cue: Cue
    negated: bool


def find_cues(tokens: Sequence[Token]) -> list[FoundCue]:
    """Return the cues of a clause in order; none overlap."""
    found: list[FoundCue] = []
    index = last = 0
    while index < len(tokens):
        cue, end = _cue_at(tokens, index) if tokens[index].low in _STARTS else (None, index)
        if cue is None:
            index += 1
            continue
        first, negated = _negation(tokens, last, index)
        found.append(FoundCue(first, index, end - 1, cue, negated))
        last = index = end
    return found


def is_predicate(tokens: Sequence[Token], found: FoundCue) -> bool:
    """Say whether a cue is said of what stands before it: *was higher*, *were not improved*."""
    return _word(tokens, _before(tokens, found.word)) in BE


def is_tie(tokens: Sequence[Token], found: FoundCue) -> bool:
    """Say whether a cue is an association, whose outcome follows *with* or *between*."""
    return tokens[found.last].low in EXPOSURE or tokens[found.last].low in _ASSOCIATIONS


def is_population(tokens: Sequence[Token], found: FoundCue, left: int) -> bool:
    """Say whether a cue only tells who is meant: *in patients with higher values*.

    Args:
        tokens: the clause.
        found: the cue.
        left: the first word behind the cue before.
    """
    subject = tokens[left : found.first]
    if any(token.low in ("who", "whose") or token.text in "<>≤≥" for token in subject):
        return True
    at = _before(tokens, found.first)
    while at >= 0 and tokens[at].low in _ARTICLES:
        at -= 1
    if _word(tokens, at) not in _OF_WHOM:
        return False
    before = _word(tokens, at - 1)
    return not (before in EXPOSURE or before.startswith(_LEADS) or before in BE)


_ARTICLES: Final = frozenset(("a", "an", "the", "significantly", "their"))
_OF_WHOM: Final = frozenset(("with", "of", "among", "having", "using", "in"))
_LEADS: Final = ("result", "associat", "correlat")


def is_hedged(tokens: Sequence[Token], found: FoundCue) -> bool:
    """Say whether a cue is only held possible: *may be higher*."""
    return any(token.low in _HEDGES for token in tokens[max(0, found.word - 12) : found.word])


_HEDGES: Final = frozenset(("may", "might", "could", "should", "would", "can"))


def is_compound(tokens: Sequence[Token], found: FoundCue) -> bool:
    """Say whether a cue names a thing rather than states a change: *dose reduction*."""
    grammar = found.cue.grammar
    if grammar == "adjective" and tokens[found.last].low == "stable":
        return not is_predicate(tokens, found)
    if grammar == "verb" and _word(tokens, found.word - 1) in ("the", "their", "this", "these"):
        # The increased strength is taken as known.
        return True
    if _word(tokens, found.word - 1) == "or" or _word(tokens, found.last + 1) == "or":
        # Higher or similar.
        return True
    if grammar != "noun" and (grammar != "base" or _is_verb(tokens, found)):
        return False
    return _word(tokens, found.last + 1) not in _JOINING


_JOINING: Final = ("in", "of", "for", "on", "between")


def outcome_follows(tokens: Sequence[Token], found: FoundCue, after: int) -> bool:
    """Say whether the outcome stands behind a cue rather than before it.

    Args:
        tokens: the clause.
        found: the cue.
        after: the first word behind it that is no adverb.
    """
    grammar = found.cue.grammar
    if grammar == "intransitive" or found.cue.axis == "rank":
        return False
    if is_tie(tokens, found):
        return True
    if grammar == "noun" or (grammar == "base" and not _is_verb(tokens, found)):
        return _word(tokens, after) in _JOINING
    if is_predicate(tokens, found) and grammar != "degree":
        return False
    return goes_on(tokens, after)


def _is_verb(tokens: Sequence[Token], found: FoundCue) -> bool:
    before = _word(tokens, _before(tokens, found.word))
    return before in MODALS or before == "to" or goes_on(tokens, found.last + 1)


def _word(tokens: Sequence[Token], index: int) -> str:
    return tokens[index].low if 0 <= index < len(tokens) else ""


def _before(tokens: Sequence[Token], index: int) -> int:
    """Return the last word before one that is neither an adverb nor *not*."""
    at = index - 1
    while at >= 0 and (tokens[at].low in ADVERBS or tokens[at].low.endswith("ly")):
        at -= 1
    return at


def _cue_at(tokens: Sequence[Token], index: int) -> tuple[Cue | None, int]:
    """Return the cue that starts at a word, and the word behind it."""
    for reader in (_association, _no_difference, _regulated, _plain_cue):
        cue, end = reader(tokens, index)
        if cue is not None:
            return cue, end
    return None, index


_ASSOCIATED: Final = {
    **{"inversely": -1, "negatively": -1, "inverse": -1, "negative": -1},
    **{"positively": 1, "positive": 1, "directly": 1, "direct": 1},
}
_ASSOCIATIONS: Final = frozenset(("association", "correlation", "relationship", "relation"))


def _association(tokens: Sequence[Token], index: int) -> tuple[Cue | None, int]:
    """Read *inversely associated with*, *positive correlation between*."""
    sign = _ASSOCIATED.get(_word(tokens, index))
    following = _word(tokens, index + 1)
    if sign is not None and (following in EXPOSURE or following in _ASSOCIATIONS):
        return Cue("amount", sign, "verb"), index + 2
    return None, index


_CHANGE_VERBS: Final = frozenset(
    (
        *("differ", "differed", "alter", "altered", "change", "changed", "affect", "affected"),
        *("influence", "influenced", "associated"),
    )
)
_CHANGES: Final = _CHANGE_VERBS | {"difference", "differences", "effect", "effects", "changes"}


def _no_difference(tokens: Sequence[Token], index: int) -> tuple[Cue | None, int]:
    """Read *difference in*, *differ*, *effect on*, *change* where they are denied."""
    word = _word(tokens, index)
    if word not in _CHANGES:
        return None, index
    if not _denied(tokens, index):
        return None, index
    if word in EXPOSURE and any(later.low in CUES for later in tokens[index + 1 : index + 7]):
        # Not associated with an increase: the increase is what is denied.
        return None, index
    if word in _CHANGE_VERBS:
        return Cue("amount", 0, "verb"), index + 1
    joined = _word(tokens, index + 1) in ("in", "on", "between", "of", "for")
    return (Cue("amount", 0, "noun"), index + 1) if joined else (None, index)


_STARTS: Final = frozenset((*CUES, *_CHANGES, *_ASSOCIATED, "up", "down"))
"""Words that a cue can begin with."""


def _denied(tokens: Sequence[Token], index: int) -> bool:
    """Say whether one of the four words before is a negation of just this one."""
    for at in range(index - 1, max(-1, index - 5), -1):
        if tokens[at].low in NEGATIONS:
            return True
        if tokens[at].low in PREPOSITIONS:
            return False
    return False


def _regulated(tokens: Sequence[Token], index: int) -> tuple[Cue | None, int]:
    sign = {"up": 1, "down": -1}.get(_word(tokens, index))
    hyphen = _word(tokens, index + 1) == "-"
    if sign is not None and hyphen and _word(tokens, index + 2).startswith("regulat"):
        return Cue("amount", sign, "verb"), index + 3
    return None, index


_OFTEN: Final = frozenset(("frequent", "frequently", "common", "commonly", "prevalent"))


def _plain_cue(tokens: Sequence[Token], index: int) -> tuple[Cue | None, int]:
    word = _word(tokens, index)
    cue = CUES.get(word)
    if cue is None or _is_other(tokens, index, cue):
        return None, index
    if word == "lower" and _word(tokens, index - 1) in MODALS:
        return Cue("amount", -1, "base"), index + 1
    if cue.axis == "rank" and _word(tokens, index + 1) not in ("to", "over"):
        return None, index
    if cue.grammar != "degree":
        return cue, index + 1
    if _word(tokens, index - 1) == "or":
        # Three or more.
        return None, index
    if _word(tokens, index + 1) in _OFTEN:
        return Cue("amount", cue.sign, "adjective"), index + 2
    return (cue, index + 1) if goes_on(tokens, index + 1) else (None, index)


_ANATOMY: Final = frozenset(
    (
        *("limb", "limbs", "extremity", "extremities", "back", "respiratory", "urinary", "leg"),
        *("gastrointestinal", "lip", "jaw", "abdominal", "abdomen", "third", "molar", "molars"),
        *("education", "school", "legs", "airway", "esophageal", "oesophageal", "eyelid"),
    )
)
_FACTUAL: Final = frozenset(
    (
        *("failed", "fails", "shown", "found", "seems", "seem", "appears", "appear", "likely"),
        *("tends", "tended", "known", "appeared", "able", "unable", "seemed", "demonstrated"),
    )
)


def _is_other(tokens: Sequence[Token], index: int, cue: Cue) -> bool:
    """Say whether a cue's word means something else here."""
    word, before, following = (_word(tokens, at) for at in (index, index - 1, index + 1))
    than = following == "than" and index + 2 < len(tokens)
    if than and tokens[index + 2].kind in ("numeral", "power"):
        return True
    if (word == "longer" and before in ("no", "any")) or following in _ANATOMY:
        return True
    if before == "-" and _word(tokens, index - 2) in ("non", "dose"):
        return True
    if following == "-" and tokens[index].end == tokens[index + 1].start:
        return True
    # To improve: an aim, unless something is said to have done it.
    aim = before == "to" and cue.grammar == "base"
    return aim and _word(tokens, index - 2) not in _FACTUAL


def _negation(tokens: Sequence[Token], start: int, index: int) -> tuple[int, bool]:
    """Return where a cue's words begin, and whether they are denied."""
    for at in range(index - 1, start - 1, -1):
        word = tokens[at].low
        if word == "," and index - at > 1:
            break
        if word in BE and index - at > 1 and _word(tokens, at + 1) not in NEGATIONS:
            # In "not having it is associated with", the verb's subject is denied, not the verb.
            break
        if word in NEGATIONS and _word(tokens, at + 1) != "only":
            did = at > start and tokens[at - 1].low in MODALS
            return (at - 1 if did else at), True
    return index, False
