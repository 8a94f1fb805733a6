"""Build a dictionary for review: terms of the texts, their category, and their alternatives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from toolkit.lexicon.candidates import Candidate, Recognizer, defined_abbreviations, extract
from toolkit.lexicon.rules import AT_LEAST, CLOSED_SETS, pair_faults
from toolkit.lexicon.similarity import Space
from toolkit.lexicon.synonyms import Synonyms
from toolkit.lexicon.table import key
from toolkit.metrics.embeddings import Embeddings
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
        recognizer: a model that names terms.
    """

    min_texts: int = 2
    alternatives: int = 4
    closed: Sequence[str] = CLOSED_SETS
    opposites: Sequence[str] = ("descriptors", "confidence")
    recognizer: Recognizer | None = None


@dataclass(frozen=True, slots=True)
class Proposed:
    """An entry for review, and where it comes from.

    Attributes:
        entry: the entry; approved only where it is one of the concepts, unchanged.
        texts: number of texts that hold the term.
        found_by: what found it; ``concepts`` where only another entry needs it.
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
    embeddings: Embeddings,
    options: Options | None = None,
) -> Built:
    """Build a dictionary for review.

    A term is kept when its cosine to the nearest concept is above 0.4, and takes its category.
    A term that is a concept keeps that entry. Of the others, alternatives come from the 50th to
    75th percentile band of the term's own cosines, the most similar first, of the same category
    and by all rules of language; where opposites are preferred and the nearest concept has
    mutual ones, these come first. Closed sets and mutual opposites are completed from the
    concepts, never by similarity.

    Args:
        texts: the texts.
        concepts: curated terms with categories, and alternatives where they have them.
        synonyms: words that say the same; abbreviations that the texts define are added.
        embeddings: the model behind the cosines.
        options: how; all defaults when None.

    Raises:
        MissingError: the model cannot be had.
    """
    options = options or Options()
    synonyms = synonyms.with_short(defined_abbreviations(texts))
    candidates = extract(
        texts, synonyms, min_texts=options.min_texts, recognizer=options.recognizer
    )
    work = _Work(concepts.entries, synonyms, options)
    work.embed(candidates, embeddings)
    for candidate in candidates:
        work.place(candidate)
    for term in list(work.kept):
        work.propose(term)
    work.complete()
    work.add_short(texts)
    order = {name: at for at, name in enumerate(dict.fromkeys(e.category for e in work.known))}
    return Built(
        tuple(
            sorted(
                work.made.values(),
                key=lambda p: (order[p.entry.category], -p.texts, key(p.entry.term)),
            )
        ),
        tuple(sorted(work.left, key=lambda left: (left.reason, -left.texts, left.term))),
    )


@dataclass(slots=True)
class _Work:
    """The steps of one build, and what each leaves to the next."""

    entries: Mapping[str, Entry]
    synonyms: Synonyms
    options: Options
    kept: dict[str, tuple[Candidate, str, float]] = field(default_factory=dict)
    made: dict[str, Proposed] = field(default_factory=dict)
    left: list[Left] = field(default_factory=list)
    _space: Space | None = None
    _pool: tuple[str, ...] = ()
    _category: dict[str, str] = field(default_factory=dict)
    _named: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for term, entry in self.entries.items():
            for alternative in entry.alternatives:
                self._named.setdefault(key(alternative), []).append(term)

    @property
    def known(self) -> list[Entry]:
        return list(self.entries.values())

    @property
    def space(self) -> Space:
        assert self._space is not None
        return self._space

    def embed(self, candidates: Sequence[Candidate], embeddings: Embeddings) -> None:
        terms = {key(c.term) for c in candidates} | set(self.entries)
        self._space = Space(sorted(terms), embeddings)

    def place(self, candidate: Candidate) -> None:
        """Keep a candidate with its nearest concept, or leave it out."""
        term = key(candidate.term)
        if term in self.entries:
            concept, cosine = term, 1.0
        else:
            # An alternative of a concept has its category, whatever it is most like.
            among = self._named.get(term) or sorted(self.entries)
            concept, cosine = self.space.nearest(term, among)
        category = self.entries[concept].category
        if cosine <= NEAR:
            self._leave(candidate, concept, cosine, f"no concept is nearer than {NEAR}")
        elif category in self.options.closed and concept != term:
            self._leave(candidate, concept, cosine, f"near the closed set '{category}'")
        else:
            self.kept[term] = (candidate, concept, cosine)
            self._category[term] = category

    def propose(self, term: str) -> None:
        """Make the entry of a term that was kept."""
        candidate, concept, cosine = self.kept[term]
        entry = self.entries.get(term)
        if entry is not None and entry.alternatives:
            self.made[term] = Proposed(entry, candidate.texts, candidate.found_by, concept, cosine)
            return
        found, source = self._alternatives(term, self.entries[concept])
        if len(found) < AT_LEAST:
            reason = f"fewer than {AT_LEAST} alternatives in the band keep the rules"
            self._leave(candidate, concept, cosine, reason)
            return
        entry = Entry(
            term=candidate.term,
            category=self._category[term],
            alternatives=tuple(found),
            source=source,
            approved=False,
        )
        self.made[term] = Proposed(entry, candidate.texts, candidate.found_by, concept, cosine)

    def complete(self) -> None:
        """Add the concepts that closed sets and opposites of the dictionary ask for."""
        wanted = [
            term
            for proposed in list(self.made.values())
            if proposed.entry.mutual_opposite or proposed.entry.category in self.options.closed
            for term in proposed.entry.alternatives
        ]
        while wanted:
            term = key(wanted.pop())
            entry = self.entries.get(term)
            if entry is None or term in self.made:
                continue
            self.made[term] = Proposed(entry, 0, "concepts", term, 1.0)
            wanted += entry.alternatives if entry.mutual_opposite else ()

    def add_short(self, texts: Sequence[str]) -> None:
        """Add the abbreviations that texts use for terms of the dictionary."""
        longs = {short: key(long) for short, long in self.synonyms.short}
        finder = TermFinder(longs)
        counts: dict[str, int] = {}
        spelled: dict[str, str] = {}
        for text in texts:
            for found in {hit.term: hit for hit in finder.find(text)}.values():
                counts[found.term] = counts.get(found.term, 0) + 1
                spelled.setdefault(found.term, text[found.start : found.end])
        for short in sorted(counts):
            whole = self.made.get(longs[short])
            if whole is None or short in self.made or whole.entry.mutual_opposite:
                continue
            kept = [a for a in whole.entry.alternatives if not self._faulty(spelled[short], a)]
            if len(kept) >= AT_LEAST and whole.entry.category not in self.options.closed:
                entry = replace(
                    whole.entry,
                    term=spelled[short],
                    alternatives=tuple(kept),
                    approved=False,
                    approved_by="",
                    approved_on="",
                    source=f"as '{whole.entry.term}'",
                )
                self.made[short] = replace(
                    whole, entry=entry, texts=counts[short], found_by="abbreviation"
                )

    def _alternatives(self, term: str, concept: Entry) -> tuple[list[str], str]:
        opposites: list[str] = []
        if concept.category in self.options.opposites and concept.mutual_opposite:
            opposites = [a for a in concept.alternatives if not self._faulty(term, a)]
            opposites = opposites[: self.options.alternatives]
        found = list(opposites)
        for other in self._in_band(term, self._category[term]):
            if len(found) >= self.options.alternatives:
                break
            if other not in found and not self._faulty(term, other):
                found.append(other)
        parts = [f"opposites of '{concept.term}'"] if opposites else []
        parts += ["embedding"] if len(found) > len(opposites) else []
        return found, ", ".join(parts)

    def _in_band(self, term: str, category: str) -> Iterator[str]:
        if not self._pool:
            self._pool = tuple(sorted({*self.kept, *self.entries}))
            self._category |= {key: entry.category for key, entry in self.entries.items()}
        for other, _ in self.space.band(term, self._pool):
            if self._category[other] == category:
                yield (
                    self.entries[other].term if other in self.entries else self.kept[other][0].term
                )

    def _faulty(self, term: str, alternative: str) -> bool:
        return any(pair_faults(term, alternative, self.synonyms))

    def _leave(self, candidate: Candidate, concept: str, cosine: float, reason: str) -> None:
        shown = self.entries[concept].term
        self.left.append(Left(candidate.term, candidate.texts, shown, cosine, reason))
