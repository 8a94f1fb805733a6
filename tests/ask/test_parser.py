import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.ask.parser import make_parser, parse_answer, split_reasoning
from toolkit.ask.parsers.text import TextParser
from toolkit.errors import UserError
from toolkit.models.base import Answer

TEXT = TextParser()


@pytest.mark.parametrize(
    ("text", "status", "answer", "reasoning"),
    [
        ("  It works.\n", "ok", "It works.", None),
        ("", "invalid", None, None),
        (" \f\n", "invalid", None, None),
        ("```\nIt works.\n```", "repaired", "It works.", None),
        ("```text\nIt works.\n```\n", "repaired", "It works.", None),
        ("```\n\n```", "invalid", None, None),
        ("See:\n```\ncode\n```", "ok", "See:\n```\ncode\n```", None),
        ("```\na\n```\nb\n```\nc\n```", "ok", "```\na\n```\nb\n```\nc\n```", None),
        ("Conclusion: it works.", "ok", "Conclusion: it works.", None),
        ('"It works."', "ok", '"It works."', None),
        ("<think>maybe {x}</think>Yes.", "ok", "Yes.", "maybe {x}"),
        ("maybe {x}</think>Yes.", "ok", "Yes.", "maybe {x}"),
        ("<think>a<think>b</think>c</think>Yes.", "ok", "Yes.", "abc"),
        ("<THINKING>a</THINKING>\nYes.", "ok", "Yes.", "a"),
        ("<think>a</think><reasoning>b</reasoning>Yes.", "ok", "Yes.", "a\n\nb"),
        ("<think>never closed", "invalid", None, "never closed"),
        ("Risk <think> of falls", "ok", "Risk <think> of falls", None),
    ],
)
def test_text(text, status, answer, reasoning):
    parsed = parse_answer(Answer("ok", answer=text, raw=text), TEXT)
    assert (parsed.status, parsed.answer, parsed.reasoning) == (status, answer, reasoning)
    assert (parsed.reason == "") == (status == "ok")
    assert parsed.raw == text


def test_reasoning_of_the_provider_and_of_the_text_are_both_kept():
    parsed = parse_answer(Answer("ok", answer="<think>b</think>Yes.", reasoning="a"), TEXT)
    assert parsed.reasoning == "a\n\nb"


def test_a_truncated_reply_stays_truncated():
    cut = Answer("truncated", reason="length", answer="<think>so far", finish_reason="length")
    parsed = parse_answer(cut, TEXT)
    assert (parsed.status, parsed.reason, parsed.answer) == ("truncated", "length", None)
    assert (
        parse_answer(Answer("truncated", reason="length", answer="Half a"), TEXT).answer == "Half a"
    )


@pytest.mark.parametrize("status", ["error", "refused"])
def test_what_is_no_text_is_never_read(status):
    bad = Answer(status, reason="HTTP 500", raw="ERROR: 5")
    assert parse_answer(bad, TEXT) is bad


@given(st.text(alphabet="ab <>/thinkreasog`\n"))
def test_reading_twice_changes_nothing(text):
    once = parse_answer(Answer("ok", answer=text), TEXT)
    twice = parse_answer(once, TEXT)
    assert (twice.status, twice.answer) == (once.status, once.answer)


@given(st.text())
def test_text_without_marks_is_never_split(text):
    if "think" not in text.lower() and "reasoning" not in text.lower():
        assert split_reasoning(text) == (text, None)


STRUCTURED = {
    "bullets": ("- one", '["one"]'),
    "list": ("a, b", '["a","b"]'),
    "number": ("7", "7"),
    "json": ('{"b": 1, "a": "é"}', '{"a":"é","b":1}'),
}
CHOICE = {"choice": {"options": ["A", "B"], "otherwise": "tie"}}
SECTIONS = {"sections": {"parts": {"a": {}, "b": {"as": "numbers"}}}}
CASES = [
    *((name, *case) for name, case in STRUCTURED.items()),
    (CHOICE, "A", '"A"'),
    (SECTIONS, "a: x\nb: 1", '{"a":"x","b":[1]}'),
]


@pytest.mark.parametrize(("declared", "text", "parsed"), CASES)
def test_what_was_read_is_kept_as_canonical_json(declared, text, parsed):
    read = parse_answer(Answer("ok", answer=f"<think>{text}</think>{text}"), make_parser(declared))
    assert (read.status, read.parsed, read.reasoning) == ("ok", parsed, text)


@pytest.mark.parametrize(("declared", "text", "parsed"), CASES)
def test_nothing_cut_off_is_read(declared, text, parsed):
    """Not even a text that would be an answer had it not been cut."""
    cut = Answer("truncated", reason="length", answer=text, finish_reason="length")
    read = parse_answer(cut, make_parser(declared))
    assert (read.status, read.reason) == ("truncated", "length")
    assert (read.answer, read.parsed) == (None, None)


def test_a_plain_text_has_nothing_to_keep_apart():
    assert parse_answer(Answer("ok", answer="It works."), TEXT).parsed is None


@pytest.mark.parametrize(("declared", "text", "parsed"), CASES)
@pytest.mark.parametrize("reply", ["", " \n", "<think>never closed", "```\n\n```"])
def test_an_empty_reply_is_no_answer_for_any_parser(declared, text, parsed, reply):
    read = parse_answer(Answer("ok", answer=reply), make_parser(declared))
    assert (read.status, read.answer, read.parsed) == ("invalid", None, None)
    assert read.reason


def test_unknown_parsers_are_refused_in_a_sentence():
    assert isinstance(make_parser("text"), TextParser)
    with pytest.raises(UserError, match="unknown parser 'txt'") as caught:
        make_parser("txt")
    assert "did you mean 'text'?" in caught.value.hint
    with pytest.raises(UserError, match="cannot use") as caught:
        make_parser({"text": {"n": 1}})
    assert "unknown key 'n'" in caught.value.hint
    for params in ({"parts": 5}, {}, {"parts": {"a": {"as": "txt"}}}):
        with pytest.raises(UserError, match="cannot use"):
            make_parser({"sections": params})
    with pytest.raises(UserError, match="the range ends at 1, which is not above 5"):
        make_parser({"number": {"range": [5, 1]}})
    with pytest.raises(UserError, match="one name"):
        make_parser({"text": {}, "json": {}})
