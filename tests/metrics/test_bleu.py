from __future__ import annotations

import math

import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from metric_texts import ANY, goldens, real_pairs
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

from toolkit.metrics.bleu import Bleu, BleuParams, nltk_sentence_bleu
from toolkit.metrics.nltk_words import nltk_words

METHOD1 = SmoothingFunction().method1
TOKENS = st.lists(st.sampled_from(["a", "b", "c", "d", "."]), max_size=12)


@settings(max_examples=500)
@given(TOKENS, TOKENS)
def test_equals_nltk_method_1_on_any_tokens(prediction: list[str], reference: list[str]) -> None:
    expected = (
        sentence_bleu([reference], prediction, smoothing_function=METHOD1) if prediction else 0.0
    )
    assert nltk_sentence_bleu(prediction, reference) == pytest.approx(expected, abs=1e-12)


def test_short_hypotheses_equal_nltk() -> None:
    assert nltk_sentence_bleu(["a"], ["a"]) == pytest.approx(0.1778279410, abs=1e-9)
    assert nltk_sentence_bleu([], ["a"]) == 0.0
    assert nltk_sentence_bleu(["a"], []) == 0.0
    assert nltk_sentence_bleu(["b"], ["a"]) == 0.0


def test_paper_profile_equals_nltk_on_real_pairs() -> None:
    pairs = real_pairs(80, seed=5)
    values = Bleu(BleuParams(profile="paper")).score(
        [prediction for prediction, _ in pairs], [reference for _, reference in pairs]
    )["bleu"]
    for value, (prediction, reference) in zip(values, pairs, strict=True):
        hypothesis = nltk_words(prediction.lower())
        expected = sentence_bleu(
            [nltk_words(reference.lower())], hypothesis, smoothing_function=METHOD1
        )
        assert value.value == pytest.approx(expected, abs=1e-12)


def test_the_printed_examples() -> None:
    rows = goldens()
    values = Bleu(BleuParams(profile="paper")).score(
        [row["generated"] for row in rows], [row["reference"] for row in rows]
    )["bleu"]
    assert [round(value.value or 0.0, 3) for value in values] == [row["bleu"] for row in rows]


@settings(max_examples=200)
@given(ANY.filter(str.strip), ANY.filter(str.strip))
def test_default_profile_equals_sacrebleu(prediction: str, reference: str) -> None:
    (value,) = Bleu(BleuParams()).score([prediction], [reference])["bleu"]
    expected = sacrebleu.sentence_bleu(prediction, [reference]).score / 100
    assert value.value == pytest.approx(min(expected, 1.0), abs=1e-12)


@given(ANY, ANY, st.sampled_from(["default", "paper"]))
def test_scores_are_finite_and_within_bounds(prediction: str, reference: str, profile: str) -> None:
    metric = Bleu(BleuParams(profile=profile))  # type: ignore[arg-type]
    (value,) = metric.score([prediction], [reference])["bleu"]
    if value.value is None:
        assert value.reason == "empty reference"
    else:
        assert math.isfinite(value.value)
        assert 0.0 <= value.value <= 1.0


def test_each_row_meets_its_own_reference() -> None:
    predictions = ["the cat sat on the mat .", "dogs were barking loudly outside ."]
    references = ["the cat sat on the mat .", "a dog barked outside loudly ."]
    first, second = Bleu(BleuParams()).score(predictions, references)["bleu"]
    assert first.value == pytest.approx(1.0)
    assert second.value is not None
    assert second.value < 0.2


def test_long_texts_are_scored_without_being_kept() -> None:
    text = "The dose was raised again . " * 800
    (value,) = Bleu(BleuParams(profile="paper")).score([text], [text])["bleu"]
    assert value.value == pytest.approx(1.0)


def test_signatures_name_tokenizer_and_smoothing() -> None:
    paper = Bleu(BleuParams(profile="paper")).signature()
    assert paper.startswith("bleu|case:lc|tok:nltk-")
    assert "|smooth:nltk-method1|profile:paper|" in paper
    default = Bleu(BleuParams()).signature()
    assert default.startswith("bleu|case:mixed|eff:yes|tok:13a|smooth:exp|sacrebleu:")
