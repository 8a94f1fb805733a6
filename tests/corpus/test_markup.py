import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.corpus.markup import collapse, render_text


@pytest.mark.parametrize(
    ("fragment", "default", "paper"),
    [
        (
            "of <i>E. coli</i> fell (<i>P</i>&#x2009;&lt;&#x2009;0.05)",
            "of E. coli fell (P < 0.05)",
            ...,
        ),
        ("Gene <b><i>TP53</i><sup>R175H</sup></b> variant.", "Gene TP53R175H variant.", ...),
        ("CO<sub>2</sub> and H<sub>2</sub>O", "CO2 and H2O", ...),
        ("10<sup>6</sup> cells", "10^6 cells", "106 cells"),
        ("5 × 10<sup>-3</sup> M", "5 × 10^-3 M", "5 × 10-3 M"),
        ("5x10<sup>9</sup>/L", "5x10^9/L", "5x109/L"),
        ("10<sup>-</sup><sup>3</sup>", "10^-3", "10-3"),
        ("<b>10</b><sup><i>6</i></sup>", "10^6", "106"),
        ("10<sup>&#x2212;3</sup>", "10^−3", "10−3"),
        ("10<sup> -5\u2005</sup>", "10^-5", "10 -5"),
        ("e.g.10<sup>4</sup>", "e.g.10^4", "e.g.104"),
        ("Ca<sup>2+</sup>, CD8<sup>+</sup>, m<sup>2</sup>", "Ca2+, CD8+, m2", ...),
        ("TP53<sup>2</sup> and the 5<sup>th</sup>", "TP532 and the 5th", ...),
        ("H<sub>2</sub><sup>18</sup>O", "H218O", ...),
        ("2015<sup>2,3</sup>", "2015^2,3", "20152,3"),
        ("[1-<sup>13</sup>C]pyruvate", "[1-13C]pyruvate", ...),
        ("10⁶ and 10⁻³", "10^6 and 10^-3", "10⁶ and 10⁻³"),
        ("kg/m² and CO₂", "kg/m² and CO₂", ...),
        ("P&amp;lt;0.05 and&amp;nbsp;so &amp;#8202;on", "P<0.05 and so on", ...),
        ("R&amp;D &amp;notaname; AT&amp;T;", "R&D &notaname; AT&T;", ...),
        ("  a\n\u00a0 b\u2009c ", "a b c", ...),
        ("one<list-item>two</list-item>three", "one two three", ...),
        ("a &lt;b&gt; c", "a <b> c", ...),
        (
            "see<DispFormula><mml:math><mml:mi>x</mml:mi></mml:math></DispFormula>there",
            "see x there",
            ...,
        ),
        (
            'Let <mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML"><mml:msup><mml:mi>x'
            "</mml:mi><mml:mn>2</mml:mn></mml:msup></mml:math> be given.",
            "Let x^2 be given.",
            "Let x2 be given.",
        ),
    ],
)
def test_rendering(fragment, default, paper):
    assert render_text(fragment) == default
    assert render_text(fragment, "paper") == (default if paper is ... else paper)


WORDS = st.lists(st.text(alphabet="abcXYZ é–", min_size=1, max_size=8), min_size=1, max_size=6)
TAGS = st.sampled_from(["i", "b", "u", "sub", "sup"])


@given(WORDS, st.lists(TAGS, min_size=6, max_size=6))
def test_inline_tags_never_fuse_or_lose_a_word(words, tags):
    marked = "".join(
        f"<{tag}>{word}</{tag}>" if index % 2 else word
        for index, (word, tag) in enumerate(zip(words, tags, strict=False))
    )
    assert render_text(marked) == " ".join("".join(words).split())


@given(st.text(max_size=60))
def test_white_space_is_collapsed_as_splitting_would(text):
    text = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", " ", text)
    assert collapse(text) == " ".join(text.split())


@given(st.text(alphabet="ab <>&;#x12lt", max_size=40))
def test_escaped_text_is_given_back(text):
    from xml.sax.saxutils import escape

    once = render_text(escape(text), "paper")
    # Only what still reads as a reference after that is replaced once more.
    if "&" not in text:
        assert once == " ".join(text.split())
