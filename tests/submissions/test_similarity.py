"""Near-identical texts: the measure, its laws, and what is too short for it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.submissions.predictions import Prediction
from toolkit.submissions.similarity import (
    MIN_WORDS,
    copied_share,
    jaccard,
    near_references,
    output_marks,
)

LONG = "The risk of falls fell by four per cent with balance training."


@pytest.mark.parametrize(
    ("first", "second", "similarity"),
    [
        (LONG, LONG.upper().replace(".", " !"), 1.0),
        # Of the 3-grams abc bcd and bcd cde one of three is shared.
        ("a b c d", "b c d e", 1 / 3),
        ("a b c", "x y z", 0.0),
        ("a b", "a b", 0.0),
        ("", LONG, 0.0),
    ],
)
def test_similarity_is_the_share_of_common_3_grams(first, second, similarity):
    assert jaccard(first, second) == pytest.approx(similarity)


@given(st.text(), st.text())
def test_similarity_is_symmetric_and_within_0_and_1(first, second):
    assert 0 <= jaccard(first, second) == jaccard(second, first) <= 1


def test_near_answers_are_listed_and_short_references_left_out():
    answers = [
        Prediction("A", "a", LONG), Prediction("A", "b", "It is not known."),
        Prediction("A", "c", "yes"), Prediction("A", "d", None, "failed"),
    ]  # fmt: skip
    references = {"A": {"a": LONG, "b": LONG, "c": "yes", "d": LONG}}
    near = near_references(answers, references, 0.9)
    assert near.compared == 2
    assert near.found == (("A", "a", 1.0),)
    assert near.share == 0.5
    assert near_references([], {}, 0.9).share == 0.0


def test_marks_tell_long_answers_apart_whatever_their_case():
    words = " ".join("word" for _ in range(MIN_WORDS))
    mine = output_marks([Prediction("A", "a", LONG), Prediction("A", "b", "yes")])
    theirs = output_marks([Prediction("A", "a", LONG.upper()), Prediction("A", "c", words)])
    assert set(mine) == {"A/a"}
    assert copied_share(mine, theirs) == 1.0
    assert copied_share(theirs, mine) == 0.5
    assert copied_share({}, mine) == 0.0
