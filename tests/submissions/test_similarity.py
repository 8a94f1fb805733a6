"""Near-identical texts: the measure, its laws, and what is too short for it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.submissions.predictions import Prediction
from toolkit.submissions.similarity import (
    MIN_WORDS,
    contained,
    copied_share,
    near_references,
    output_marks,
)

LONG = "The risk of falls fell by four per cent with balance training."


@pytest.mark.parametrize(
    ("answer", "reference", "share"),
    [
        (LONG, LONG, 1.0),
        # Of the 3-grams bcd and cde one stands in abcd.
        ("a b c d", "b c d e", 1 / 2),
        # Filler around a copy takes nothing away.
        ("well then a b c d and much more", "a b c d", 1.0),
        ("a b c", "x y z", 0.0),
        ("a b", "a b", 0.0),
        ("", LONG, 0.0),
    ],
)
def test_similarity_is_the_share_of_the_references_3_grams(answer, reference, share):
    assert contained(answer.split(), reference.split()) == pytest.approx(share)


@given(st.lists(st.sampled_from("abcd")), st.lists(st.sampled_from("abcd")), st.text())
def test_a_text_holds_itself_and_what_is_added_takes_nothing_away(answer, reference, more):
    share = contained(answer, reference)
    assert 0 <= share <= contained([*answer, *more], reference) <= 1
    assert contained(reference, reference) == (len(reference) > 2)


@pytest.mark.parametrize(
    "disguise",
    [
        lambda text: text.replace(" ", "_"),
        lambda text: text.replace(" ", "\u200b"),
        lambda text: text.replace(" ", " \u03b1 "),
        lambda text: text.replace("a", "a\u00ad"),
        lambda text: text.upper().replace(".", " !"),
        lambda text: f"Much more may be said of it before we begin. {text} " * 3,
        lambda text: "".join(chr(ord(c) + 0xFEE0) if c.isalpha() else c for c in text),
    ],
)
def test_a_reference_in_disguise_is_found(disguise):
    near = near_references([Prediction("A", "a", disguise(LONG))], {"A": {"a": LONG}}, 0.9)
    assert [item for _, item, _ in near.found] == ["a"]


def test_numbers_of_a_text_in_another_script_are_no_copy():
    reference = " ".join("\u0440\u0438\u0441\u043a" for _ in range(9)) + " 4 12 7"
    near = near_references([Prediction("A", "a", "4 12 7")], {"A": {"a": reference}}, 0.9)
    assert (near.compared, near.found) == (1, ())


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
    for other in (
        LONG.replace(" ", "_"),
        LONG.replace(" ", "\u200b"),
        LONG.replace("r", "r\u00ad"),
    ):
        assert output_marks([Prediction("A", "a", other)]) == {"A/a": mine["A/a"]}
    theirs = output_marks([Prediction("A", "a", LONG.upper()), Prediction("A", "c", words)])
    assert set(mine) == {"A/a"}
    assert copied_share(mine, theirs) == 1.0
    assert copied_share(theirs, mine) == 0.5
    assert copied_share({}, mine) == 0.0
