from __future__ import annotations

import pytest
import syllapy
from hypothesis import given
from metric_texts import ANY

from toolkit.metrics.syllables import syllables, syllables_name

BY_HAND = {
    1: "vs changed bed died dropped rates scores genes types cat x shared wished",
    2: "lowered unchanged treated added doses reviews bundled doubled studied agreed applied "
    "patient's compared increased improved centres enzymes observed measures samples "
    "walnut leptin Sjögren released involved syndromes",
    3: "diseases randomised follow-up glycemic included suggested diagnosed performing processes "
    "viruses",
    4: "estimated analyses diabetes administer administered",
    5: "associated",
}


@pytest.mark.parametrize(
    ("word", "count"),
    [(word, count) for count, words in BY_HAND.items() for word in words.split()],
)
def test_words_counted_by_hand(word: str, count: int) -> None:
    assert syllables(word) == count
    assert syllables(word.upper()) == count


def test_what_syllapy_gets_wrong() -> None:
    # When it no longer does, the rules on endings may go.
    wrong = {"lowered": 3, "unchanged": 3, "treated": 1, "pre-x1": 0}
    assert {word: syllapy.count(word) for word in wrong} == wrong


def test_known_words_without_the_endings_keep_syllapys_count() -> None:
    for word, count in syllapy.WORD_DICT.items():
        if word.isalpha() and not word.endswith(("ed", "es")):
            assert syllables(word) == max(count, 1), word


@given(ANY)
def test_every_text_counts_for_at_least_one(text: str) -> None:
    assert syllables(text) >= 1


def test_the_name_says_version_and_rules() -> None:
    assert syllables_name().startswith("syllapy-")
    assert syllables_name().endswith("+endings.1")
