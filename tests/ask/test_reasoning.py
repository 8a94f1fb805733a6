import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.ask.parser import make_parser, parse_answer
from toolkit.ask.reasoning import split_reasoning
from toolkit.models.base import Answer

PAIRS = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<reasoning>", "</reasoning>"),
    ("<thought>", "</thought>"),
    ("<seed:think>", "</seed:think>"),
    ("<THINK>", "</Think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
]


@pytest.mark.parametrize(("opening", "closing"), PAIRS)
def test_each_mark_in_each_form(opening, closing):
    assert split_reasoning(f"{opening}a {{x}}{closing}Yes.") == ("Yes.", "a {x}")
    assert split_reasoning(f"\n {opening}\na\n{closing}\n\nYes.") == ("\n\nYes.", "a")
    assert split_reasoning(f"a {{x}}{closing}Yes.") == ("Yes.", "a {x}")
    assert split_reasoning(f"{opening}a") == ("", "a")
    assert split_reasoning(f"{opening}a{opening}b{closing}c{closing}Yes.") == ("Yes.", "abc")
    assert split_reasoning(f"{opening}a{closing}{opening}b{closing}Yes.") == ("Yes.", "a\n\nb")
    assert split_reasoning(f"{opening}{closing}Yes.") == ("Yes.", None)


@pytest.mark.parametrize(
    "text",
    [
        "Falls <think> of age",
        "It uses <think>tags</think> for this.",
        "<thinker>Yes.</thinker>",
        "a < think > b",
        '{"reason": "it ends with </think> marks", "score": 3}',
        '```json\n{"reason": "</think>[]", "score": 3}\n```',
        '["a claim that quotes </think>[] in it"]',
        "<|start|> is a token",
    ],
)
def test_marks_that_are_the_models_text(text):
    assert split_reasoning(text) == (text, None)


@pytest.mark.parametrize(
    ("text", "answer", "reasoning"),
    [
        # Marks of other names inside a part are its text.
        ("<think>I use <thought> here</think>Yes.", "Yes.", "I use  here"),
        # A part whose mark is closed by another name.
        ("<thinking>a</think>Yes.", "Yes.", "a"),
        # Opened twice and closed once: where it ends is not known, so nothing is graded.
        ("<think>a<think>b</think>Yes.", "", "abYes."),
        # Unopened, and it speaks of its own mark.
        ("a <think>b</think> c</think>Yes.", "Yes.", "a b c"),
        ("a</think>b</think>Yes.", "Yes.", "a\n\nb"),
    ],
)
def test_marks_that_do_not_match(text, answer, reasoning):
    assert split_reasoning(text) == (answer, reasoning)


HARMONY = "<|channel|>analysis<|message|>maybe {x}<|end|><|start|>assistant"


@pytest.mark.parametrize(
    ("text", "answer", "reasoning"),
    [
        (f"{HARMONY}<|channel|>final<|message|>Yes.<|return|>", "Yes.", "maybe {x}"),
        (f"{HARMONY}<|channel|>final<|message|>Yes.", "Yes.", "maybe {x}"),
        (
            f"<|start|>assistant{HARMONY}<|channel|>final <|constrain|>json<|message|>{{}}",
            "{}",
            "maybe {x}",
        ),
        (
            f"{HARMONY}<|channel|>commentary<|message|>so<|end|>"
            "<|start|>assistant<|channel|>final<|message|>Yes.",
            "Yes.",
            "maybe {x}\n\nso",
        ),
        ("<|channel|>analysis<|message|>cut of", "", "cut of"),
        ("<|channel|>final<|message|>Yes.<|return|>", "Yes.", None),
    ],
)
def test_harmony(text, answer, reasoning):
    assert split_reasoning(text) == (answer, reasoning)


def test_reasoning_inside_a_fence_around_everything():
    reply = '```json\n<think>{"score": 5}</think>\n{"score": 1}\n```'
    read = parse_answer(Answer("ok", answer=reply), make_parser("json"))
    assert (read.status, read.answer, read.reasoning) == ("repaired", '{"score":1}', '{"score": 5}')


WORDS = st.text(alphabet="ab{}\"': \n`0159[],", max_size=40)
ANSWERS = st.text(alphabet="ghij:, \n", max_size=40)


@given(WORDS, ANSWERS, st.sampled_from(PAIRS), st.integers(1, 3))
def test_no_character_of_leading_reasoning_is_in_the_answer(thought, answer, pair, times):
    opening, closing = pair
    found, reasoning = split_reasoning(f"{opening}{thought}{closing}" * times + answer)
    assert found == answer
    assert (reasoning or "") == "\n\n".join(
        [thought.strip()] * times
    ).strip() or not thought.strip()


@given(WORDS, ANSWERS, st.sampled_from(PAIRS))
def test_reasoning_decides_no_json(thought, answer, pair):
    """Whatever the reasoning holds, the object that is read is the one outside of it."""
    reply = f'{pair[0]}{thought}{{"score": 5}}{pair[1]}{answer}{{"score": 1}}'
    read = parse_answer(Answer("ok", answer=reply), make_parser("json"))
    assert read.answer == '{"score":1}'


PIECES = st.lists(
    st.sampled_from(["<think>", "</think>", "[THINK]", "[/THINK]", "<thought>", "```", "\n", "a",
                     "{", "}", '"', " "]),
    max_size=14,
)  # fmt: skip


@given(PIECES)
def test_splitting_again_changes_nothing(pieces):
    once, _ = split_reasoning("".join(pieces))
    assert split_reasoning(once) == (once, None)


@given(PIECES)
def test_reading_again_changes_nothing(pieces):
    once = parse_answer(Answer("ok", answer="".join(pieces)), make_parser("text"))
    twice = parse_answer(Answer("ok", answer=once.answer), make_parser("text"))
    if once.answer is not None:
        assert twice.answer == once.answer


@pytest.mark.parametrize("piece", ["<think>", "</think>", "<think></think>", " ", "<|channel|>"])
def test_long_replies_are_split_in_linear_time(piece):
    """A megabyte within pytest's timeout; anything quadratic would take hours."""
    text = piece * (1_000_000 // len(piece))
    answer, reasoning = split_reasoning(text)
    assert text.endswith(answer)
    assert reasoning is None or reasoning in text
