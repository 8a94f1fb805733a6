from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metric_texts import ANY

from toolkit.metrics.sentence_ratio import SentenceRatio, SentenceRatioParams


def ratio(prediction: str, reference: str, profile: str = "default") -> float | None:
    metric = SentenceRatio(SentenceRatioParams(profile=profile))  # type: ignore[arg-type]
    (value,) = metric.score([prediction], [reference])["sentence_ratio"]
    assert (value.value is None) == bool(value.reason)
    return value.value


@pytest.mark.parametrize(
    ("prediction", "reference", "default", "paper"),
    [
        ("It fell. It rose.", "It fell.", 2.0, 2.0),
        ("It fell (p < 0.05).", "It fell.", 1.0, 2.0),
        ("Smith et al. agreed, i.e. nodded.", "No. Yes.", 0.5, 2.0),
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


def test_a_reference_without_sentences_has_no_score() -> None:
    (value,) = SentenceRatio(SentenceRatioParams()).score(["It works."], ["..."])["sentence_ratio"]
    assert value.value is None
    assert value.reason == "no sentences in the reference"


def test_the_best_value_is_one() -> None:
    (definition,) = SentenceRatio(SentenceRatioParams()).definitions()
    assert (definition.direction, definition.target, definition.high) == ("target", 1.0, None)


def test_profiles_have_their_own_signatures() -> None:
    default = SentenceRatio(SentenceRatioParams()).signature()
    paper = SentenceRatio(SentenceRatioParams(profile="paper")).signature()
    assert default != paper
