"""Syllables of English words: syllapy's, with its slips on endings put right.

syllapy looks a word up among 6,392 known ones and counts vowel groups in any other. Its count
is off for endings with a silent ``e`` (``lowered`` and ``unchanged`` are 3 there, ``treated``
is 1), and 0 for compounds of which it cannot count a part, so these are counted here.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

__all__ = ["syllables", "syllables_name"]

_RULES_VERSION: Final = 1


def syllables_name() -> str:
    """Return the name and version of the counter behind :func:`syllables`."""
    from importlib.metadata import version

    return f"syllapy-{version('syllapy')}+endings.{_RULES_VERSION}"


@lru_cache(maxsize=65536)
def syllables(word: str) -> int:
    """Return the syllables of a word, at least 1.

    A compound has those of its parts. ``-ed`` adds a syllable after ``t`` and ``d`` alone
    (``treated``, not ``lowered``), ``-es`` after a hiss alone (``doses``, not ``rates``). An
    abbreviation without vowels (``vs``) has one.

    Args:
        word: letters with inner apostrophes or hyphens; case and accents do not matter.
    """
    plain = unicodedata.normalize("NFD", word.lower()).encode("ascii", "ignore").decode()
    parts = [re.sub(r"[^a-z]", "", part) for part in plain.split("-")]
    return max(1, sum(_of_part(part) for part in parts if part))


def _of_part(word: str) -> int:
    from syllapy import WORD_DICT, count

    for ending, sounded, odd in _ENDINGS:
        stem = word.removesuffix(ending)
        if stem == word or word in odd or not _VOWEL.search(stem) or stem[-1] in "eiou":
            continue
        # "lower" of "lowered", "change" of "changed", "drop" of "dropped".
        known = [base for base in (stem + "e", stem, stem[:-1]) if base in WORD_DICT]
        silent = _SYLLABIC.search(stem) is not None
        n = WORD_DICT[known[0]] if known else max(int(count(stem)), 1) + silent
        return n + (sounded.search(stem) is not None)
    return max(int(count(word)), 1)


_VOWEL: Final = re.compile(r"[aeiouy]")
# A last l or r after a consonant is a syllable of its own: "doubl(ed)", "centr(es)".
_SYLLABIC: Final = re.compile(r"[^aeiouylr][lr]$")
_ENDINGS: Final = (
    ("ed", re.compile(r"[td]$"), frozenset(("naked", "wicked", "sacred", "rugged", "hundred"))),
    (
        "es",
        re.compile(r"(?:[sxzcg]|ch|sh)$"),
        frozenset(
            ("diabetes", "herpes", "testes", "ascites", "nares", "pubes", "lentes", "faeces")
        ),
    ),
)
