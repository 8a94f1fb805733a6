"""Tokens for n-gram metrics: rouge-score's own, and one that keeps biomedical contrasts.

Both turn a text into small integers, one for each distinct stem, because comparing integers
is what makes ROUGE fast. Integers are only comparable within the same vocabulary and
generation, see :meth:`Vocabulary.renew`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, Literal

from toolkit.metrics.porter import stem

__all__ = ["Tokenizer", "Vocabulary", "biomedical_tokens", "rouge_score_tokens"]

Tokenizer = Literal["rouge-score", "biomedical"]


def rouge_score_tokens(text: str) -> list[str]:
    """Split as rouge-score 0.1.2 does: lower-cased runs of ``a``-``z`` and ``0``-``9``.

    Every other character separates: accents, Greek letters, signs and decimal points vanish.
    """
    return [token.decode("ascii") for token in _rouge_score_bytes(text)]


def biomedical_tokens(text: str) -> list[str]:
    """Split so that texts that mean different things get different tokens.

    Letters of all scripts count; numbers keep decimal points, signs and no thousands
    separators (``.05`` and ``0.05`` are one, ``1,000`` is ``1000``) and
    stand apart from a unit written onto them (``5mg``); relations and other
    operators are tokens of their own, also where they are spelled in ASCII (``<=`` is ``≤``);
    a charge or receptor status stays with its word (``HER2+``, ``Na+``, ``ER-``); Chinese and
    Japanese characters are one token each. Text is composed (NFC) and lower-cased.
    """
    text = unicodedata.normalize("NFC", text).translate(_FOLDS)
    for spelling, sign in _DIGRAPHS:
        text = text.replace(spelling, sign)
    return [_canonical(match.group()) for match in _BIOMEDICAL.finditer(text)]


class Vocabulary:
    """Maps texts to token numbers, remembering the stems of words seen before.

    Memory is bounded: once the words remembered exceed ``limit`` characters, the next
    :meth:`renew` forgets all of them.
    """

    def __init__(self, tokenizer: Tokenizer, *, stemmer: bool, limit: int = 8_000_000) -> None:
        self._tokenizer = tokenizer
        self._limit = limit
        self._numbers = _Numbers(stemmer=stemmer)

    def numbers(self, text: str) -> list[int]:
        """Return one number for each token; equal stems get equal numbers."""
        if self._tokenizer == "rouge-score":
            return [*map(self._numbers.__getitem__, _rouge_score_bytes(text))]
        tokens = biomedical_tokens(text)
        return [*map(self._numbers.__getitem__, [token.encode("utf-8") for token in tokens])]

    def renew(self) -> None:
        """Forget all words if they have grown too many; call it only between two pairs.

        Numbers given before and after are not comparable.
        """
        if self._numbers.characters > self._limit:
            self._numbers.forget()


class _Numbers(dict[bytes, int]):
    """Word -> number of its stem, filled on first sight."""

    def __init__(self, *, stemmer: bool) -> None:
        super().__init__()
        self._stemmer = stemmer
        self._stems: dict[str, int] = {}
        self.characters = 0

    def __missing__(self, word: bytes) -> int:
        text = word.decode("utf-8")
        # rouge-score leaves words of up to three characters alone.
        if self._stemmer and len(text) > 3 and (text.isascii() and text.isalnum()):
            text = stem(text)
        number = self._stems.setdefault(text, len(self._stems))
        self[word] = number
        self.characters += len(word)
        return number

    def forget(self) -> None:
        self.clear()
        self._stems.clear()
        self.characters = 0


_LETTERS: Final = b"abcdefghijklmnopqrstuvwxyz0123456789"
_KEEP_ALPHANUMERIC: Final = bytes(code if code in _LETTERS else 32 for code in range(256))


def _rouge_score_bytes(text: str) -> list[bytes]:
    # Lower-casing comes first: it turns the Kelvin sign into k and a dotted I into i + accent.
    return text.lower().encode("ascii", "replace").translate(_KEEP_ALPHANUMERIC).split()


_FOLDS: Final = str.maketrans(
    {"µ": "μ", "−": "-", "‐": "-", "‑": "-", "﹣": "-", "-": "-", "＜": "<", "＞": ">", "＝": "="}
)
_DIGRAPHS: Final = (("+/-", "±"), ("<=", "≤"), (">=", "≥"), ("≦", "≤"), ("≧", "≥"))

_MARK: Final = r"\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_IDEOGRAPH: Final = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_LETTER: Final = rf"[^\W_{_IDEOGRAPH}]"
_BIOMEDICAL: Final = re.compile(
    rf"""
    (?<![\w)\]%])-?(?:\d{{1,3}}(?:,\d{{3}})+|\d+|(?<!\d)(?=\.\d))(?:\.\d+)?
    | {_LETTER}(?:{_LETTER}|[{_MARK}]|(?<=\d)\.(?=\d))*(?:\+(?!\w)|(?<=[A-Z0-9])-(?![\w]))?
    | [{_IDEOGRAPH}]
    | [<>=≤≥±×÷~≈≠≪≫→←↑↓↔+%‰°∞√∆∑]
    """,
    re.VERBOSE,
)
_THOUSANDS: Final = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?")


def _canonical(token: str) -> str:
    if _THOUSANDS.fullmatch(token):
        return token.replace(",", "")
    if token.startswith((".", "-.")):
        return token.replace(".", "0.", 1)
    return token.lower()
