"""Terms that a set of texts offers: by pattern, as phrases of nouns, or named by a model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, cast

from toolkit.lexicon.synonyms import Synonyms
from toolkit.lexicon.table import key
from toolkit.lexicon.word_class import term_class
from toolkit.metrics.verb_lexicon import CLOSED, word_set
from toolkit.perturb.measurements import find_sizes
from toolkit.perturb.term_finder import TermFinder

__all__ = ["Candidate", "Recognizer", "defined_abbreviations", "extract"]

Recognizer = Callable[[str], Sequence[str]]
"""A model that names terms of a text: a text in, pieces of it out."""

FoundBy = Literal["concept", "pattern", "entity", "phrase"]
_ORDER: Final[tuple[FoundBy, ...]] = ("concept", "pattern", "entity", "phrase")

_WORDS: Final = 4
"""Words of the longest phrase."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A term of the texts.

    Attributes:
        term: in small letters, but for acronyms; abbreviations written out.
        texts: number of texts in which it stands.
        found_by: what found it: ``concept`` for a known term, a pattern, the model's entity, or
            a phrase.
    """

    term: str
    texts: int
    found_by: FoundBy


def extract(
    texts: Iterable[str],
    synonyms: Synonyms,
    *,
    known: Iterable[str] = (),
    modifiers: Iterable[str] = (),
    min_texts: int = 2,
    recognizer: Recognizer | None = None,
) -> list[Candidate]:
    """Return the terms of texts, the most frequent first.

    Phrases are runs of adjectives and nouns of up to four words, and single adjectives, in at
    least ``min_texts`` texts. A phrase that is another one with modifiers before it (``small
    pleural effusion``) is left out, and one that stands inside one longer phrase wherever it
    stands. Known terms, patterns (a syndrome, disease or carcinoma; grade and stage; how severe)
    and what the model names count from one text on.

    Args:
        texts: the texts.
        synonyms: their abbreviations are written out before anything is looked for.
        known: terms to be found whatever they are.
        modifiers: terms that make no term of their own before another.
        min_texts: texts in which a phrase must stand.
        recognizer: a model that names terms; None for none.
    """
    counts: Counter[str] = Counter()
    by: dict[str, FoundBy] = {}
    finder = TermFinder(known)
    for text in texts:
        plain = synonyms.expanded(text)
        found: dict[str, FoundBy] = {key(hit.term): "concept" for hit in finder.find(plain)}
        plain = _without_sizes(plain)
        for how, terms in (
            ("pattern", _patterns(plain)),
            ("entity", map(_normal, recognizer(plain) if recognizer is not None else ())),
            ("phrase", _phrases(plain)),
        ):
            for term in terms:
                found.setdefault(term, cast("FoundBy", how))
        counts.update(term for term in found if term)
        for term, how in found.items():
            if _ORDER.index(how) < _ORDER.index(by.setdefault(term, how)):
                by[term] = how
    enough = {t: n for t, n in counts.items() if n >= min_texts or by[t] != "phrase"}
    before = set(map(key, modifiers))
    apart = {
        t: n for t, n in enough.items() if by[t] == "concept" or not _modified(t, before, enough)
    }
    inside = {term for term in _nested(apart) if by[term] != "concept"}
    return [
        Candidate(term, counts[term], by[term])
        for term in sorted(apart.keys() - inside, key=lambda term: (-counts[term], term))
    ]


def defined_abbreviations(texts: Iterable[str]) -> list[tuple[str, str]]:
    """Return (short, long) of what texts define themselves: ``pulmonary embolism (PE)``.

    The letters of the short form are the first letters of the words before it, after Schwartz
    and Hearst (2003), "A simple algorithm for identifying abbreviation definitions in
    biomedical text", in its strictest case.
    """
    found: set[tuple[str, str]] = set()
    for text in texts:
        for match in _DEFINED.finditer(text):
            short = match[1].removesuffix("s")
            words = _WORD.findall(text[: match.start()])[-len(short) :]
            if "".join(word[0] for word in words).lower() == short.lower():
                found.add((short, " ".join(words).lower()))
    return sorted(found)


_DEFINED: Final = re.compile(r"\(([A-Z]{2,6}s?)\)")
_WORD: Final = re.compile(r"[^\W\d_][\w]*(?:['’-][^\W\d_]\w*)*")
_BREAK: Final = re.compile(r"[^\w\s'’-]|\d[\w.]*|(?<!\w)-|-(?!\w)|\n\s*\n")
_PATTERNS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:[a-z][\w-]*(?:['’]s)?\s+){1,2}(?:syndrome|disease|disorder|carcinoma|sarcoma)\b",
        r"\b(?:grade|stage|type)\s+(?:\d|[IV]{1,3})[a-c]?\b",
        r"\b(?:minimal|mild|moderate|marked|severe|massive|extensive)(?:ly)?"
        r"(?:\s+(?:to|or)\s+(?:moderate|marked|severe)(?:ly)?)?\b",
    )
)


def _patterns(text: str) -> Iterator[str]:
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            term = _normal(match.group())
            if term:
                yield term


def _phrases(text: str) -> Iterator[str]:
    for piece in _BREAK.split(text):
        run: list[str] = []
        for word in [*piece.split(), ""]:
            if word and _open(word):
                run.append(word)
                continue
            yield from _grams(run)
            run = []


def _grams(run: Sequence[str]) -> Iterator[str]:
    for start in range(len(run)):
        for end in range(start + 1, min(len(run), start + _WORDS) + 1):
            kinds = term_class(run[end - 1]).kinds
            if "noun" in kinds or (end == start + 1 and "adjective" in kinds):
                yield _small(run[start:end])


def _open(word: str) -> bool:
    lower = word.lower()
    if lower in CLOSED or lower in _REPORTING or len(word) == 1:
        return False
    return bool(term_class(word).kinds & {"noun", "adjective"})


# Words with which reports speak of what they report: they end a phrase.
_REPORTING: Final = word_set(
    "measuring measures measured seen shown show shows noted identified demonstrated visualized "
    "suggested advised recommended compared arising involving extending including help helps"
)


def _normal(piece: str) -> str:
    """Return a piece of text as a term; function words at its ends fall off."""
    words = " ".join(piece.split()).strip(" .,;:()[]\"'").split()
    while words and words[0].lower() in CLOSED:
        words.pop(0)
    while words and words[-1].lower() in CLOSED:
        words.pop()
    term = _small(words)
    return term if term[:1].isalnum() and not term.isdigit() else ""


def _small(words: Sequence[str]) -> str:
    """Return words in small letters; acronyms keep theirs."""
    return " ".join(w if sum(c.isupper() for c in w) > 1 else w.lower() for w in words)


def _without_sizes(text: str) -> str:
    parts: list[str] = []
    done = 0
    for start, end in find_sizes(text):
        parts += [text[done:start], ";"]
        done = end
    return "".join([*parts, text[done:]])


def _modified(term: str, modifiers: Collection[str], terms: Collection[str]) -> bool:
    words = term.split()
    return any(
        " ".join(words[:at]).lower() in modifiers and " ".join(words[at:]) in terms
        for at in range(1, len(words))
    )


def _nested(counts: Mapping[str, int]) -> set[str]:
    """Return the terms that stand in as many texts as a longer one that holds them."""
    inside: set[str] = set()
    for term, count in counts.items():
        words = term.split()
        for start in range(len(words)):
            for end in range(start + 1, len(words) + 1):
                part = " ".join(words[start:end])
                if part != term and counts.get(part) == count:
                    inside.add(part)
    return inside
