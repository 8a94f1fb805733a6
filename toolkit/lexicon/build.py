"""Build a dictionary for review: terms of the texts, their category, and their alternatives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from toolkit.lexicon.alternatives import Finder, is_graded
from toolkit.lexicon.candidates import Candidate, Recognizer, defined_abbreviations, extract
from toolkit.lexicon.rules import AT_LEAST, CLOSED_SETS
from toolkit.lexicon.similarity import Encoder, Space
from toolkit.lexicon.synonyms import Synonyms
from toolkit.lexicon.table import key
from toolkit.lexicon.word_class import Kind, term_class
from toolkit.perturb.dictionary import Dictionary, Entry
from toolkit.perturb.term_finder import TermFinder

__all__ = ["Built", "Left", "Options", "Proposed", "build"]

NEAR: Final = 0.4
"""Cosine to the nearest concept above which a term is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a dictionary is built.

    Attributes:
        min_texts: texts in which a phrase must stand.
        alternatives: alternatives looked for, from 2 to 6.
        closed: categories in which every term is an alternative of every other.
        opposites: categories in which opposites are preferred.
        modifiers: categories whose terms make no new term before another one.
        recognizer: a model that names terms.
    """

    min_texts: int = 2
    alternatives: int = 4
    closed: Sequence[str] = CLOSED_SETS
    opposites: Sequence[str] = ("descriptors", "confidence")
    modifiers: Sequence[str] = ("descriptors", "location", "confidence")
    recognizer: Recognizer | None = None


@dataclass(frozen=True, slots=True)
class Proposed:
    """An entry for review, and where it comes from.

    Attributes:
        entry: the entry; approved only where it is one of the concepts, unchanged.
        texts: number of texts that hold the term.
        found_by: what found it; ``concept`` with 0 texts where only another entry needs it.
        concept: the nearest concept.
        cosine: to that concept.
    """

    entry: Entry
    texts: int
    found_by: str
    concept: str
    cosine: float


@dataclass(frozen=True, slots=True)
class Left:
    """A term of the texts that is not in the dictionary, and why."""

    term: str
    texts: int
    concept: str
    cosine: float
    reason: str


@dataclass(frozen=True, slots=True)
class Built:
    """What was made of the texts."""

    proposed: tuple[Proposed, ...]
    left: tuple[Left, ...]


def build(
    texts: Sequence[str],
    concepts: Dictionary,
    synonyms: Synonyms,
    encoder: Encoder,
    options: Options | None = None,
) -> Built:
    """Build a dictionary for review.

    A term is kept when its cosine to the nearest concept of its part of speech is above 0.4,
    and takes that concept's category. A term that is a concept keeps that entry. Of the others,
    alternatives come from the 50th to 75th percentile band of the term's own cosines, the most
    similar first, of the same category and by all rules of language; where opposites are
    preferred and the nearest concept has mutual ones, these come first. Closed sets and mutual
    opposites are completed from the concepts, never by similarity.

    Args:
        texts: the texts.
        concepts: curated terms with categories, and alternatives where they have them.
        synonyms: words that say the same; abbreviations that the texts define are added.
        encoder: the model behind the cosines.
        options: how; all defaults when None.

    Raises:
        MissingError: the model cannot be had.
    """
    options = options or Options()
    entries = concepts.entries
    synonyms = synonyms.with_short(defined_abbreviations(texts))
    candidates = extract(
        texts,
        # `CT` is a term of its own where it is a concept.
        synonyms.without_short(entries),
        known=[entry.term for entry in entries.values()],
        modifiers=[e.term for e in entries.values() if e.category in options.modifiers],
        min_texts=options.min_texts,
        recognizer=options.recognizer,
    )
    space = Space([*entries, *(key(c.term) for c in candidates)], encoder)
    work = _Work(entries, options)
    placed = [one for one in (work.place(c, space) for c in candidates) if one is not None]
    written = [*(one.term for one in placed), *(entry.term for entry in entries.values())]
    finder = Finder(
        space=space.among(map(key, written)),
        written={key(term): term for term in written},
        category={
            **{term: entry.category for term, entry in entries.items()},
            **{key(one.term): entries[one.concept].category for one in placed},
        },
        synonyms=synonyms,
        most=options.alternatives,
        opposites=options.opposites,
    )
    for one in placed:
        work.propose(one, finder)
    work.complete()
    work.add_short(texts, finder)
    return work.built()


@dataclass(frozen=True, slots=True)
class _Placed:
    """A candidate that was kept, with its nearest concept by its key."""

    term: str
    texts: int
    found_by: str
    concept: str
    cosine: float


@dataclass(slots=True)
class _Work:
    """What a build has made so far, and what it left out."""

    entries: Mapping[str, Entry]
    options: Options
    made: dict[str, Proposed] = field(default_factory=dict)
    left: list[Left] = field(default_factory=list)
    _named: dict[str, list[str]] = field(default_factory=dict)
    _kinds: dict[Kind, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for term, entry in self.entries.items():
            for kind in sorted(term_class(entry.term).kinds):
                self._kinds.setdefault(kind, []).append(term)
            for alternative in entry.alternatives:
                self._named.setdefault(key(alternative), []).append(term)

    def place(self, candidate: Candidate, space: Space) -> _Placed | None:
        """Keep a candidate with its nearest concept, or leave it out."""
        term = key(candidate.term)
        if term in self.entries:
            concept, cosine = term, 1.0
        else:
            concept, cosine = space.nearest(term, self._comparable(candidate.term))
        one = _Placed(candidate.term, candidate.texts, candidate.found_by, concept, cosine)
        category = self.entries[concept].category
        if cosine <= NEAR:
            self._leave(one, f"no concept of its part of speech is nearer than {NEAR}")
        elif category in self.options.closed and concept != term:
            self._leave(one, f"near the closed set '{category}'")
        else:
            return one
        return None

    def _comparable(self, term: str) -> list[str]:
        """Return the concepts that can decide on a term's category."""
        if key(term) in self._named:
            # An alternative of a concept has its category, whatever it is most like.
            return self._named[key(term)]
        if is_graded(term):
            return sorted(self.entries)
        kinds = term_class(term).kinds
        found = {concept for kind in kinds for concept in self._kinds.get(kind, ())}
        return sorted(found or self.entries)

    def propose(self, one: _Placed, finder: Finder) -> None:
        """Make the entry of a term that was kept."""
        term, concept = key(one.term), self.entries[one.concept]
        entry = self.entries.get(term)
        if entry is None or not entry.alternatives:
            found, source = finder.find(term, concept, one.cosine)
            if len(found) < AT_LEAST:
                self._leave(one, f"fewer than {AT_LEAST} alternatives keep the rules")
                return
            entry = Entry(
                term=one.term,
                category=concept.category,
                alternatives=found,
                source=source,
                approved=False,
            )
        self.made[term] = Proposed(entry, one.texts, one.found_by, concept.term, one.cosine)

    def complete(self) -> None:
        """Add the concepts that closed sets and opposites of the dictionary ask for."""
        wanted = [
            term
            for proposed in self.made.values()
            if proposed.entry.mutual_opposite or proposed.entry.category in self.options.closed
            for term in proposed.entry.alternatives
        ]
        while wanted:
            term = key(wanted.pop())
            entry = self.entries.get(term)
            if entry is None or term in self.made:
                continue
            self.made[term] = Proposed(entry, 0, "concept", entry.term, 1.0)
            wanted += entry.alternatives if entry.mutual_opposite else ()

    def add_short(self, texts: Sequence[str], finder: Finder) -> None:
        """Add the abbreviations that texts use for terms of the dictionary."""
        longs = {short: key(long) for short, long in finder.synonyms.short}
        search = TermFinder(longs)
        counts: Counter[str] = Counter()
        spelled: dict[str, str] = {}
        for text in texts:
            hits = {hit.term: text[hit.start : hit.end] for hit in search.find(text)}
            counts.update(hits.keys())
            spelled = {**hits, **spelled}
        for short in sorted(counts):
            whole = self.made.get(longs[short])
            if whole is not None and key(short) not in self.made:
                entry = _shortened(whole.entry, spelled[short])
                if entry.category not in self.options.closed and not entry.mutual_opposite:
                    self.made[key(short)] = replace(
                        whole, entry=entry, texts=counts[short], found_by="abbreviation"
                    )

    def built(self) -> Built:
        """Return all that was made: categories in the order of the concepts, frequent first."""
        categories = dict.fromkeys(entry.category for entry in self.entries.values())
        order = {category: at for at, category in enumerate(categories)}
        return Built(
            tuple(
                sorted(
                    self.made.values(),
                    key=lambda one: (order[one.entry.category], -one.texts, key(one.entry.term)),
                )
            ),
            tuple(sorted(self.left, key=lambda left: (left.reason, -left.texts, left.term))),
        )

    def _leave(self, one: _Placed, reason: str) -> None:
        shown = self.entries[one.concept].term
        self.left.append(Left(one.term, one.texts, shown, one.cosine, reason))


def _shortened(entry: Entry, short: str) -> Entry:
    return replace(
        entry,
        term=short,
        source=f"as '{entry.term}'",
        approved=False,
        approved_by="",
        approved_on="",
    )
