import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.ask.parsers.numerals import split_numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1, 3-5", [1, 3, 4, 5]),
        ("1, 3 – 5.", [1, 3, 4, 5]),
        ("2", [2]),
        ("2 4 7", [2, 4, 7]),
        ("2;4", [2, 4]),
        ("2, 2, 99", [2, 2, 99]),
        ("[2]", [2]),
        ("[2, 4]", [2, 4]),
        ("[2], [4]", [2, 4]),
        ("[2][4]", [2, 4]),
        ("(1, 2)", [1, 2]),
        ("none", []),
        ("None.", []),
        ("N/A", []),
        ("", []),
        ("[]", []),
        ("-", []),
        ("1, two", None),
        ("1 and 2", None),
        ("Sentence 1", None),
        ("1.5", None),
        ("-1", None),
        ("5-3", None),
        ("1-2-3", None),
        ("1,", None),
        ("٣", None),
        ("1-99999", None),
        ("1-9999, 1-9999", None),
        ("1234567", None),
    ],
)
def test_split_numbers(text, numbers):
    assert split_numbers(text) == numbers


@given(st.lists(st.integers(0, 999_999), max_size=30))
def test_numbers_come_back(numbers):
    assert split_numbers(", ".join(map(str, numbers))) == numbers
    assert split_numbers(str(numbers)) == numbers


@pytest.mark.parametrize("piece", ["1,", "1 ", " ", "1-", "1-9999,", "-", "["])
def test_long_texts_are_read_in_linear_time(piece):
    found = split_numbers("1" + piece * (1_000_000 // len(piece)))
    assert found is None or len(found) <= 10_000
