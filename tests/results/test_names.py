"""Names that look alike are one name; signs that nobody sees are told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.results.names import folded, same_name, unseen

INVISIBLE = (
    "\u200b\u200c\u200d\u200e\u200f\u00ad\u061c\u2060\ufeff\u180e\ue000\U000e0041\ufe0f\u3164\u2800"
)


@pytest.mark.parametrize(
    "sign", [*INVISIBLE, "\u00a0", "\u2003", "\u3000", "\t", "\u2028", "\u0378"]
)
def test_what_nobody_sees_is_told_and_tells_no_names_apart(sign):
    assert unseen(f"Good{sign} 7B") == [f"U+{ord(sign):04X}"]
    assert same_name(f"Good {sign} 7B{sign}", "good 7b")


@pytest.mark.parametrize(
    "name", ["Good 7B", "Llama-3.1 (β)", "模型 七", "Grüße", "e\u0301t\u00e9", "a_b+c/d"]
)
def test_what_people_see_is_let_through(name):
    assert unseen(name) == []
    assert folded(name)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Ａlpha", "alpha", True),
        ("STRASSE", "straße", True),
        ("e\u0301", "é", True),
        ("two  words ", "Two words", True),
        ("two words", "twowords", False),
        ("7B", "8B", False),
    ],
)
def test_names_are_compared_as_they_are_seen(one, other, same):
    assert same_name(one, other) == same


@given(st.text(max_size=20), st.text(max_size=20))
def test_folding_a_name_again_changes_nothing(one, other):
    assert folded(folded(one)) == folded(one)
    assert same_name(one, other) == same_name(other, one)
