from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from metric_texts import ANY, ODD
from rouge_score import tokenize

from toolkit.metrics.tokens import Vocabulary, biomedical_tokens, rouge_score_tokens


@given(ANY)
def test_rouge_score_tokens_equal_the_original(text: str) -> None:
    assert rouge_score_tokens(text) == tokenize.tokenize(text, None)


@pytest.mark.parametrize("text", ODD)
def test_rouge_score_tokens_equal_the_original_on_odd_text(text: str) -> None:
    assert rouge_score_tokens(text) == tokenize.tokenize(text, None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("IL-1β", ["il", "1", "β"]),
        ("p<0.05", ["p", "<", "0.05"]),
        ("P < .05", ["p", "<", "0.05"]),
        ("p<=0.05", ["p", "≤", "0.05"]),
        ("≥5 cm", ["≥", "5", "cm"]),
        ("HER2+ or HER2-", ["her2+", "or", "her2-"]),
        ("HER2-positive", ["her2", "positive"]),
        ("Na+ and ER-", ["na+", "and", "er-"]),
        ("1,000 of 12,345.6", ["1000", "of", "12345.6"]),
        ("-5.3 and −5", ["-5.3", "and", "-5"]),
        ("1.02-1.79", ["1.02", "1.79"]),
        ("10- to 20-year", ["10", "to", "20", "year"]),
        ("temperature- and", ["temperature", "and"]),
        ("0.5mg/kg", ["0.5", "mg", "kg"]),
        ("µg", ["μg"]),
        ("心不全", ["心", "不", "全"]),
        ("+/- 2%", ["±", "2", "%"]),
        ("... !", []),
    ],
)
def test_biomedical_tokens(text: str, expected: list[str]) -> None:
    assert biomedical_tokens(text) == expected


@given(ANY)
def test_biomedical_tokens_do_not_depend_on_composition(text: str) -> None:
    composed = unicodedata.normalize("NFC", text)
    assert biomedical_tokens(text) == biomedical_tokens(composed)
    assert biomedical_tokens(unicodedata.normalize("NFD", text)) == biomedical_tokens(composed)


@given(ANY)
def test_every_biomedical_token_is_visible(text: str) -> None:
    assert all(token and not token.isspace() for token in biomedical_tokens(text))


def test_equal_stems_share_a_number() -> None:
    vocabulary = Vocabulary("rouge-score", stemmer=True)
    runs, running, ran = (vocabulary.numbers(word) for word in ("runs", "Running", "ran"))
    assert runs != ran
    assert vocabulary.numbers("run") == running
    plain = Vocabulary("rouge-score", stemmer=False)
    assert plain.numbers("runs") != plain.numbers("running")


def test_a_vocabulary_forgets_once_it_is_too_large() -> None:
    vocabulary = Vocabulary("rouge-score", stemmer=True, limit=10)
    first = vocabulary.numbers("alpha beta gamma")
    vocabulary.renew()
    assert vocabulary.numbers("gamma beta alpha") == first  # numbered anew, from the start
    small = Vocabulary("rouge-score", stemmer=True, limit=1000)
    first = small.numbers("alpha beta gamma")
    small.renew()
    assert small.numbers("gamma beta alpha") == first[::-1]
