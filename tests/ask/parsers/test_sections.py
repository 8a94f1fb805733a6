import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.ask.parser import make_parser

PCOA = make_parser(
    {
        "sections": {
            "parts": {
                "citations": {"heading": "Citations", "as": "numbers"},
                "phrases": {"heading": "Key phrases", "as": "list", "separator": ";"},
                "summary": {"heading": "Summary", "at_least": 1},
            },
            "answer": "summary",
        }
    }
)
VALUE = {
    "citations": [2, 4, 5],
    "phrases": ["150 mg, twice daily", "trametinib"],
    "summary": "Both drugs were given.",
}
GOOD = (
    "Citations: 2, 4-5\n"
    "Key phrases: 150 mg, twice daily; trametinib\n"
    "Summary: Both drugs were given."
)


def test_the_form_asked_for():
    read = PCOA.read(GOOD)
    assert (read.status, read.reason) == ("ok", "")
    assert read.value == VALUE
    assert read.answer == "Both drugs were given."


@pytest.mark.parametrize(
    ("change", "note"),
    [
        (lambda text: f"```\n{text}\n```", "code fence"),
        (lambda text: f"Sure!\n\n{text}", "text before the first heading was left out"),
        (lambda text: text.replace("Key phrases", "KEY PHRASES"), "spelt otherwise"),
        (lambda text: text.replace("Summary:", "**Summary:**"), "marked up"),
        (lambda text: text.replace("Summary:", "**Summary**:"), "marked up"),
        (lambda text: text.replace("Summary:", "**Summary**\n"), "marked up"),
        (lambda text: text.replace("Summary:", "__Summary__"), "marked up"),
        (lambda text: text.replace("Summary:", "## Summary\n"), "marked up"),
        (lambda text: text.replace("Summary:", "### Summary:\n"), "marked up"),
        (lambda text: text.replace("Summary:", "### **Summary**\r\n"), "marked up"),
        (lambda text: text.replace("Summary:", "3. Summary:"), "marked up"),
        (lambda text: text.replace("Summary:", "- **Summary:**"), "marked up"),
        (lambda text: text.replace("Summary:", "Summary\n"), "spelt otherwise"),
        (lambda text: "\n".join(reversed(text.splitlines())), "another order"),
        (
            lambda text: text.replace("150 mg, twice daily; trametinib",
                                      "\n- 150 mg, twice daily\n- trametinib"),
            "'Key phrases': its entries stood on lines of their own",
        ),
        (lambda text: text.replace("; trametinib", ";; trametinib;"), "blank entries"),
    ],
)  # fmt: skip
def test_wrappings_are_taken_off_and_noted(change, note):
    read = PCOA.read(change(GOOD))
    assert read.status == "repaired"
    assert read.value == VALUE
    assert note in read.reason


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda text: "", "the answer is empty"),
        (lambda text: "I cannot.", "no section 'Citations:', 'Key phrases:', 'Summary:'"),
        (lambda text: text.replace("Key phrases:", "Phrases:"), "it has no section 'Key phrases:'"),
        (lambda text: text.replace("Summary:", "Summary of it:"), "it has no section 'Summary:'"),
        (lambda text: f"{text}\nSummary: again", "the heading 'Summary' stands twice"),
        (lambda text: text.replace("2, 4-5", "the second"), "'Citations' must hold whole numbers"),
        (
            lambda text: text.replace("Both drugs were given.", ""),
            "'Summary' is empty; it needs at least 1",
        ),
        (lambda text: text.replace("\nSummary", " Summary"), "it has no section 'Summary:'"),
    ],
)
def test_what_is_no_answer_and_why(change, fault):
    read = PCOA.read(change(GOOD))
    assert (read.status, read.answer, read.value) == ("invalid", None, None)
    assert fault in read.reason


def test_empty_sections_are_empty_lists():
    read = PCOA.read("Citations:\nKey phrases: none\nSummary: Nothing.")
    assert (read.status, read.value["citations"], read.value["phrases"]) == ("ok", [], [])


