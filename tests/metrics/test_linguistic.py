from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metric_texts import abstracts
from scipy.stats import entropy

from toolkit.errors import UserError
from toolkit.metrics.base import Value
from toolkit.metrics.linguistic import Linguistic, LinguisticParams, word_entropy

# text: words per verb, entropy, type-token ratio, reading ease; counted by hand
WRITTEN_DOWN = {
    "The cat sat on the mat. The dog ran.": (4.5, 2.641604, 0.777778, 117.6675),
    "Statins lowered cholesterol. No deaths occurred.": (3, 2.584963, 1, 34.59),
    "Pain fell by 0.5 points (P < .05). Mortality was unchanged.": (4, 3, 1, 75.875),
    "Smith et al. compared A vs. B. E. coli grew.": (5, 3.321928, 1, 100.24),
    "Walnut intake may increase leptin but does not improve glycemic control.": (
        *(5.5, 3.459432, 1, 49.5427),
    ),
    "The model ranks texts. The model scores texts and the model reviews texts.": (
        *(4.333333, 2.603158, 0.538462, 89.606731),
    ),
}


def measure(text: str) -> tuple[Value, ...]:
    columns = Linguistic(LinguisticParams()).score([text], ["unread"])
    return tuple(values[0] for values in columns.values())


@pytest.mark.parametrize("text", WRITTEN_DOWN)
def test_the_written_down_values(text: str) -> None:
    values = [value.value for value in measure(text)]
    assert values == pytest.approx(WRITTEN_DOWN[text], abs=6e-5)


def test_a_text_without_a_verb_has_all_other_scores() -> None:
    per_verb, *others = measure("No pleural effusion.")
    assert per_verb == Value(None, reason="no finite verb")
    assert all(value.value is not None for value in others)


@pytest.mark.parametrize("text", ["7.5%", "死亡率は低下した。", "<<>>", "Смертность"])
def test_a_text_without_latin_words_has_no_scores(text: str) -> None:
    assert {value.reason for value in measure(text)} == {"no words in Latin letters"}


def test_each_text_has_scores_of_its_own() -> None:
    metric = Linguistic(LinguisticParams(on=("reference", "output", "input")))
    assert metric.reads == ("reference", "output", "input")
    rows = ["The dog ran."], ["The cat sat on the mat."], [""]
    columns = metric.score(*rows)
    assert columns["words_per_verb"][0].value == 3
    assert columns["words_per_verb_reference"][0].value == 6
    assert columns["words_per_verb_input"][0] == Value(None, reason="empty input")
    assert list(columns) == [one.name for one in metric.definitions()]
    assert len(columns) == 12
    with pytest.raises(ValueError, match="1 predictions but no inputs"):
        metric.score(rows[0], rows[1])


@pytest.mark.parametrize("on", [(), ("output", "output")])
def test_texts_are_named_once(on: tuple[str, ...]) -> None:
    with pytest.raises(UserError, match="linguistic: on is"):
        Linguistic(LinguisticParams(on=on))  # type: ignore[arg-type]


@given(st.lists(st.sampled_from("abcde"), min_size=1, max_size=40))
def test_entropy_equals_scipys(words: list[str]) -> None:
    counts = [words.count(word) for word in set(words)]
    assert word_entropy(words) == pytest.approx(entropy(counts, base=2), abs=1e-12)
    assert 0 <= word_entropy(words) <= math.log2(len(words)) + 1e-12


def test_real_abstracts_against_counts_by_another_route() -> None:
    for text in abstracts()[:60]:
        per_verb, bits, ratio, _ = measure(text)
        words = re.findall(r"[^\W\d_]+(?:['’‐‑-][^\W\d_]+)*", text.lower())
        if not all(re.fullmatch("[a-z'’‐‑-]+", word) for word in words):
            continue
        counts = [words.count(word) for word in set(words)]
        assert ratio.value == pytest.approx(len(counts) / len(words))
        assert bits.value == pytest.approx(entropy(counts, base=2))
        verbs = len(words) / per_verb.value if per_verb.value else 0
        assert verbs == pytest.approx(round(verbs))


def test_the_signature_names_tagger_syllables_and_segmenter() -> None:
    signature = Linguistic(LinguisticParams(on=("output", "reference"))).signature()
    for part in ("on:output+reference", "tagger:rule.", "syllables:syllapy-", "segmenter:nupunkt-"):
        assert f"|{part}" in signature
