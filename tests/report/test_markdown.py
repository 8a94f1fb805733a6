"""The Markdown report shows untrusted text literally and keeps its tables whole."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.report.board import make_board
from toolkit.report.inputs import Expectation, SuiteResult
from toolkit.report.markdown import escape, markdown_text


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("a|b", r"a\|b"),
        ("`rm -rf`", r"\`rm -rf\`"),
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("[x](javascript:alert(1))", r"\[x\](javascript:alert(1))"),
        ("![](http://x/y.png)", r"\!\[\](http&#58;//x/y.png)"),
        ("see https://x.org", "see https&#58;//x.org"),
        ("www.x.org", "www&#46;x.org"),
        ("@someone", "&#64;someone"),
        ("ratio 3:1 at www", "ratio 3:1 at www"),
        ("two\nlines\r\n\x0bmore", "two lines [U+000B]more"),
        ("back\\slash", r"back\\slash"),
        ("&lt;", "&amp;lt;"),
        ("# no heading", r"\# no heading"),
        ("- no list", r"\- no list"),
        ("12. no list", "&#49;2. no list"),
        ("12.5 mg", "12.5 mg"),
        ("12 mg", "12 mg"),
        ("~~kept~~ $x$", r"\~\~kept\~\~ \$x\$"),
        ("evil\u202etxt", r"evil\[U+202E\]txt"),
    ],
)
def test_escape(text: str, want: str) -> None:
    assert escape(text).replace(r"\[U+000B\]", "[U+000B]") == want


@given(st.text())
def test_no_text_ends_a_cell_or_opens_markup(text: str) -> None:
    got = escape(text)
    assert "\n" not in got
    assert "<" not in got
    for character in "|`[]*_":
        assert not re.search(r"(?<!\\)(?:\\\\)*" + re.escape(character), got)


def test_every_table_line_has_the_cells_of_its_head(inputs) -> None:
    hostile = "a|b\n<img src=x onerror=alert(1)> `x` [y](z)"
    rows = [row | {"model": row["model"] + hostile} for row in inputs.leaderboard]
    suite = SuiteResult(
        suite=hostile,
        expectations=[Expectation(name=hostile, status="failed", failing_ids=[hostile] * 30)],
    )
    changed = replace(
        inputs,
        title=hostile,
        leaderboard=rows,
        answers=[],
        validation=[suite],
        methods={hostile: hostile},
    )
    text = markdown_text(changed, make_board(changed))
    assert "<img" not in text
    assert "and 20 more" in text
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1


def test_the_best_is_bold_and_every_mean_says_its_n(inputs) -> None:
    text = markdown_text(inputs, make_board(inputs))
    best = next(r for r in inputs.leaderboard if r["score"] == "rouge1" and r["rank"] == 1)
    assert f"**{best['mean']:.3f}** \\[" in text
    assert text.count("; 2 missing)") == 7
    assert "**1.000**" not in text


def test_a_number_without_an_interval_says_why(inputs) -> None:
    text = markdown_text(inputs, make_board(inputs))
    assert "1.000<sup>a</sup> (15)" in text
    assert "\na: no variation: all values are equal\n" in text


def test_empty_parts_leave_no_heading(inputs) -> None:
    bare = replace(
        inputs, answers=[], funnel=[], splits={}, validation=[], notes=[], limits=[], methods={}
    )
    assert "##" not in markdown_text(bare, make_board(bare))
