import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.ask.parser import make_parser

COMMA = make_parser("list")


@pytest.mark.parametrize(
    ("text", "status", "entries"),
    [
        ("peer review, llm", "ok", ["peer review", "llm"]),
        ("llm", "ok", ["llm"]),
        ("a,b ,  c", "ok", ["a", "b", "c"]),
        ("a, b,\nc", "ok", ["a", "b", "c"]),
        ("a, a, b", "ok", ["a", "a", "b"]),
        ("non-small-cell, il-2", "ok", ["non-small-cell", "il-2"]),
        ("none", "ok", []),
        ("None.", "ok", []),
        ("a,, b,", "repaired", ["a", "b"]),
        ("- a\n- b", "repaired", ["a", "b"]),
        ("1. a, with comma\n2. b", "repaired", ["a, with comma", "b"]),
        ("1) a\n\n2) b\n", "repaired", ["a", "b"]),
        ("* a", "repaired", ["a"]),
        ("- a, b", "ok", ["- a", "b"]),
        ("1. a, 2. b", "repaired", ["a", "b"]),
        ("a\nb", "repaired", ["a", "b"]),
        ("a,\nb,\nc", "repaired", ["a", "b", "c"]),
        ("Keywords:\n- a\n- b", "repaired", ["a", "b"]),
        ('["a", "b, c"]', "repaired", ["a", "b, c"]),
        ("```\na, b\n```", "repaired", ["a", "b"]),
    ],
)
def test_entries(text, status, entries):
    read = COMMA.read(text)
    assert (read.status, read.value) == (status, entries)
    assert read.answer == ", ".join(entries)
    assert (read.reason == "") == (status == "ok")


@pytest.mark.parametrize("text", ["", "  ", ",", " , ,", "```\n\n```"])
def test_what_holds_no_list(text):
    read = COMMA.read(text)
    assert (read.status, read.answer, read.value) == ("invalid", None, None)


@pytest.mark.parametrize(
    ("separator", "text", "entries"),
    [
        (";", "150 mg, daily; placebo", ["150 mg, daily", "placebo"]),
        ("; ", "a; b", ["a", "b"]),
        (" | ", "a | b|c", ["a", "b|c"]),
        ("and", "land and sea", ["l", "", "sea"]),
        ("\n", "a, b\nc", ["a, b", "c"]),
    ],
)
def test_separators(separator, text, entries):
    read = make_parser({"list": {"separator": separator}}).read(text)
    assert read.value == [entry for entry in entries if entry]


def test_half_a_surrogate_pair_in_a_json_list_stays_as_it_is_written():
    assert COMMA.read('["\\ud800"]').value == ['["\\ud800"]']


@given(st.lists(st.text(alphabet="abc xyz", min_size=1).map(str.strip).filter(bool), min_size=1))
def test_entries_come_back(entries):
    if entries != ["none"]:
        assert COMMA.read(", ".join(entries)).value == entries
        lines = "\n".join(f"{number}. {entry}" for number, entry in enumerate(entries[:999], 1))
        assert COMMA.read(lines).value == entries[:999]


@given(st.text(alphabet='a,;-*1.\n []"\t', max_size=30))
def test_no_entry_is_blank_and_none_has_outer_blanks(text):
    value = COMMA.read(text).value
    assert all(entry == entry.strip() and entry for entry in value or [])


@pytest.mark.parametrize("piece", [",", " ", "\n", "- ", "a\n", "1. a\n", "["])
def test_long_replies_are_read_in_linear_time(piece):
    """A megabyte within pytest's timeout; anything quadratic would take hours."""
    read = COMMA.read("x" + piece * (1_000_000 // len(piece)))
    assert (read.value is None) == (read.status == "invalid")
    assert all(entry and entry == entry.strip() for entry in read.value or ())
