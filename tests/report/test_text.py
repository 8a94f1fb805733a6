"""Untrusted text and numbers, printed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.report.text import count, number, p_value, plural, printable, shorten


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("a\x00b", "a[U+0000]b"),
        ("abc\u202etxt.exe", "abc[U+202E]txt.exe"),
        ("\u2066x\u2069", "[U+2066]x[U+2069]"),
        ("one\r\ntwo\rthree\ttab", "one\ntwo\nthree\ttab"),
        ("\ud800 lone", "[U+D800] lone"),
        ("心不全 IL-1β 10⁶ 😀", "心不全 IL-1β 10⁶ 😀"),
    ],
)
def test_what_cannot_be_printed_is_named(text: str, want: str) -> None:
    assert printable(text) == want


@given(st.text(st.characters()))
def test_printable_text_can_be_written_and_is_stable(text: str) -> None:
    got = printable(text)
    assert got.encode("utf-8").decode("utf-8") == got
    assert printable(got) == got


@pytest.mark.parametrize(
    ("value", "digits", "want"),
    [
        (None, 3, "–"),
        (0.12345, 3, "0.123"),
        (-0.0001, 3, "0.000"),
        (-0.5, 1, "-0.5"),
        (12.0, 0, "12"),
        (0.0, 2, "0.00"),
    ],
)
def test_numbers(value, digits, want) -> None:
    assert number(value, digits) == want


def test_a_cut_is_told() -> None:
    assert shorten("abcdef", 6) == "abcdef"
    assert shorten("x" * 5000, 4000) == "x" * 4000 + " [… 1,000 more characters]"


def test_counts() -> None:
    assert (count(1234567), plural(1, "item"), plural(0, "item"), plural(2, "row")) == (
        "1,234,567",
        "1 item",
        "0 items",
        "2 rows",
    )


@pytest.mark.parametrize(
    ("value", "digits", "want"),
    [
        (0.0, 4, "<0.0001"),
        (0.00004, 4, "<0.0001"),
        (0.00006, 4, "0.0001"),
        (0.03, 2, "0.03"),
        (1.0, 4, "1.0000"),
        (None, 4, "–"),
    ],
)
def test_a_p_value_is_never_printed_as_zero(value, digits, want) -> None:
    assert p_value(value, digits) == want
