import pytest

from toolkit.corpus.mathml import render_math
from toolkit.errors import SourceError


def math(inner):
    return (
        f"<mml:math>{inner}</mml:math>".replace("<m", "<mml:m")
        .replace("</m", "</mml:m")
        .replace("mml:mml:", "mml:")
    )


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ("<msup><mi>x</mi><mn>2</mn></msup>", "x^2"),
        ("<msup>\n<mrow><mi>R</mi></mrow>\n <mrow><mn>2</mn></mrow>\n</msup>\n", "R^2"),
        ("<msup><mi>e</mi><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></msup>", "e^(n+1)"),
        ("<msup><mn>10</mn><mrow><mo>-</mo><mn>3</mn></mrow></msup>", "10^-3"),
        ("<msub><mi>T</mi><mn>1</mn></msub>", "T1"),
        ("<msubsup><mi>T</mi><mn>2</mn><mo>∗</mo></msubsup>", "T2∗"),
        ("<mfrac><mi>a</mi><mi>b</mi></mfrac>", "a/b"),
        ("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac>", "(a+b)/2"),
        ("<msqrt><mn>3</mn></msqrt>", "√3"),
        ("<msqrt><mi>a</mi><mo>+</mo><mi>b</mi></msqrt>", "√(a+b)"),
        ("<mroot><mi>x</mi><mn>3</mn></mroot>", "x^(1/3)"),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "(a,b)"),
        ('<mfenced open="[" close="]" separators=";"><mi>a</mi><mi>b</mi></mfenced>', "[a;b]"),
        ("<munder><mi>lim</mi><mrow><mi>x</mi><mo>→</mo><mn>0</mn></mrow></munder>", "lim_(x→0)"),
        ("<mover><mi>x</mi><mo>¯</mo></mover>", "x¯"),
        ("<mn>86</mn><mspace/><mtext>ms</mtext>", "86 ms"),
        ("<mi>sin</mi><mi>x</mi>", "sin x"),
        ("<mn>2</mn><mi>x</mi>", "2x"),
        ("<mi>P</mi><mo>&gt;</mo><mn>0.2</mn>", "P>0.2"),
        (
            "<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr>"
            "<mtr><mtd><mn>0</mn></mtd><mtd><mn>1</mn></mtd></mtr></mtable>",
            "[1, 0; 0, 1]",
        ),
        ("<semantics><mi>y</mi><annotation>y in TeX</annotation></semantics>", "y"),
        ("<mi>f</mi><mo>\u2061</mo><mi>x</mi>", "fx"),
        ("<mmultiscripts><mi>C</mi><mprescripts/><none/><mn>13</mn></mmultiscripts>", "13C"),
    ],
)
def test_formulas_on_one_line(inner, expected):
    assert render_math(math(inner)) == expected


def test_without_carets_everything_joins():
    assert render_math("<math><msup><mi>x</mi><mn>2</mn></msup></math>", carets=False) == "x2"


def test_what_is_no_formula_is_refused():
    with pytest.raises(SourceError, match="formula"):
        render_math("<math><mi>x</math>")
