from __future__ import annotations

import pytest

from toolkit.errors import UserError
from toolkit.metrics.base import Value
from toolkit.metrics.readability import Readability, ReadabilityParams


@pytest.mark.parametrize(
    ("text", "words", "sentences", "syllables"),
    [
        ("The cat sat on the mat. The dog ran.", 9, 2, 9),
        ("Statins lowered cholesterol. No deaths occurred.", 6, 2, 12),
        ("Pain fell by 0.5 points (P < .05). Mortality was unchanged.", 8, 2, 12),
        ("Smith et al. compared A vs. B. E. coli grew.", 10, 2, 12),
        ("Walnut intake may increase leptin but does not improve glycemic control.", 11, 1, 19),
    ],
)
def test_both_formulas_on_counts_by_hand(
    text: str, words: int, sentences: int, syllables: int
) -> None:
    columns = Readability(ReadabilityParams()).score([text], [""])
    ease = 206.835 - 1.015 * words / sentences - 84.6 * syllables / words
    grade = 0.39 * words / sentences + 11.8 * syllables / words - 15.59
    assert columns["reading_ease"][0].value == pytest.approx(ease, abs=1e-9)
    assert columns["school_grade"][0].value == pytest.approx(grade, abs=1e-9)


def test_easier_text_has_higher_ease_and_lower_grade() -> None:
    texts = ["We ran. It was fun.", "Hepatocellular carcinogenesis necessitates immunomodulation."]
    columns = Readability(ReadabilityParams()).score(texts, ["", ""])
    (easy, hard), (low, high) = ([v.value for v in values] for values in columns.values())
    assert easy > hard
    assert low < high


def test_texts_without_words_have_reasons() -> None:
    columns = Readability(ReadabilityParams(on=("output", "reference"))).score(["", "7"], ["", "x"])
    assert columns["reading_ease"] == [
        Value(None, reason="empty prediction"),
        Value(None, reason="no words in Latin letters"),
    ]
    assert columns["school_grade_reference"][0] == Value(None, reason="empty reference")
    assert columns["school_grade_reference"][1].value is not None


def test_texts_are_named_once() -> None:
    with pytest.raises(UserError, match="readability: on is"):
        Readability(ReadabilityParams(on=("output", "output")))
