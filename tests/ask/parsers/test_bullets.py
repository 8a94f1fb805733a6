import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.ask.parser import make_parser

PLAIN = make_parser("bullets")
CRITIQUES = make_parser({"bullets": {"at_most": 3, "parts": ["subject", "detail"]}})
LACK = {"subject": "Lack of Theoretical Grounding", "detail": "While the paper: so."}


@pytest.mark.parametrize("mark", ["-", "*", "•", "+", "1.", "1)", "(1)", "–"])
def test_marks(mark):
    read = PLAIN.read(f"{mark} one\n{mark}   two\n")
    assert (read.status, read.value, read.answer) == ("ok", ["one", "two"], "one\ntwo")


@pytest.mark.parametrize(
    ("point", "status"),
    [
        ("- Lack of Theoretical Grounding: While the paper: so.", "ok"),
        ("* **Lack of Theoretical Grounding:** While the paper: so.", "repaired"),
        ("* **Lack of Theoretical Grounding**: While the paper: so.", "repaired"),
        ("1. *Lack of Theoretical Grounding:* While the paper: so.", "repaired"),
        ("- **Lack of Theoretical Grounding: While** the paper: so.", "repaired"),
    ],
)
def test_a_point_in_two_parts(point, status):
    read = CRITIQUES.read(point)
    assert (read.status, read.value) == (status, [LACK])
    assert read.answer == "Lack of Theoretical Grounding: While the paper: so."
    assert read.reason == ("" if status == "ok" else "emphasis was taken off")


def test_a_subjects_own_marks_stay():
    read = CRITIQUES.read('- "Big" and "small" (a) data*: it **is** so')
    assert read.value == [{"subject": '"Big" and "small" (a) data*', "detail": "it **is** so"}]


@pytest.mark.parametrize("point", ["- no colon here", "- : only detail", "- **no colon here**"])
def test_a_point_that_cannot_be_divided_keeps_its_text(point):
    read = CRITIQUES.read(f"{point}\n- a: b")
    assert read.status == "repaired"
    assert read.value[0]["subject"] is None
    assert read.value[0]["detail"] == point.removeprefix("- ").strip("*")
    assert read.value[1] == {"subject": "a", "detail": "b"}
    assert "a point has no ':' after its subject" in read.reason


def test_lines_and_deeper_points_belong_to_their_point():
    first = "- a: first\ngoes on\n  and on\n"
    second = "- b:\n    - deeper one\n    - deeper two\n\n  same point"
    read = CRITIQUES.read(f"{first}\n{second}\n- c: d")
    assert read.status == "ok"
    assert [point["detail"] for point in read.value] == [
        "first goes on and on",
        "deeper one deeper two same point",
        "d",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Critiques:\n\n- a: b\n- c: d",
        "- a: b\n\nAnd then.\n\n- c: d",
        "- a: b\n- c: d\n\nThat is all.",
    ],
)
def test_text_around_the_points_is_left_out_and_noted(text):
    read = CRITIQUES.read(text)
    assert read.status == "repaired"
    assert read.reason == "text around the points was left out"
    assert read.answer == "a: b\nc: d"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "the answer is empty"),
        ("It lacks theory.", "the answer holds no bullet points"),
        ("-\n- ", "the answer holds no bullet points"),
        ("**Theory:** none", "the answer holds no bullet points"),
        ("- a: b\n" * 4, "4 points where at most 3 were asked for"),
    ],
)
def test_what_is_no_answer_and_why(text, fault):
    read = CRITIQUES.read(text)
    assert (read.status, read.answer, read.reason) == ("invalid", None, fault)


def test_another_separator():
    parser = make_parser({"bullets": {"parts": ["a", "b"], "separator": " - "}})
    read = parser.read("* x-ray - y: z - w")
    assert read.value == [{"a": "x-ray", "b": "y: z - w"}]
    assert read.answer == "x-ray - y: z - w"


WORDS = st.text(alphabet="abc DE,.-", min_size=1).map(str.strip).filter(bool)


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=3), st.sampled_from("-*•"))
def test_points_come_back(points, mark):
    read = CRITIQUES.read("\n".join(f"{mark} {subject}: {detail}" for subject, detail in points))
    assert read.status == "ok"
    assert [(point["subject"], point["detail"]) for point in read.value] == points


@given(st.text(alphabet="-*: \n1.a_\t", max_size=40))
def test_every_text_is_read_without_an_error(text):
    for parser in (PLAIN, CRITIQUES):
        read = parser.read(text)
        assert (read.value is None) == (read.status == "invalid")
        assert all(read.value or ["x"])


@pytest.mark.parametrize("piece", ["- ", "- a\n", "a\n", " ", "\n", "*", "- **", ":"])
def test_long_replies_are_read_in_linear_time(piece):
    """A megabyte within pytest's timeout; anything quadratic would take hours."""
    reply = "- x" + piece * (1_000_000 // len(piece))
    for parser in (PLAIN, CRITIQUES):
        read = parser.read(reply)
        assert (read.value is None) == (read.status == "invalid")
        assert read.answer is None or read.answer.startswith("x")
