"""What the linguistic measures count in one text: words, sentences, syllables.

A word is a run of Latin letters, held together by single apostrophes and hyphens: measures of
English prose say nothing about numbers or other scripts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from toolkit.errors import UserError
from toolkit.metrics.base import Text
from toolkit.metrics.syllables import syllables

__all__ = [
    "NO_WORDS",
    "check_named_once",
    "column",
    "latin_words",
    "reading_ease",
    "school_grade",
    "suffixed",
]

NO_WORDS: Final = "no words in Latin letters"
"""The reason for no score of a text that is not blank."""

_WORD: Final = re.compile(
    r"[A-Za-zÀ-ÖØ-öø-ÿĀ-ž]+(?:['’\-‐‑][A-Za-zÀ-ÖØ-öø-ÿĀ-ž]+)*",
)


def latin_words(text: str) -> list[str]:
    """Return the words of a text in lower case: ``follow-up`` is one, ``0.05`` is none."""
    composed = text if text.isascii() else unicodedata.normalize("NFC", text)
    return [word.lower() for word in _WORD.findall(composed)]


def reading_ease(words: Sequence[str], sentences: int) -> float:
    """Return the Flesch reading ease: 206.835 - 1.015 words/sentence - 84.6 syllables/word.

    Flesch, R. (1948), "A new readability yardstick", doi:10.1037/h0057532. Higher is easier;
    plain English lies between 60 and 70, and there is no bound on either side.

    Args:
        words: at least one.
        sentences: at least 1.
    """
    return 206.835 - 1.015 * len(words) / sentences - 84.6 * _syllables(words) / len(words)


def school_grade(words: Sequence[str], sentences: int) -> float:
    """Return the Flesch-Kincaid grade: 0.39 words/sentence + 11.8 syllables/word - 15.59.

    Kincaid, J. P. et al. (1975), "Derivation of new readability formulas", doi:10.21236/ADA006655.
    About the years of US schooling a reader needs.

    Args:
        words: at least one.
        sentences: at least 1.
    """
    return 0.39 * len(words) / sentences + 11.8 * _syllables(words) / len(words) - 15.59


def _syllables(words: Sequence[str]) -> int:
    return sum(map(syllables, words))


def suffixed(name: str, text: Text) -> str:
    """Return the name of a score of one of the texts; the output's stays plain."""
    return name if text == "output" else f"{name}_{text}"


def check_named_once(metric: str, parameter: str, given: Sequence[str]) -> None:
    """Refuse a list of choices that is empty or repeats one.

    Raises:
        UserError: it does.
    """
    if not given or len(set(given)) != len(given):
        raise UserError(
            f"{metric}: {parameter} is {list(given)}", hint="name at least one, and each once"
        )


def column(
    text: Text, predictions: Sequence[str], references: Sequence[str], inputs: Sequence[str] | None
) -> Sequence[str]:
    """Return the texts of one kind.

    Raises:
        ValueError: there are no inputs, or not as many as predictions.
    """
    if text != "input":
        return predictions if text == "output" else references
    if inputs is None or len(inputs) != len(predictions):
        given = "no" if inputs is None else len(inputs)
        raise ValueError(f"{len(predictions)} predictions but {given} inputs")
    return inputs
