"""The words of the phrases around a statement of direction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolkit.quantities.cues import (
    ADVERBS,
    AUXILIARIES,
    BE,
    CUES,
    GRAMMAR,
    NEGATIONS,
    PREPOSITIONS,
    STOPS,
    VAGUE,
)
from toolkit.quantities.lexer import Token

__all__ = [
    "goes_on",
    "names_something",
    "nouns",
    "outcome_before",
    "phrase_before",
    "phrase_end",
    "rival",
    "stems",
    "tail",
]

_JOINTS: Final = frozenset(("and", "or", "of", "per", "times", "percent"))
_DETERMINERS: Final = frozenset(("the", "a", "an", "its", "their", "both", "all", "any"))
_COMPARING: Final = frozenset(("than", "compared", "versus", "vs", "relative", "against"))
_GROUPING: Final = frozenset(
    (
        *("in", "with", "among", "for", "after", "during", "by", "when", "using", "following"),
        *("on", "under", "without"),
    )
)
_MEASURING: Final = frozenset(("from", "to"))


def stems(tokens: Sequence[Token]) -> frozenset[str]:
    """Return the stems of the words that tell one outcome or group from another."""
    return nouns(tokens) - VAGUE


def nouns(tokens: Sequence[Token]) -> frozenset[str]:
    """Return the stems of the words that name anything, *patient* and *rate* included."""
    found = (_stem(token.low) for token in tokens if token.kind == "word")
    return frozenset(stem for stem in found if _names(stem))


def _names(stem: str) -> bool:
    if len(stem) < 2 or stem.endswith("ly"):
        return False
    return not (stem in GRAMMAR or stem in PREPOSITIONS or stem in CUES)


def _stem(word: str) -> str:
    """Return a word without the ending of its plural."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def names_something(word: str) -> bool:
    """Say whether a word in lower case can be or describe a noun."""
    if word in PREPOSITIONS or word in BE or word in _JOINTS or word in AUXILIARIES:
        return False
    return not (word in GRAMMAR or word in ADVERBS or word in CUES or word.endswith("ly"))


def goes_on(tokens: Sequence[Token], index: int) -> bool:
    """Say whether a noun phrase goes on at a word."""
    while index < len(tokens) and tokens[index].low in _DETERMINERS:
        index += 1
    if index + 1 < len(tokens) and tokens[index].kind == "numeral":
        # Five-year mortality, written 5-year.
        return tokens[index + 1].text == "-" and tokens[index].end == tokens[index + 1].start
    if index >= len(tokens) or tokens[index].kind != "word":
        return False
    word = tokens[index].low
    if word in PREPOSITIONS or word in BE or word in _JOINTS or word in NEGATIONS:
        return False
    return not (word in ADVERBS or word.endswith(("ly", "fold")) or word in AUXILIARIES)


def phrase_before(tokens: Sequence[Token], end: int, left: int) -> frozenset[str]:
    """Return the stems from the last stop, or from ``left``, to ``end``."""
    return stems(tokens[_start(tokens, end, left) : end])


def _start(tokens: Sequence[Token], end: int, left: int) -> int:
    start = end
    while start > left and tokens[start - 1].low not in STOPS:
        start -= 1
    return start


def outcome_before(
    tokens: Sequence[Token], end: int, left: int
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the head of the phrase that ends before a word, and what qualifies it."""
    start = _start(tokens, end, left)
    if left and start == left and start < len(tokens) and tokens[start].low == "and":
        start += 1
    head = start
    while head < end and not (tokens[head].low in PREPOSITIONS and head > start):
        head += 1
    outcome = stems(tokens[start:head])
    if outcome:
        return outcome, stems(tokens[head:end])
    # Patients improved: with nothing better, what is vague is the outcome.
    return stems(tokens[start:end]) or nouns(tokens[start:head]), frozenset()


def phrase_end(tokens: Sequence[Token], start: int, right: int) -> int:
    """Return where the noun phrase that starts at a word ends."""
    end = start
    while end < right and tokens[end].low not in PREPOSITIONS and tokens[end].low not in STOPS:
        numeric = tokens[end].kind in ("numeral", "power")
        # The 3 of omega-3 belongs to the phrase.
        if tokens[end].low in BE or (numeric and end > start and tokens[end - 1].text != "-"):
            break
        end += 1
    return end


def tail(tokens: Sequence[Token], start: int, right: int) -> frozenset[str]:
    """Return where, in whom or by what: what a preposition joins, up to a comparison."""
    at = start
    while at < right and tokens[at].low not in _GROUPING:
        if tokens[at].low in _COMPARING or tokens[at].low in STOPS:
            return frozenset()
        at += 1
    end = at
    while end < right and not _ends_tail(tokens[end]):
        end += 1
    return stems(tokens[at:end])


def _ends_tail(token: Token) -> bool:
    return token.low in _COMPARING or token.low in STOPS or token.low in _MEASURING


def rival(tokens: Sequence[Token], start: int, right: int) -> frozenset[str]:
    """Return what is compared with: *than Y*, *compared with Y*, or *to Y* right at ``start``."""
    at = start
    while at < right and tokens[at].low not in _COMPARING:
        if tokens[at].low in STOPS:
            return frozenset()
        at += 1
    if at >= right:
        if start >= len(tokens) or tokens[start].low != "to":
            return frozenset()
        at = start
    end = at + 1
    if end < right and tokens[end].low in ("in", "with", "to", "for", "among", "after"):
        end += 1
    return stems(tokens[end : phrase_end(tokens, end, right)])
