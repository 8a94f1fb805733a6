"""The Porter stemmer as ROUGE is computed with it.

Porter, M. (1980), "An algorithm for suffix stripping", Program 14(3), 130-137, with the
deviations that NLTK's ``NLTK_EXTENSIONS`` mode adds, because published ROUGE scores with
stemming come from that mode through rouge-score. Importing NLTK for it would cost every
worker process more than a second; the tests hold the two equal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

__all__ = ["stem"]

_Condition = Callable[[str], bool]
_Rule = tuple[str, str, _Condition]


def stem(word: str) -> str:
    """Return the Porter stem of a lower-case word, in NLTK's extended variant.

    Args:
        word: a lower-case word; other characters than ``a``-``z`` count as consonants.

    Returns:
        The stem; words of one or two letters are returned as they are.
    """
    irregular = _IRREGULAR.get(word)
    if irregular is not None:
        return irregular
    if len(word) <= 2:
        return word
    word = _past_and_gerund(_plural(word))
    if word.endswith("y") and len(word) > 2 and _shape(word[:-1]).endswith("c"):
        word = word[:-1] + "i"
    word = _rewrite(_double_suffix(word), _STEP_3)
    word = _rewrite(word, _STEP_4)
    return _final_letters(word)


_IRREGULAR: Final = {
    "sky": "sky",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "news": "news",
    "innings": "inning",
    "inning": "inning",
    "outings": "outing",
    "outing": "outing",
    "cannings": "canning",
    "canning": "canning",
    "howe": "howe",
    "proceed": "proceed",
    "exceed": "exceed",
    "succeed": "succeed",
}


class _Shapes(dict[int, str]):
    def __missing__(self, key: int) -> str:
        return "c"


_SHAPES: Final = _Shapes({ord(vowel): "v" for vowel in "aeiou"})


def _shape(word: str) -> str:
    """Write a word as consonants ``c`` and vowels ``v``; a y after a consonant is a vowel."""
    if "y" not in word:
        return word.translate(_SHAPES)
    shape = []
    before = "v"
    for letter in word:
        before = ("v" if before == "c" else "c") if letter == "y" else _SHAPES[ord(letter)]
        shape.append(before)
    return "".join(shape)


def _measure(word: str) -> int:
    # Each "vc" is one step from a vowel run to a consonant run: Porter's m.
    return _shape(word).count("vc")


def _positive(word: str) -> bool:
    return "vc" in _shape(word)


def _above_one(word: str) -> bool:
    return _measure(word) > 1


def _ends_short(word: str) -> bool:
    """Say whether a word ends consonant-vowel-consonant as in *hop*; NLTK adds *at*."""
    shape = _shape(word)
    if len(word) == 2:
        return shape == "vc"
    return shape.endswith("cvc") and word[-1] not in "wxy"


def _plural(word: str) -> str:
    if not word.endswith("s") or word.endswith("ss"):
        return word
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    return word[:-2] if word.endswith("sses") else word[:-1]


def _past_and_gerund(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _positive(word[:-3]) else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            return _restore(rest) if "v" in _shape(rest) else word
    return word


def _restore(word: str) -> str:
    """Mend what is left after *-ed* or *-ing*: conflat -> conflate, hopp -> hop, fil -> file."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if len(word) >= 2 and word[-1] == word[-2] and _shape(word).endswith("c"):
        return word if word[-1] in "lsz" else word[:-1]
    return word + "e" if _measure(word) == 1 and _ends_short(word) else word


def _double_suffix(word: str) -> str:
    # NLTK tries -alli before all other endings and goes on with what that leaves.
    while word.endswith("alli") and _positive(word[:-4]):
        word = word[:-2]
    if word.endswith("logi"):
        # The l counts as part of the stem, so that short stems (geo-, theo-) qualify.
        return word[:-1] if _positive(word[:-3]) else word
    return _rewrite(word, _STEP_2)


def _final_letters(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _ends_short(rest)):
            word = rest
    if word.endswith("ll") and _above_one(word[:-1]):
        word = word[:-1]
    return word


def _rewrite(word: str, rules: dict[str, tuple[_Rule, ...]]) -> str:
    """Apply the first rule whose suffix matches; if its condition fails, no other is tried."""
    for suffix, replacement, condition in rules.get(word[-1:], ()):
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            return rest + replacement if condition(rest) else word
    return word


def _by_last_letter(rules: list[_Rule]) -> dict[str, tuple[_Rule, ...]]:
    last = sorted({suffix[-1] for suffix, _, _ in rules})
    return {letter: tuple(rule for rule in rules if rule[0][-1] == letter) for letter in last}


def _after_s_or_t(word: str) -> bool:
    return _above_one(word) and word[-1] in "st"


_STEP_2: Final = _by_last_letter(
    [
        ("ational", "ate", _positive),
        ("tional", "tion", _positive),
        ("enci", "ence", _positive),
        ("anci", "ance", _positive),
        ("izer", "ize", _positive),
        ("bli", "ble", _positive),
        ("alli", "al", _positive),
        ("entli", "ent", _positive),
        ("eli", "e", _positive),
        ("ousli", "ous", _positive),
        ("ization", "ize", _positive),
        ("ation", "ate", _positive),
        ("ator", "ate", _positive),
        ("alism", "al", _positive),
        ("iveness", "ive", _positive),
        ("fulness", "ful", _positive),
        ("ousness", "ous", _positive),
        ("aliti", "al", _positive),
        ("iviti", "ive", _positive),
        ("biliti", "ble", _positive),
        ("fulli", "ful", _positive),
    ]
)

_STEP_3: Final = _by_last_letter(
    [
        ("icate", "ic", _positive),
        ("ative", "", _positive),
        ("alize", "al", _positive),
        ("iciti", "ic", _positive),
        ("ical", "ic", _positive),
        ("ful", "", _positive),
        ("ness", "", _positive),
    ]
)

_STEP_4: Final = _by_last_letter(
    [
        ("al", "", _above_one),
        ("ance", "", _above_one),
        ("ence", "", _above_one),
        ("er", "", _above_one),
        ("ic", "", _above_one),
        ("able", "", _above_one),
        ("ible", "", _above_one),
        ("ant", "", _above_one),
        ("ement", "", _above_one),
        ("ment", "", _above_one),
        ("ent", "", _above_one),
        ("ion", "", _after_s_or_t),
        ("ou", "", _above_one),
        ("ism", "", _above_one),
        ("ate", "", _above_one),
        ("iti", "", _above_one),
        ("ous", "", _above_one),
        ("ive", "", _above_one),
        ("ize", "", _above_one),
    ]
)
