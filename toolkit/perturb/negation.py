"""Negate a statement, or take a negation away."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from typing import Final

from toolkit.perturb.base import Edited, Unedited, cased_like, edited, with_article
from toolkit.perturb.verbs import PARTICIPLES, past, third_person

__all__ = ["negation"]

_Change = tuple[int, int, str]

_INFLECT: Final[dict[str, Callable[[str], str]]] = {
    "did": past,
    "does": third_person,
    "do": lambda base: base,
}

_ADVERB: Final = r"(?:(?:\w+ly|also|even|further|always|yet|still|seem to|appear to)\s+)?"
_BASE: Final = r"(?!(?:in|on|at|to|for|of|with|by|only|the|a|an|any|all|as|and|or|but)\b)[a-z]{2,}"

_DO_NOT: Final = re.compile(rf"\b(did|does|do)\s+not\s+({_ADVERB})({_BASE})\b", re.IGNORECASE)
_NOT: Final = re.compile(
    r"\b(was|were|is|are|has|have|had|can|could|may|might|should|will|would|must)"
    r"(\s+not)(?!\s+only\b|\s+just\b|\w)",
    re.IGNORECASE,
)
_CANNOT: Final = re.compile(r"\bcannot(?!\s+only\b)\b", re.IGNORECASE)
_NO: Final = re.compile(
    r"\b(was|is|were|are|had|has|have|showed|shows|found|finds|observed|with)\s+(no)\s+"
    r"((?:[a-z-]+\s+){0,2}?)(effect|association|difference|benefit|impact|correlation|influence|"
    r"increase|decrease|relationship|improvement|change|interaction|advantage|reduction|link|role)"
    r"(s?)\b",
    re.IGNORECASE,
)

_AUXILIARY: Final = re.compile(
    r"\b(was|were|is|are|can|should|will|would|must)\b"
    r"(?!\s+(?:not\b|no\b|neither\b|nor\b|only\b|never\b|hardly\b)|n.t\b|-|\s*[,;:.)]|\s+to\b)",
    re.IGNORECASE,
)
_POSSIBLE: Final = re.compile(r"\b(could|may|might)\b(?=\s+[a-z])(?!\s+(?:not|only|never)\b)", re.I)
"""Their negation contradicts little: a thing that may be may also not be."""

_PERFECT: Final = re.compile(
    rf"\b(has|have|had)(?=\s+(?:been|\w{{2,}}ed|{'|'.join(sorted(PARTICIPLES))})\b)", re.IGNORECASE
)
_NOT_A_VERB: Final = re.compile(r"\b(?:that|there|what|which|as|than)\s+$", re.IGNORECASE)

_PRESENT: Final = (
    "improve", "reduce", "suggest", "indicate", "demonstrate", "provide", "appear", "enhance",
    "prevent", "affect", "lead", "predict", "inhibit", "induce", "remain", "confer", "contribute",
    "require", "allow", "confirm", "represent", "seem", "promote", "decrease", "show", "support",
    "increase", "play", "have", "offer", "reveal", "highlight", "correlate", "differ", "occur",
)  # fmt: skip
_THIRD: Final = {third_person(base): base for base in _PRESENT}
_PAST: Final = {past(base): base for base in _PRESENT}
_SUBJECT: Final = (
    r"(?:we|they|it|this|study|trial|treatment|therapy|analysis|method|approach|model|results|"
    r"findings|data|analyses|observations|score|intervention|use|strategy|technique|training|surgery)"
)
_SINGULAR: Final = re.compile(rf"\b(?:{'|'.join(_THIRD)})\b(?!\s+(?:in|of|and)\b)")
_PLURAL: Final = re.compile(
    rf"(?i:\b(?:results|findings|data|we|they|analyses|observations)\s+)({'|'.join(_PRESENT)})\b"
)
_PASTS: Final = re.compile(
    rf"(?i:\b{_SUBJECT}\s+)((?:significantly|markedly|also|substantially)\s+)?"
    rf"({'|'.join(sorted(_PAST, key=len, reverse=True))})\b"
)


def negation(text: str, rng: random.Random) -> Edited | Unedited:
    """Add or take away one ``not`` or ``no`` in a grammatical place.

    *was* becomes *was not*, *did not improve* becomes *improved*, *no difference* becomes *a
    difference*. A verb without an auxiliary takes *does*, *do* or *did not* where its subject
    shows which; ``not only`` is no negation.
    """
    for kinds in ((_taken_away, _added), (_do_added,), (_possible,)):
        found = sorted({change for kind in kinds for change in kind(text)})
        if found:
            return edited("negation", text, [rng.choice(found)])
    return Unedited("no verb or negation that the rules can turn")


def _taken_away(text: str) -> Iterator[_Change]:
    for match in _DO_NOT.finditer(text):
        verb = _inflected(match.group(2), match.group(3), _INFLECT[match.group(1).lower()])
        yield match.start(), match.end(), cased_like(match.group(1), verb)
    for match in _NOT.finditer(text):
        yield match.start(2), match.end(2), ""
    for match in _CANNOT.finditer(text):
        yield match.start(), match.end(), cased_like(match.group(), "can")
    yield from _no(text)


def _inflected(adverb: str, base: str, inflect: Callable[[str], str]) -> str:
    """Return adverb and verb in the form of *did*; *seem to* is the verb then."""
    word, to, _ = adverb.partition(" to")
    if to:
        return f"{inflect(word)} to {base}"
    return f"{adverb}{inflect(base)}"


def _no(text: str) -> Iterator[_Change]:
    for match in _NO.finditer(text):
        start, end = match.span(2)
        if match.group(5):
            yield start, match.end(2) + 1, ""
        else:
            word = match.group(3) or match.group(4)
            article = with_article(f"a {word}", 2, 2 + len(word), word)
            yield start, end, "an" if article[0] == 0 else "a"


def _added(text: str) -> Iterator[_Change]:
    for pattern in (_AUXILIARY, _PERFECT):
        for match in pattern.finditer(text):
            if re.match(r"\s+not\b", text[match.end() :]) or _named(text, match):
                continue
            word = match.group()
            new = f"{word}not" if word.lower() == "can" else f"{word} not"
            yield match.start(), match.end(), new


def _named(text: str, match: re.Match[str]) -> bool:
    """Return whether the word is none of the verb: the month May, the will, a can."""
    word = match.group()
    if word == "May" and not re.search(r"(?:^|[.!?]\s+)$", text[: match.start()]):
        return True
    before = text[max(0, match.start() - 8) : match.start()]
    return _NOT_A_VERB.search(before) is not None and word.lower() in ("is", "are")


def _possible(text: str) -> Iterator[_Change]:
    for match in _POSSIBLE.finditer(text):
        if not _named(text, match):
            yield match.start(), match.end(), f"{match.group()} not"


def _do_added(text: str) -> Iterator[_Change]:
    for match in _SINGULAR.finditer(text):
        base = _THIRD[match.group()]
        if not re.search(
            r"\b(?:an?|the|these|those|both|no|significant|and)\s+$", text[: match.start()]
        ):
            yield match.start(), match.end(), f"does not {base}"
    for match in _PLURAL.finditer(text):
        yield match.start(1), match.end(1), f"do not {match.group(1)}"
    for match in _PASTS.finditer(text):
        start = match.start(1) if match.group(1) else match.start(2)
        yield start, match.end(2), f"did not {match.group(1) or ''}{_PAST[match.group(2)]}"
