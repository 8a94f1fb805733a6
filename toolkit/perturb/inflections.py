"""Whether two words are forms of one: plurals, English and Latin or Greek, and regular verbs.

Comparatives and derivations are other words here: an edit of *large* is not named by *larger*,
nor one of *calcified* by *calcification*. Irregular verbs are left alone, above all *left*.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

__all__ = ["same_word"]

_SHORTEST: Final = 4
"""Letters from which on a word is cut; shorter ones stand for themselves."""

_IRREGULAR: Final = {
    "feet": "foot", "teeth": "tooth", "men": "man", "women": "woman", "children": "child",
    "mice": "mouse", "lice": "louse", "vasa": "vas", "ossa": "os", "capita": "caput",
    "retia": "rete",
}  # fmt: skip

_PLURALS: Final = (
    ("ices", "ex"), ("ices", "ix"), ("yces", "yx"), ("aces", "ax"),
    ("nges", "nx"), ("yges", "yx"),
    ("mata", "ma"), ("ae", "a"), ("ina", "en"), ("a", "um"), ("a", "on"),
    ("ora", "us"), ("ora", "ur"), ("era", "us"), ("ura", "us"),
    ("i", "us"), ("ides", "is"), ("ntes", "ns"), ("es", "is"),
    ("ies", "y"), ("ves", "f"), ("ves", "fe"),
)  # fmt: skip
"""Ends of plurals and of their singulars. What they make of other words is no word, and so
never another's singular."""

_SIBILANT: Final = re.compile(r"(?:s|x|z|ch|sh|o)es$")
_S: Final = re.compile(r"[^sui]s$|[aeo]us$")
_VERB: Final = re.compile(r"(?P<stem>\w*[aeiouy]\w*?)(?:ed|ing)$")
_DOUBLED: Final = re.compile(r"([^aeiou])\1$")
# English doubles the last letter of such a stem, so that a single one has lost an e: rated.
_SHORT_STEM: Final = re.compile(r"^[^aeiou]*[aeiou][^aeiouwxy]$")


def same_word(one: str, other: str) -> bool:
    """Return whether two words in small letters have a base in common.

    ``effusions`` and ``effusion``, ``metastases`` and ``metastasis``, ``foramina`` and
    ``foramens``, ``enhances`` and ``enhancing`` do.
    """
    return one == other or not _bases(one).isdisjoint(_bases(other))


@lru_cache(maxsize=16384)
def _bases(word: str) -> frozenset[str]:
    """Return the word and every word that it may be a form of."""
    if word in _IRREGULAR:
        return frozenset((word, _IRREGULAR[word]))
    if len(word) < _SHORTEST or not word.isalpha():
        return frozenset((word,))
    found = {word} | {
        word.removesuffix(plural) + singular
        for plural, singular in _PLURALS
        if word.endswith(plural) and len(word) > len(plural)
    }
    if _SIBILANT.search(word):
        found.add(word[:-2])
    if _S.search(word):
        found.add(word[:-1])
    return frozenset(found | _verb_bases(word))


def _verb_bases(word: str) -> set[str]:
    if word.endswith("ied"):
        return {word[:-3] + "y"}
    match = _VERB.fullmatch(word)
    if match is None or word.endswith("eed"):
        return set()
    stem = match["stem"]
    if _SHORT_STEM.match(stem):
        return {stem + "e"}
    doubled = {stem[:-1]} if _DOUBLED.search(stem) else set[str]()
    return {stem, stem + "e"} | doubled
