"""Swap an entity: a drug, a disease, an organ for another of its class."""

from __future__ import annotations

import random
import re
from itertools import pairwise
from typing import Final

from toolkit.perturb.base import Edited, Unedited, cased_like, edited, with_article
from toolkit.perturb.terms import TERMS

__all__ = ["entity"]

_CLASS_OF: Final = {term.lower(): kind for kind, terms in TERMS.items() for term in terms}
_TERM: Final = re.compile(
    rf"(?<![\w-])(?:{'|'.join(re.escape(t) for t in sorted(_CLASS_OF, key=len, reverse=True))})"
    r"(?![\w-]|'|’(?!s))",
    re.IGNORECASE,
)
_COMPARED: Final = re.compile(
    r"[^.;]{0,60}?\b(?:than|versus|vs\.?|compared\s+(?:with|to)|superior\s+to|inferior\s+to|over|"
    r"rather\s+than|instead\s+of)\s+(?:the\s+|that\s+of\s+|those\s+of\s+|in\s+)?$"
)


def entity(text: str, rng: random.Random) -> Edited | Unedited:
    """Put another term of the same class in place of one term, wherever the text has it.

    Where the text compares the term with one of its own class (A than B, A versus B), the two
    change places; else the other comes from :data:`toolkit.perturb.terms.TERMS` and is none that
    the text has. Terms of capitals are matched in capitals only.
    """
    found = _found(text)
    if not found:
        return Unedited("no drug, disease, organ or group of people that the list knows")
    rng.shuffle(found)
    held = {match.group().lower() for match in found}
    for chosen in found:
        changes = _exchanged(text, chosen) or _replaced(text, chosen, held, rng)
        if changes:
            return edited("entity", text, changes)
    return Unedited("the text has every term that could stand in for its own")


def _found(text: str) -> list[re.Match[str]]:
    return [match for match in _TERM.finditer(text) if _meant(match.group())]


def _exchanged(text: str, chosen: re.Match[str]) -> list[tuple[int, int, str]]:
    """Return the changes that swap a term with its neighbour, where the text compares the two."""
    found = _found(text)
    for first, second in pairwise(found):
        mine = chosen.start() in (first.start(), second.start())
        if mine and _are_compared(text, first, second):
            return [
                _change(text, first, _plain(second.group())),
                _change(text, second, _plain(first.group())),
            ]
    return []


def _replaced(
    text: str, chosen: re.Match[str], held: set[str], rng: random.Random
) -> list[tuple[int, int, str]]:
    """Return the changes that put one new term wherever the text has the chosen one."""
    old = chosen.group().lower()
    kind = TERMS[_CLASS_OF[old]]
    others = [term for term in kind if not any(_alike(term.lower(), word) for word in held)]
    if not others:
        return []
    new = rng.choice(others)
    return [_change(text, match, new) for match in _found(text) if match.group().lower() == old]


def _meant(written: str) -> bool:
    # PET, CT and MRI are examinations, a pet is none.
    term = next((t for t in TERMS["imaging"] if t.lower() == written.lower()), "")
    return not term.isupper() or written.isupper()


def _are_compared(text: str, first: re.Match[str], second: re.Match[str]) -> bool:
    one, other = first.group().lower(), second.group().lower()
    between = text[first.end() : second.start()]
    same_class = _CLASS_OF[one] == _CLASS_OF[other] and one != other
    return same_class and _COMPARED.fullmatch(between) is not None


def _alike(term: str, word: str) -> bool:
    """Return whether one contains the other: diabetes is no change of type 2 diabetes."""
    return term in word or word in term


def _plain(written: str) -> str:
    """Return a term as the list writes it."""
    kind = TERMS[_CLASS_OF[written.lower()]]
    return next(term for term in kind if term.lower() == written.lower())


def _change(text: str, place: re.Match[str], new: str) -> tuple[int, int, str]:
    usual, written = _plain(place.group()), place.group()
    # A term that always has a capital says nothing of the case of its place.
    here = new if usual[:1].isupper() else cased_like(written, new)
    return with_article(text, place.start(), place.end(), here)
