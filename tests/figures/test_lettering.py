"""Words of figures: nothing lost on the way to the page."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from toolkit.figures.lettering import LACKING, clean, drawable, lacking, shorten, width, wrap

_ANY = st.text(st.characters(codec=None, categories=None), max_size=80)


@given(_ANY)
def test_clean_text_stands_in_xml_and_on_one_line(text):
    cleaned = clean(text)
    assert "\n" not in cleaned
    assert not any(unicodedata.category(letter) in ("Cc", "Cs") for letter in cleaned)
    cleaned.encode("utf-8")
    assert clean(cleaned) == cleaned


@given(_ANY, st.floats(0.2, 3))
def test_no_letter_is_lost_and_no_line_is_too_wide(text, inches):
    lines = wrap(text, inches, 7)
    assert "".join(lines).replace(" ", "") == drawable(text).replace(" ", "")
    assert all(width(line, 7) <= inches + 1e-9 or len(line) == 1 for line in lines)


@given(st.text(st.characters(codec="ascii"), max_size=80))
def test_ascii_is_drawn_as_it_stands(text):
    assert drawable(text) == clean(text)


def test_breaks_fall_at_blanks_then_at_signs_then_anywhere():
    assert wrap("Mental Health", 0.5, 7) == ["Mental", "Health"]
    assert wrap("Non-contradiction", 0.75, 7) == ["Non-", "contradiction"]
    assert len(wrap("x" * 100, 1.0, 7)) > 3


def test_too_many_lines_end_in_an_ellipsis():
    assert shorten(["a", "b"], 2) == ["a", "b"]
    assert shorten(["ab", "cd", "ef"], 2) == ["ab", "c…"]


def test_letters_without_a_glyph_are_one_box():
    assert drawable("中文 a") == f"{LACKING} a"
    assert drawable("עברית") == LACKING
    assert drawable("□□ 中") == "□□ □"
    assert not lacking("□□ é")
    assert lacking("□ 中")
    assert drawable("α β Ж ≥ é") == "α β Ж ≥ é"
    assert drawable("e\u0301") == "é"


def test_width_agrees_with_the_drawing_library():
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    text = "Public Health, Environmental and Occupational Health"
    path = TextPath((0, 0), text, size=7, prop=FontProperties(family="DejaVu Sans"))
    assert abs(width(text, 7) * 72 - path.get_extents().width) < 3
