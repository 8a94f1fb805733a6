import re

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from release_world import HOSTILE

from toolkit.release.markdown import code, escape
from toolkit.report.text import printable

COMMONMARK = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
SPICED = st.lists(
    st.one_of(
        st.text(max_size=8),
        st.sampled_from([*HOSTILE, "|", "`", "\\", "*", "_", "[", "](", "<", "&", "#", "1.", "- "]),
    ),
    max_size=8,
).map("".join)


def shown(inline) -> str:
    assert {child.type for child in inline.children} <= {"text", "text_special", "softbreak"}
    return "".join(child.content for child in inline.children)


@given(SPICED)
def test_an_escaped_text_shows_as_itself_in_a_table_cell(text):
    tokens = COMMONMARK.parse(f"| a | b |\n|---|---|\n| {escape(text)} | end |\n")
    assert {token.type for token in tokens if token.type.endswith("_open")} == {
        "table_open",
        "thead_open",
        "tbody_open",
        "tr_open",
        "th_open",
        "td_open",
    }
    cells = [shown(token) for token in tokens if token.type == "inline"]
    assert cells == ["a", "b", " ".join(printable(text).split()), "end"]


@given(SPICED)
def test_an_escaped_text_shows_as_itself_in_a_paragraph(text):
    wanted = " ".join(printable(text).split())
    tokens = COMMONMARK.parse(escape(text))
    if not wanted:
        assert tokens == []
        return
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    assert shown(tokens[1]) == wanted


@given(SPICED)
def test_code_is_code_or_escaped_text(text):
    tokens = COMMONMARK.parse(f"x {code(text)} y")
    kinds = {child.type for child in tokens[1].children}
    assert kinds <= {"text", "text_special", "code_inline", "softbreak"}


def test_addresses_and_mentions_are_broken_for_renderers_that_link_bare_text():
    text = escape("see www.a.example http://b.example mailto:c me@d.example @org $x$")
    assert not re.search(r"www\.|http://|mailto:|(?<!\\)@|(?<!\\)\$", text)


def test_ordinary_text_stays_readable():
    assert escape("Beta-blockers (n = 12) for sleep: a trial, v1.0") == (
        "Beta-blockers (n = 12) for sleep: a trial, v1.0"
    )
    assert code("list<struct<a: string>>") == "`list<struct<a: string>>`"
