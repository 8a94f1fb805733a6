import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.ask.parser import make_parser

RATE = make_parser({"number": {"range": [1, 10]}})
TENTHS = make_parser({"number": {"range": [1, 10], "step": 0.1}})


@pytest.mark.parametrize(
    ("text", "status", "answer"),
    [
        ("7", "ok", "7"),
        (" 7.5\n", "ok", "7.5"),
        ("+7", "ok", "7"),
        ("7.0", "ok", "7"),
        ("10", "ok", "10"),
        ("**7**", "repaired", "7"),
        ("***7.5***", "repaired", "7.5"),
        ("7.", "repaired", "7"),
        ('"7"', "repaired", "7"),
        ("`7`", "repaired", "7"),
        ("```\n7\n```", "repaired", "7"),
    ],
)
def test_a_lone_number(text, status, answer):
    read = RATE.read(text)
    assert (read.status, read.answer, read.value) == (status, answer, float(answer))
    assert (read.reason == "") == (status == "ok")


@pytest.mark.parametrize(
    "text",
    ["Score: 7", "7/10", "4/5", "7 out of 10", "7,5", "1,000", "seven", "7 8", "NaN", "inf", "1e1",
     "7%", "7_0", "７", "٧", "True", "**7** or **8**", "-", ".", "--7", "0x7", "7-8", "\\boxed{7}"],
)  # fmt: skip
def test_no_number_out_of_anything_else(text):
    read = RATE.read(text)
    assert (read.status, read.answer, read.value) == ("invalid", None, None)
    assert read.reason == "the answer must be one number from 1 to 10 and nothing else"


@pytest.mark.parametrize("text", ["0", "0.9999999", "10.00001", "11", "-7", "9" * 90])
def test_none_is_clamped(text):
    read = RATE.read(text)
    assert read.status == "invalid"
    assert read.reason == f"{text} does not lie from 1 to 10"


def test_steps():
    for tenth in range(10, 101):
        assert TENTHS.read(f"{tenth / 10}").status == "ok"
    assert TENTHS.read("7.55").reason == "7.55 is not 1 plus a multiple of 0.1"
    assert make_parser({"number": {"step": 5}}).read("-15").value == -15
    assert make_parser({"number": {"step": 5}}).read("7").status == "invalid"


def test_without_a_range():
    free = make_parser("number")
    assert free.read("-12345678901234567890").answer == "-12345678901234567890"
    assert free.read("9" * 400).status == "invalid"
    assert free.read("").reason == "the answer is empty"
    assert free.read("x").reason == "the answer must be one number and nothing else"
    assert free.read("-0").answer == "0"


@given(st.integers(-(10**60), 10**60))
def test_every_integer_comes_back(number):
    assert make_parser("number").read(str(number)).value == number


@given(st.floats(1, 10))
def test_every_number_in_range_comes_back(number):
    text = f"{number:.17f}"
    assert RATE.read(text).value == float(text)


@given(st.text(alphabet="0123456789.*/-+ e\n`", max_size=12))
def test_what_is_read_lies_in_range(text):
    read = RATE.read(text)
    assert (read.value is None) == (read.status == "invalid")
    assert read.value is None or 1 <= read.value <= 10
