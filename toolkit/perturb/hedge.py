"""Take a hedge out of a statement, or put one in."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Final

from toolkit.perturb.base import Edited, Unedited, cased_like, edited
from toolkit.perturb.verbs import past, third_person

__all__ = ["hedge"]

_Change = tuple[int, int, str]

_ADVERB: Final = r"(?:(?:\w+ly|also|even|further|still)\s+)?"
_MODAL: Final = re.compile(
    rf"\b(may|might|could)\s+(?!not\b|only\b|have\b|be\s+due\b)({_ADVERB})([a-z]{{2,}})\b",
    re.IGNORECASE,
)
_SEEMS: Final = re.compile(
    rf"\b(appear|appears|appeared|seem|seems|seemed)\s+to\s+({_ADVERB})([a-z]{{2,}})\b(?<!have)",
    re.IGNORECASE,
)
_LIKELY: Final = re.compile(
    r"\b(?:is|are|was|were)\s+(likely)(?=\s+(?:to|due|that)\b)", re.IGNORECASE
)

_FIRM: Final = {
    "suggest that": "show that", "suggests that": "shows that", "suggested that": "showed that",
    "suggesting that": "showing that", "suggesting": "showing", "probably": "certainly",
    "possibly": "certainly", "perhaps": "certainly", "presumably": "certainly",
    "potentially": "certainly", "we believe that": "we know that", "we think that": "we know that",
    "preliminary evidence": "conclusive evidence", "suggestive evidence": "conclusive evidence",
    "some evidence": "strong evidence", "may be due to": "is due to",
    "might be due to": "is due to", "could be due to": "is due to",
}  # fmt: skip
_SOFT: Final = {
    "show that": "suggest that", "shows that": "suggests that", "showed that": "suggested that",
    "demonstrate that": "suggest that", "demonstrates that": "suggests that",
    "demonstrated that": "suggested that", "confirm that": "suggest that",
    "confirms that": "suggests that", "confirmed that": "suggested that",
    "prove that": "suggest that", "proves that": "suggests that", "proved that": "suggested that",
    "indicate that": "suggest that", "found that": "believe that", "clearly": "possibly",
    "definitely": "possibly", "certainly": "possibly", "strong evidence": "some evidence",
}  # fmt: skip


def _phrases(table: dict[str, str]) -> re.Pattern[str]:
    longest_first = sorted(map(re.escape, table), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(longest_first)})(?![\w-])", re.IGNORECASE)


_FIRMER: Final = _phrases(_FIRM)
_SOFTER: Final = _phrases(_SOFT)

_IS: Final = re.compile(
    r"\b(is|are|was|were|can|will)\b(?!\s+(?:not|no|only|neither|never|likely|unlikely|being|also|"
    r"still|now|currently|rather)\b|\s*[,;:.)]|n.t\b|-)",
    re.IGNORECASE,
)
_SOFT_IS: Final = {
    "is": "may be", "are": "may be", "was": "may have been", "were": "may have been",
    "can": "might", "will": "may",
}  # fmt: skip
_NOT_A_VERB: Final = re.compile(
    r"\b(?:that|there|what|which|as|than|who|it|if|whether)\s+$", re.IGNORECASE
)
_VERBS: Final = (
    "improve", "reduce", "increase", "decrease", "provide", "enhance", "prevent", "affect", "lead",
    "predict", "inhibit", "induce", "contribute", "promote", "offer", "support", "represent",
    "play", "cause", "correlate", "result",
)  # fmt: skip
_THIRD: Final = {third_person(base): base for base in _VERBS}
_SINGULAR: Final = re.compile(
    rf"(?<!the )(?<!an )(?<!significant )\b({'|'.join(_THIRD)})\b(?=\s+\w)"
    r"(?!\s+(?:in|of|and|were|are|was|is|from|for|show|suggest|indicate)\b)"
)

_CLAUSE: Final = re.compile(r"(?:^|[.;:]\s+|\bthat\s+|,\s+(?:and|but)\s+)([^.;:,]*?)\s*$")
_JOINED: Final = re.compile(
    r"\b(?:of|in|and|or|with|for|to|from|by|on|that|which|who|at|as|between)\b"
)
_PLURALS: Final = (
    "children", "men", "women", "people", "data", "criteria", "bacteria", "mice", "these",
    "those", "they", "we", "both", "some",
)  # fmt: skip
_NO_PLURAL: Final = re.compile(r"(?:ss|us|is|as|ics|itis)$")


def hedge(text: str, rng: random.Random) -> Edited | Unedited:
    """Take one hedge out; where there is none, put one in.

    *May improve* becomes *improves*, or *will improve* where the number of its subject is not
    plain; *suggests that* becomes *shows that*. In a text without hedges *is* becomes *may be*,
    *shows that* *suggests that*.
    """
    for kind in (_out, _in):
        found = sorted(set(kind(text)))
        if found:
            return edited("hedge", text, [rng.choice(found)])
    return Unedited("no hedge in the text and no place for one")


def _out(text: str) -> Iterator[_Change]:
    fixed = list(_FIRMER.finditer(text))
    for match in fixed:
        new = _FIRM[match.group().lower()]
        yield match.start(), match.end(), cased_like(match.group(), new)
    for match in _MODAL.finditer(text):
        if (
            match.group(1) == "May"
            and match.start()
            and not text[: match.start()].rstrip().endswith(".")
        ):
            continue
        adverb, base = match.group(2), match.group(3)
        yield match.start(), match.end(), _certain(text, match.start(), adverb, base)
    for match in _SEEMS.finditer(text):
        yield match.start(), match.end(), _plain(*match.groups())
    for match in _LIKELY.finditer(text):
        new = "certainly" if text[match.end() :].lstrip().startswith("due") else "certain"
        yield match.start(1), match.end(1), new


def _certain(text: str, start: int, adverb: str, base: str) -> str:
    """Return a verb without its modal: in the present where its subject's number is plain."""
    many = _plural_subject(text[:start])
    if many is None:
        return f"will {adverb}{base}"
    if base == "be":
        return f"{'are' if many else 'is'} {adverb}".rstrip()
    return f"{adverb}{base if many else third_person(base)}"


