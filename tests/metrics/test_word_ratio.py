from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metric_texts import ANY

from toolkit.metrics.word_ratio import WordRatio, WordRatioParams


def ratio(prediction: str, reference: str, profile: str = "default") -> float | None:
    metric = WordRatio(WordRatioParams(profile=profile))  # type: ignore[arg-type]
    (value,) = metric.score([prediction], [reference])["word_ratio"]
    assert (value.value is None) == bool(value.reason)
    return value.value


@pytest.mark.parametrize(
    ("prediction", "reference", "default", "paper"),
    [
        ("a b c d", "a b", 2.0, 2.0),
        ("p < 0.05", "it fell", 1.0, 1.5),
        ("follow-up", "one two", 0.5, 1.0),
        ("...", "one two", 0.0, 0.0),
    ],
)
def test_ratios(prediction: str, reference: str, default: float, paper: float) -> None:
    assert ratio(prediction, reference) == default
    assert ratio(prediction, reference, "paper") == paper


@given(ANY, ANY, st.sampled_from(["default", "paper"]))
def test_ratios_are_finite_or_missing(prediction: str, reference: str, profile: str) -> None:
    value = ratio(prediction, reference, profile)
    assert value is None or (math.isfinite(value) and value >= 0.0)


@given(ANY)
def test_a_text_against_itself_is_one_or_missing(text: str) -> None:
    assert ratio(text, text) in (1.0, None)


def test_a_reference_without_words_has_no_score() -> None:
    (value,) = WordRatio(WordRatioParams()).score(["It works."], ["..."])["word_ratio"]
    assert value.value is None
    assert value.reason == "no words in the reference"


def test_the_best_value_is_one() -> None:
    (definition,) = WordRatio(WordRatioParams()).definitions()
    assert (definition.direction, definition.target, definition.high) == ("target", 1.0, None)


def test_profiles_have_their_own_signatures() -> None:
    default = WordRatio(WordRatioParams()).signature()
    paper = WordRatio(WordRatioParams(profile="paper")).signature()
    assert default != paper
