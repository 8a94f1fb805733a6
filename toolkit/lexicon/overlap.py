"""Whether two terms share so much of their letters that one could be taken for the other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from toolkit.metrics.verb_lexicon import word_set

__all__ = ["overlap_fault", "same_word"]

_WORD: Final = re.compile(r"[^\W_]+")
_PART: Final = 3
"""Letters from which on a part of a word counts; shorter terms must be whole words."""
_STEM: Final = 4


def overlap_fault(term: str, alternative: str) -> str:
    """Return how two terms overlap; empty if they do not.

    They do when one is part of the other (``effusion``, ``pleural effusion``; ``normal``,
    ``abnormal``), or when their words are forms of the same ones (``cyst``, ``cysts``;
    ``stenosis``, ``stenotic``).
    """
    one, other = _WORD.findall(term.lower()), _WORD.findall(alternative.lower())
    if one == other:
        return "is the term itself"
    for inner, outer, fault in (
        (one, other, "holds the term"),
        (other, one, "is a part of the term"),
    ):
        glued = " ".join(inner)
        if glued in " ".join(outer) and (len(glued) >= _PART or set(inner) <= set(outer)):
            return fault
        if len(inner) < len(outer) and _run_inside(inner, outer):
            return f"{fault} in another form"
    if len(one) == len(other) and all(map(same_word, one, other)):
        return "is another form of the term"
    return ""


def _run_inside(inner: Sequence[str], outer: Sequence[str]) -> bool:
    starts = range(len(outer) - len(inner) + 1)
    return any(all(map(same_word, inner, outer[start : start + len(inner)])) for start in starts)


def same_word(one: str, other: str) -> bool:
    """Tell whether two words are inflections or derivations of the same word."""
    return one == other or bool(_stems(one) & _stems(other))


@lru_cache(maxsize=16384)
def _stems(word: str) -> frozenset[str]:
    from lemminflect import getAllLemmas

    lemmas = {lemma for group in getAllLemmas(word).values() for lemma in group}
    stems = {
        form[: len(form) - len(ending)]
        for form in {word, *lemmas}
        for ending in _ENDINGS
        if form.endswith(ending) and len(form) - len(ending) >= _STEM
    }
    return frozenset({word, *lemmas} | stems)


# Of inflections and of the usual derivations of nouns and adjectives in medicine.
_ENDINGS: Final = word_set(
    "s es ed ing ly e y ies ied a as ae i um us is ia ic ical al ial ar ary ous ive ity ion ions "
    "ation ations ication ications ancy ant ent ence osis oses otic itis itides itic asis ases "
    "atic esis etic emia emic ness"
)