def test_the_texts_own_emphasis_stays():
    text = GOOD.replace("Both drugs", "**BRAF** and\nSummary judgments: both drugs")
    assert PCOA.read(text).value["summary"] == (
        "**BRAF** and\nSummary judgments: both drugs were given."
    )


def test_fewest_entries():
    parts = {"citations": {"as": "numbers", "at_least": 2}}
    parser = make_parser({"sections": {"parts": parts}})
    assert parser.read("citations: 1, 2").status == "ok"
    read = parser.read("citations: 1")
    assert read.reason == "'citations' holds 1 entries; it needs at least 2"
    assert parser.read("citations: none").reason == "'citations' is empty; it needs at least 2"


def test_answers_that_are_no_text():
    parts = {"score": {"as": "number"}, "words": {"as": "list"}}
    text = "score: **7.5**\nwords: a, b"
    for answer, shown in (
        ("score", "7.5"),
        ("words", "a, b"),
        (None, '{"score":7.5,"words":["a","b"]}'),
    ):
        declared = {"parts": parts} | ({"answer": answer} if answer else {})
        assert make_parser({"sections": declared}).read(text).answer == shown
    parser = make_parser({"sections": {"parts": parts}})
    for number in ("nan", "inf", "1e5", "1_0", "7/10", "about 7", ""):
        read = parser.read(f"score: {number}\nwords: a")
        assert read.reason == "'score' must hold one number and nothing else"


def test_a_heading_that_begins_with_another():
    parser = make_parser({"sections": {"parts": {"Fact": {}, "Fact check": {}, "Fact (b)": {}}}})
    read = parser.read("Fact: a\nFact check: b\nFact (b): c")
    assert (read.status, list(read.value.values())) == ("ok", ["a", "b", "c"])


@pytest.mark.parametrize("letter", "İıſK")
def test_letters_that_match_another_in_some_case(letter):
    """Cİtations is found in spite of its capital, and is no name in any table of headings."""
    parser = make_parser({"sections": {"parts": {"sik": {}}}})
    for index in range(3):
        text = f"{'sik'[:index]}{letter}{'sik'[index + 1 :]}: x"
        assert parser.read(text).status in ("repaired", "invalid")


LINES = st.text(st.characters(exclude_categories=["Cc", "Zl", "Zp", "Cs"], exclude_characters=":`"))


@given(st.lists(st.integers(0, 999)), st.lists(LINES), LINES)
def test_parts_come_back(numbers, phrases, summary):
    kept = [stripped for phrase in phrases if (stripped := phrase.replace(";", "").strip())]
    citations = ", ".join(map(str, numbers))
    listed = ";".join(kept)
    read = PCOA.read(f"Citations: {citations}\nKey phrases: {listed}\nSummary: a {summary}")
    assert read.value["citations"] == numbers
    assert read.value["summary"] == f"a {summary}".strip()
    if len(kept) > 1 and "[" not in kept[0] and kept[0][:1] not in "-*+•◦▪●·–—(0123456789":
        assert read.value["phrases"] == kept


@given(st.text(alphabet="Sumary:*_#- \n1.", max_size=40))
def test_every_text_is_read_without_an_error(text):
    parser = make_parser({"sections": {"parts": {"Summary": {}, "a": {"as": "numbers"}}}})
    read = parser.read(text)
    assert (read.value is None) == (read.status == "invalid")


@pytest.mark.parametrize(
    "piece", ["Summary:\n", " ", "\n", "# ", "**", "\n \t", "Summary: 1;", "- "]
)
def test_long_replies_are_read_in_linear_time(piece):
    """A megabyte within pytest's timeout; anything quadratic would take hours."""
    filling = piece * (1_000_000 // len(piece))
    assert PCOA.read(filling).status == "invalid"
    read = PCOA.read(f"Citations: 1\nKey phrases: {filling}\nSummary: x")
    if piece == "Summary:\n":
        assert read.status == "invalid"
        assert "twice" in read.reason
    else:
        assert (read.value["citations"], read.answer) == ([1], "x")
