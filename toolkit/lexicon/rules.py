"""The rules of a dictionary: what may stand in a term's place, and what a whole file must keep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from toolkit.lexicon.overlap import overlap_fault
from toolkit.lexicon.synonyms import Synonyms
from toolkit.lexicon.table import Placed, key
from toolkit.lexicon.word_class import class_fault
from toolkit.perturb.dictionary import Entry
from toolkit.perturb.measurements import CATEGORY

__all__ = [
    "AT_LEAST",
    "AT_MOST",
    "CLOSED_SETS",
    "Rules",
    "dictionary_faults",
    "pair_faults",
    "sign_faults",
]

AT_LEAST: Final = 2
"""Alternatives of a term; one is enough where it is its opposite."""
AT_MOST: Final = 6
CLOSED_SETS: Final = ("study types",)
"""Categories in which every term is an alternative of every other."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What the rules need to know.

    Attributes:
        synonyms: words that say the same.
        closed: categories in which every term is an alternative of every other.
    """

    synonyms: Synonyms
    closed: Sequence[str] = CLOSED_SETS


def pair_faults(term: str, alternative: str, synonyms: Synonyms) -> Iterator[str]:
    """Yield why an alternative may not stand in a term's place, by language alone."""
    overlap = overlap_fault(term, alternative)
    if overlap:
        yield overlap
    elif synonyms.same(term, alternative):
        yield "means the same as the term, or is short for it"
    fault = class_fault(synonyms.expanded(term), synonyms.expanded(alternative))
    if fault:
        yield fault


def dictionary_faults(placed: Sequence[Placed], rules: Rules) -> list[tuple[int, str]]:
    """Return every fault of a dictionary as (line, what is wrong), in the order of the lines.

    Args:
        placed: the entries of the file.
        rules: synonyms and closed sets.
    """
    first: dict[str, Placed] = {}
    for one in placed:
        first.setdefault(key(one.entry.term), one)
    entries = {term: one.entry for term, one in first.items()}
    faults: list[tuple[int, str]] = []
    for one in placed:
        earlier = first[key(one.entry.term)]
        if earlier is not one:
            faults.append((one.line, f"'{one.entry.term}' stands in line {earlier.line} too"))
        faults += [(one.line, fault) for fault in _entry_faults(one.entry, entries, rules)]
    return faults


def _entry_faults(entry: Entry, entries: Mapping[str, Entry], rules: Rules) -> Iterator[str]:
    if not entry.term or not entry.category:
        yield "no term" if not entry.term else f"{entry.term!r} has no category"
        return
    if entry.category == CATEGORY:
        yield f"{entry.term!r}: sizes are found in the texts; the category '{CATEGORY}' stays empty"
    yield from sign_faults((entry.term, *entry.alternatives))
    yield from _count_faults(entry, rules)
    seen: set[str] = set()
    for alternative in entry.alternatives:
        said = f"{entry.term!r} -> {alternative!r}"
        if key(alternative) in seen:
            yield f"{said}: stands there twice"
        seen.add(key(alternative))
        for fault in pair_faults(entry.term, alternative, rules.synonyms):
            yield f"{said}: {fault}"
        other = entries.get(key(alternative))
        if other is not None and other.category != entry.category:
            yield f"{said}: is of another category, {other.category}"
    yield from _opposite_faults(entry, entries)
    yield from _closed_faults(entry, entries, rules)
    yield from _approval_faults(entry)


def sign_faults(texts: Iterable[str]) -> Iterator[str]:
    """Yield the terms that a spreadsheet could take for a formula (CWE-1236)."""
    for text in texts:
        if text and not text[0].isalnum():
            yield f"{text!r} does not begin with a letter or a digit; a spreadsheet may run it"


def _count_faults(entry: Entry, rules: Rules) -> Iterator[str]:
    count = len(entry.alternatives)
    least = 1 if entry.mutual_opposite else AT_LEAST
    if entry.category not in rules.closed and not least <= count <= AT_MOST:
        yield f"{entry.term!r} has {count} alternatives; {least} to {AT_MOST} are asked for"


def _opposite_faults(entry: Entry, entries: Mapping[str, Entry]) -> Iterator[str]:
    if not entry.mutual_opposite:
        return
    for alternative in entry.alternatives:
        other = entries.get(key(alternative))
        if other is None:
            yield f"{entry.term!r} -> {alternative!r}: an opposite must be a term as well"
        elif not other.mutual_opposite or key(entry.term) not in map(key, other.alternatives):
            yield f"{entry.term!r} -> {alternative!r}: does not name the term as its opposite"


def _closed_faults(entry: Entry, entries: Mapping[str, Entry], rules: Rules) -> Iterator[str]:
    if entry.category not in rules.closed:
        return
    members = {term for term, other in entries.items() if other.category == entry.category}
    wanted, there = members - {key(entry.term)}, set(map(key, entry.alternatives))
    for name, terms in (("lacks", wanted - there), ("has", there - wanted)):
        if terms:
            shown = ", ".join(sorted(terms))
            more = "of the closed set" if name == "lacks" else "which are no terms of the set"
            yield f"{entry.term!r} {name} {shown} {more} {entry.category!r}"


def _approval_faults(entry: Entry) -> Iterator[str]:
    if not entry.approved or not (entry.approved_by or entry.approved_on):
        return
    try:
        date.fromisoformat(entry.approved_on)
        dated = True
    except ValueError:
        dated = False
    if not (entry.approved_by and dated):
        yield f"{entry.term!r} is approved; say by whom, and on which day (YYYY-MM-DD)"
