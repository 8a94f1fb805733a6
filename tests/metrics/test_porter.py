from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from metric_texts import ODD, WORDS, abstracts
from nltk.stem.porter import PorterStemmer

from toolkit.metrics.porter import stem

NLTK = PorterStemmer()


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("ties", "tie"),
        ("agreed", "agre"),
        ("hopping", "hop"),
        ("filing", "file"),
        ("relational", "relat"),
        ("archaeology", "archaeolog"),
        ("skies", "sky"),
        ("dying", "die"),
        ("by", "by"),
    ],
)
def test_known_stems(word: str, expected: str) -> None:
    assert stem(word) == expected


@settings(max_examples=800)
@given(WORDS)
def test_equals_nltk_on_any_word(word: str) -> None:
    assert stem(word) == NLTK.stem(word)


def test_equals_nltk_on_every_word_of_real_abstracts() -> None:
    words = sorted({word for text in abstracts() for word in re.findall("[a-z0-9]+", text.lower())})
    assert len(words) > 20_000
    assert [word for word in words if stem(word) != NLTK.stem(word)] == []


def test_equals_nltk_on_odd_lower_case_text() -> None:
    for text in ODD:
        assert stem(text.lower()) == NLTK.stem(text)


def test_a_word_of_a_hundred_thousand_letters() -> None:
    for word in ("y" * 100_000, "alli" * 25_000, "ab" * 50_000 + "ational"):
        assert stem(word) == NLTK.stem(word)
