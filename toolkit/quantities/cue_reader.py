"""Find the words of a clause that state a direction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from toolkit.quantities.cues import ADVERBS, BE, CUES, EXPOSURE, MODALS, NEGATIONS, Cue
from toolkit.quantities.lexer import Token
from toolkit.quantities.phrases import goes_on

__all__ = ["FoundCue", "find_cues", "is_predicate", "is_tie", "outcome_follows"]


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
        cue, end = _cue_at(tokens, index)
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
        return _word(tokens, after) in ("in", "of", "for", "on", "between")
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
    if not any(token.low in NEGATIONS for token in tokens[max(0, index - 4) : index]):
        return None, index
    if word in EXPOSURE and any(later.low in CUES for later in tokens[index + 1 : index + 7]):
        # Not associated with an increase: the increase is what is denied.
        return None, index
    return Cue("amount", 0, "verb" if word in _CHANGE_VERBS else "noun"), index + 1


def _regulated(tokens: Sequence[Token], index: int) -> tuple[Cue | None, int]:
    sign = {"up": 1, "down": -1}.get(_word(tokens, index))
    hyphen = _word(tokens, index + 1) == "-"
    if sign is not None and hyphen and _word(tokens, index + 2).startswith("regulat"):
        return Cue("amount", sign, "verb"), index + 3
    return None, index


_OFTEN: Final = frozenset(("frequent", "frequently", "common", "commonly", "prevalent", "often"))


def _plain_cue(tokens: Sequence[Token], index: int) -> tuple[Cue | None, int]:
    word = _word(tokens, index)
    cue = CUES.get(word)
    if cue is None or _is_other(tokens, index, cue):
        return None, index
    if word == "lower" and _word(tokens, index - 1) in MODALS:
        return Cue("amount", -1, "base"), index + 1
    if cue.grammar != "degree":
        return cue, index + 1
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
    if following == "than" and index + 2 < len(tokens):
        if tokens[index + 2].kind in ("numeral", "power"):
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
        if word in NEGATIONS and _word(tokens, at + 1) != "only":
            did = at > start and tokens[at - 1].low in MODALS
            return (at - 1 if did else at), True
    return index, False