def _plural_subject(before: str) -> bool | None:
    """Return whether the subject right before a modal is plural; None when it is not plain."""
    clause = _CLAUSE.search(before[-160:])
    words = clause.group(1).split() if clause else []
    if not 0 < len(words) <= 4 or _JOINED.search(clause.group(1).lower() if clause else ""):
        return None
    last = words[-1].strip(")(").lower()
    if words[0].lower() in ("this", "it", "a", "an", "each"):
        return False
    if last in _PLURALS or words[0].lower() in _PLURALS:
        return True
    return last.endswith("s") and not _NO_PLURAL.search(last)


def _plain(verb: str, adverb: str, base: str) -> str:
    verb = verb.lower()
    if verb.endswith("ed"):
        return f"{adverb}{past(base)}" if base != "be" else f"proved to {adverb}be"
    if base == "be":
        return f"{'is' if verb.endswith('s') else 'are'} {adverb}".rstrip()
    return f"{adverb}{third_person(base) if verb.endswith('s') else base}"


def _in(text: str) -> Iterator[_Change]:
    for match in _SOFTER.finditer(text):
        new = _SOFT[match.group().lower()]
        yield match.start(), match.end(), cased_like(match.group(), new)
    for match in _IS.finditer(text):
        before = text[max(0, match.start() - 9) : match.start()]
        if not _NOT_A_VERB.search(before):
            new = _SOFT_IS[match.group().lower()]
            yield match.start(), match.end(), cased_like(match.group(), new)
    for match in _SINGULAR.finditer(text):
        yield match.start(), match.end(), f"may {_THIRD[match.group(1)]}"
