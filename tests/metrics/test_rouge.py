from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metric_texts import ANY, ODD, goldens, real_pairs
from rouge_score.rouge_scorer import RougeScorer

from toolkit.errors import UserError
from toolkit.metrics import rouge as module
from toolkit.metrics.rouge import Rouge, RougeParams, rouge
from toolkit.metrics.tokens import Vocabulary

COLUMNS = ("rouge1", "rouge2", "rougeL")
ORACLES = {stemmer: RougeScorer(list(COLUMNS), use_stemmer=stemmer) for stemmer in (True, False)}


def expected(prediction: str, reference: str, *, stemmer: bool = True) -> tuple[float, ...]:
    scores = ORACLES[stemmer].score(reference, prediction)
    return tuple(scores[column].fmeasure for column in COLUMNS)


@settings(max_examples=500)
@given(ANY, ANY, st.booleans())
def test_equals_rouge_score_on_any_text(prediction: str, reference: str, stemmer: bool) -> None:
    assert rouge(prediction, reference, stemmer=stemmer) == pytest.approx(
        expected(prediction, reference, stemmer=stemmer), abs=1e-12
    )


@settings(max_examples=300)
@given(st.lists(st.sampled_from("abc"), max_size=30), st.lists(st.sampled_from("abc"), max_size=30))
def test_equals_rouge_score_on_repeated_tokens(left: list[str], right: list[str]) -> None:
    prediction, reference = " ".join(left), " ".join(right)
    assert rouge(prediction, reference) == pytest.approx(expected(prediction, reference), abs=1e-12)


def test_equals_rouge_score_on_every_pair_of_odd_texts() -> None:
    for prediction in ODD:
        for reference in ODD:
            assert rouge(prediction, reference) == pytest.approx(
                expected(prediction, reference), abs=1e-12
            )


@pytest.mark.slow
def test_equals_rouge_score_on_two_thousand_real_pairs() -> None:
    pairs = real_pairs(2000, seed=11)
    worst = max(
        abs(ours - theirs)
        for pair in pairs
        for ours, theirs in zip(rouge(*pair), expected(*pair), strict=True)
    )
    assert worst <= 1e-12


def test_scores_do_not_depend_on_what_was_scored_before(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [("alpha beta gamma", "beta gamma delta"), ("delta running", "runs delta alpha")] * 3
    fresh = [rouge(*pair) for pair in pairs]
    tiny = Vocabulary("rouge-score", stemmer=True, limit=1)
    monkeypatch.setattr(module, "_vocabulary", lambda tokenizer, stemmer: tiny)
    assert [rouge(*pair) for pair in pairs] == fresh


def test_the_printed_examples() -> None:
    rows = goldens()
    columns = Rouge(RougeParams(profile="paper")).score(
        [row["generated"] for row in rows], [row["reference"] for row in rows]
    )
    for column in COLUMNS:
        printed = [row[column] for row in rows]
        assert [round(value.value or 0.0, 3) for value in columns[column]] == printed


@pytest.mark.parametrize(
    ("prediction", "reference", "classic"),
    [
        ("IL-1β", "IL-1α", 1.0),
        ("p<0.05", "p>0.05", 1.0),
        ("≥ 5 cm", "≤ 5 cm", 1.0),
        ("心不全", "心不全", 0.0),
        ("HER2+", "HER2-", 1.0),
    ],
)
def test_the_biomedical_tokenizer_sees_what_the_classic_one_drops(
    prediction: str, reference: str, classic: float
) -> None:
    assert rouge(prediction, reference)[0] == classic
    biomedical = rouge(prediction, reference, tokenizer="biomedical")[0]
    assert biomedical == 1.0 if prediction == reference else biomedical < 1.0


@given(ANY)
def test_a_text_with_tokens_equals_itself(text: str) -> None:
    scores = rouge(text, text, tokenizer="biomedical")
    assert scores[0] in (0.0, 1.0)
    assert scores[2] == scores[0]


@given(ANY, ANY)
def test_f1_is_symmetric_and_within_bounds(left: str, right: str) -> None:
    scores = rouge(left, right, tokenizer="biomedical")
    assert scores == pytest.approx(rouge(right, left, tokenizer="biomedical"), abs=1e-12)
    assert all(0.0 <= score <= 1.0 + 1e-12 and math.isfinite(score) for score in scores)
    assert scores[2] <= scores[0] + 1e-12


def test_an_empty_prediction_pulls_the_mean_down() -> None:
    columns = Rouge(RougeParams()).score(["a b c", ""], ["a b c", "x y"])
    assert [value.value for value in columns["rouge1"]] == [1.0, 0.0]


def test_a_reference_without_tokens() -> None:
    classic = Rouge(RougeParams()).score(["心不全"], ["心不全"])
    assert classic["rouge1"][0].value == 0.0
    biomedical = Rouge(RougeParams(tokenizer="biomedical")).score(["x"], ["..."])
    assert biomedical["rougeL"][0].value is None
    assert biomedical["rougeL"][0].reason == "no tokens in the reference"


def test_a_hundred_thousand_tokens() -> None:
    left = " ".join(f"w{i % 5000}" for i in range(100_000))
    right = " ".join(f"w{i % 4999}" for i in range(100_000))
    scores = rouge(left, right)
    # 20 full rounds of 5,000 against 4,999 + 20 spare: hand-counted unigram overlap.
    overlap = sum(min(20, 21 if i < 20 else 20) for i in range(4999))
    assert scores[0] == pytest.approx(overlap / 100_000, abs=1e-12)
    assert 0.0 < scores[2] <= scores[0]


def test_paper_profile_refuses_other_settings() -> None:
    with pytest.raises(UserError, match="profile 'paper'"):
        Rouge(RougeParams(profile="paper", tokenizer="biomedical"))
    with pytest.raises(UserError, match="profile 'paper'"):
        Rouge(RougeParams(profile="paper", stemmer=False))


def test_signatures_tell_settings_apart() -> None:
    metrics = [
        Rouge(RougeParams()),
        Rouge(RougeParams(profile="paper")),
        Rouge(RougeParams(stemmer=False)),
        Rouge(RougeParams(tokenizer="biomedical")),
    ]
    assert len({metric.signature() for metric in metrics}) == 4
    assert metrics[1].signature() == (
        "rouge|stats:f1|stemmer:porter-nltk|tokenizer:rouge-score|profile:paper|version:1"
    )
