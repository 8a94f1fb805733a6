import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.ask.parser import make_parser

AB = make_parser({"choice": {"options": ["A", "B"]}})
TIE = make_parser({"choice": {"options": ["A", "B"], "otherwise": "tie"}})


@pytest.mark.parametrize(
    ("text", "status", "answer"),
    [
        ("A", "ok", "A"),
        ("\nB ", "ok", "B"),
        ("a", "repaired", "A"),
        ("**A**", "repaired", "A"),
        ("A.", "repaired", "A"),
        ("A)", "repaired", "A"),
        ("(B)", "repaired", "B"),
        ('"b".', "repaired", "B"),
        ("```\nA\n```", "repaired", "A"),
    ],
)
def test_an_option_alone(text, status, answer):
    for parser in (AB, TIE):
        read = parser.read(text)
        assert (read.status, read.answer, read.value) == (status, answer, answer)
        assert (read.reason == "") == (status == "ok")


@pytest.mark.parametrize(
    "text", ["A or B", "A, B", "A\nB", "A and B are equal", "Article A", "I choose A", "C", "AB"]
)
def test_anything_else_is_no_option(text):
    read = AB.read(text)
    assert (read.status, read.answer) == ("invalid", None)
    assert read.reason == "the answer must be one of A, B and nothing else"
    otherwise = TIE.read(text)
    assert (otherwise.status, otherwise.answer) == ("repaired", "tie")
    assert otherwise.reason == "none of A, B: counted as tie"


def test_nothing_is_never_counted_as_the_other_answer():
    for text in ("", " \n", "```\n\n```"):
        assert TIE.read(text).status == "invalid"


def test_options_that_differ_in_case_or_marks_alone():
    parser = make_parser({"choice": {"options": ["a", "A", "+", "no.", "A+"]}})
    assert parser.read("a").value == "a"
    assert parser.read("A").value == "A"
    assert parser.read("**A**").value == "A"
    assert parser.read("A.").value == "A"
    assert parser.read("[a]").value == "a"
    assert parser.read("A!").status == "invalid"
    assert parser.read("+").value == "+"
    assert parser.read("no.").status == "ok"
    assert parser.read("No").value == "no."
    assert parser.read("a+").value == "A+"


@given(st.lists(st.text(st.characters(categories=["L", "P"]), min_size=1), min_size=1, unique=True))
def test_every_option_as_it_stands_is_that_option(options):
    parser = make_parser({"choice": {"options": options}})
    for option in options:
        if "`" not in option:
            assert parser.read(f" {option}\n").value == option


@given(st.text(alphabet="ABab .*\"'()\n", max_size=8))
def test_two_options_are_never_one(text):
    if {"a", "b"} <= set(text.lower()):
        assert AB.read(text).status == "invalid"
