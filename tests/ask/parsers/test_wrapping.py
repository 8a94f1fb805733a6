import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.ask.parsers.wrapping import unemphasised, unwrapped


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("**A**", "A"),
        ("***A***", "A"),
        ("“A”.", "A"),
        ("(A)", "A"),
        (" `A` ", "A"),
        ('**"A."**', "A"),
        ("**A** and **B**", "**A** and **B**"),
        ('"A" or "B"', '"A" or "B"'),
        ("(A) or (B)", "(A) or (B)"),
        ("**", "**"),
        ("", ""),
        (".", ""),
    ],
)
def test_unwrapped(text, bare):
    assert unwrapped(text) == bare


def test_only_emphasis_goes():
    assert unemphasised(" **(A).** ") == "(A)."
    assert unemphasised('"A"') == '"A"'


@given(st.text(alphabet="ab*_`\"'().[] ", max_size=30))
def test_letters_stay(text):
    for bare in (unwrapped(text), unemphasised(text)):
        assert bare in text
        assert [c for c in bare if c in "ab"] == [c for c in text if c in "ab"]


@pytest.mark.parametrize("mark", ["*", ".", "(", "_", '"'])
def test_layers_are_bounded(mark):
    assert len(unwrapped(mark * 1_000_000)) > 0
