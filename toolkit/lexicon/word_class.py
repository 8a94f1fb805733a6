"""What a term can be in a sentence: its part of speech and number, so that another fits there.

Words come from the lexicon behind :mod:`toolkit.metrics.verb_lexicon`; what it lacks, which is
much of radiology, is told by Greek, Latin and English endings.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from toolkit.metrics.verb_lexicon import CLOSED, forms_of, word_set

__all__ = ["Kind", "TermClass", "class_fault", "term_class"]

Kind = Literal["noun", "adjective", "adverb", "verb", "prepositional phrase", "verb phrase"]
Number = Literal["singular", "plural", ""]


@dataclass(frozen=True, slots=True)
class TermClass:
    """What a term can be.

    Attributes:
        kinds: parts of speech that are possible.
        number: of the noun; empty where it is open.
        open_end: the term ends in a preposition and goes on in the text: ``suspicious for``.
    """

    kinds: frozenset[Kind]
    number: Number = ""
    open_end: bool = False

    def __str__(self) -> str:
        shown = " or ".join(sorted(self.kinds))
        number = f"{self.number} " if self.number and self.kinds == {"noun"} else ""
        return f"{number}{shown}{' with a preposition' if self.open_end else ''}"


def class_fault(term: str, alternative: str) -> str:
    """Return why an alternative cannot stand where a term stands; empty if it can.

    Args:
        term: a word or phrase, abbreviations written out.
        alternative: likewise.
    """
    one, other = term_class(term), term_class(alternative)
    if not one.kinds & other.kinds or one.open_end != other.open_end:
        return f"is {_with_article(str(other))}, the term {_with_article(str(one))}"
    nouns = one.kinds & other.kinds == {"noun"}
    if nouns and one.number and other.number and one.number != other.number:
        return f"is {other.number}, the term {one.number}"
    return ""


def _with_article(text: str) -> str:
    return f"{'an' if text[0] in 'aeiou' else 'a'} {text}"


@lru_cache(maxsize=16384)
def term_class(term: str) -> TermClass:
    """Return what a term can be."""
    words = term.split()
    lower = [word.lower() for word in words]
    if any(CLOSED.get(word) == "modal" for word in lower):
        return TermClass(frozenset(("verb phrase",)), open_end=_preposition(lower[-1]))
    open_end = len(words) > 1 and _preposition(lower[-1])
    core = words[:-1] if open_end else words
    if _preposition(lower[0]):
        return TermClass(frozenset(("prepositional phrase",)), open_end=open_end)
    inner = next((at for at, word in enumerate(core) if _preposition(word.lower())), len(core))
    kinds = _kinds(core[inner - 1])
    if inner > 1 and "noun" in kinds and "-" not in core[inner - 1]:
        # The last word of several that can be a noun is one: `white matter`, `free air`.
        kinds = frozenset(("noun",))
    number = _number(core[inner - 1]) if "noun" in kinds else ""
    return TermClass(kinds, number, open_end)


def _preposition(word: str) -> bool:
    return CLOSED.get(word) in ("prep", "to") and word != "concerning"


def _kinds(word: str) -> frozenset[Kind]:
    lower = word.lower()
    forms = forms_of(lower)
    if word.isupper() and len(word) > 1:
        return frozenset(("noun",))
    if "-" in lower and lower.endswith("ed"):
        return frozenset(("adjective",))
    if not _in_lexicon(lower) and not lower.endswith(("ed", "ing", "ly")):
        return frozenset(("adjective",) if _adjective_ending(lower) else ("noun",))
    kinds: set[Kind] = set()
    for form in forms:
        kinds |= _KINDS[form]
    if forms <= {"VB", "VBZ"}:
        # The lexicon knows `abscess` as a verb alone.
        kinds.add("noun")
    if forms == {"N"} and _adjective_ending(lower):
        kinds.add("adjective")
    # `cyst` and `stent` can be verbs, but no term of a dictionary is meant so.
    return frozenset(kinds - {"verb"} or kinds)


_KINDS: Final[dict[str, frozenset[Kind]]] = {
    "N": frozenset(("noun",)),
    "J": frozenset(("adjective",)),
    "R": frozenset(("adverb",)),
    "VB": frozenset(("verb",)),
    "VBZ": frozenset(("verb",)),
    "VBD": frozenset(("verb",)),
    # Participles stand where adjectives stand: `calcified`, `enhancing`.
    "VBN": frozenset(("adjective",)),
    "VBG": frozenset(("adjective", "noun")),
}


@lru_cache(maxsize=16384)
def _in_lexicon(word: str) -> bool:
    from lemminflect import getAllLemmas

    return bool(getAllLemmas(word))


def _adjective_ending(word: str) -> bool:
    last = word.rpartition("-")[2]
    if last != word and _in_lexicon(last):
        return "J" in forms_of(last)
    return last.endswith(_ADJECTIVE) or last in _ADJECTIVES


_ADJECTIVE: Final = (
    "al", "ar", "ary", "ory", "ic", "ive", "ile", "ous", "ose", "ense", "able", "ible", "ine",
    "less", "like", "side", "ant",
)  # fmt: skip
_ADJECTIVES: Final = word_set("arachnoid midline paramedian rectosigmoid sigmoid subarachnoid")


def _number(word: str) -> Number:
    lower = word.lower()
    if word.isupper() and len(word) > 1:
        return "singular"
    last = lower.rpartition("-")[2]
    if last in _BOTH:
        return ""
    if last in _SINGULAR:
        return "singular"
    from lemminflect import getAllLemmas

    lemmas = getAllLemmas(last).get("NOUN", ())
    if lemmas:
        return "plural" if any(lemma != last for lemma in lemmas) else "singular"
    if last.endswith(("us", "is", "ss", "um", "oma", "ing")):
        return "singular"
    if last.endswith("a"):
        # `axilla` is singular, `hila` plural.
        return ""
    return "plural" if last.endswith(("s", "i", "ae")) else "singular"


_SINGULAR: Final = word_set("ascites pons biceps diabetes herpes gas chorea pus calculus")
_BOTH: Final = word_set("series pelves species apparatus")
