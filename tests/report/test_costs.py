"""What a run took: its sums, and its place in page and Markdown."""

import pytest

from toolkit.report.board import make_board
from toolkit.report.costs import CostRow, RunCosts, costs_html, costs_markdown, fill_html, fill_md
from toolkit.report.html import html_text
from toolkit.report.inputs import COSTS_PLACE
from toolkit.report.markdown import markdown_text

COSTS = RunCosts(
    rows=[
        CostRow(
            name="gpt <b>",
            role="candidate",
            made=1200,
            reused=30,
            failed=2,
            tokens_in=900_000,
            tokens_out=120_000,
            tokens_reasoning=40_000,
            usd=1.25,
            first_day="2026-03-02",
            last_day="2026-03-04",
            hours=1.5,
        ),
        CostRow(name="judge", role="judge", made=10, tokens_in=5, tokens_out=7, hours=0.25),
    ],
    notes=["Prices are those | of the recipe."],
)


def test_sums_leave_out_what_is_not_known() -> None:
    assert (COSTS.usd, COSTS.hours, COSTS.unpriced) == (1.25, 1.75, 1)
    assert (COSTS.tokens_in, COSTS.tokens_out) == (900_005, 120_007)
    assert COSTS.days == ("2026-03-02", "2026-03-04")


def test_nothing_known_is_none_and_not_zero() -> None:
    costs = RunCosts(rows=[CostRow(name="m", role="candidate")])
    assert (costs.usd, costs.hours, costs.days) == (None, None, None)
    assert "no model has a price" in costs_html(costs)


def test_a_run_that_asked_nobody_says_so() -> None:
    assert "No model was asked" in costs_markdown(RunCosts())
    assert "<table" not in costs_html(RunCosts())


def test_the_page_gets_plain_html_in_its_place(inputs) -> None:
    page = html_text(inputs, make_board(inputs))
    filled = fill_html(page, COSTS)
    assert COSTS_PLACE not in filled
    before, _, after = page.partition(COSTS_PLACE)
    assert filled.startswith(before)
    assert filled.endswith(after)
    section = filled[len(before) : len(filled) - len(after)]
    assert "gpt &lt;b&gt;" in section
    assert "<script" not in section
    assert "style=" not in section
    for part in ("1,200", "$1.2500", "no price", "1.75 h", "2026-03-02 to 2026-03-04", "40,000"):
        assert part in section


def test_the_markdown_report_gets_a_table(inputs) -> None:
    filled = fill_md(markdown_text(inputs, make_board(inputs)), COSTS)
    section = filled[filled.index("## Money") : filled.index("## Fingerprints")]
    assert "| judge | judge | 10 | 0 | 0 | 5 | 7 | 0 | no price | 0.25 h | – |" in section
    assert r"Prices are those \| of the recipe." in section


@pytest.mark.parametrize("text", ["no place", f"{COSTS_PLACE}{COSTS_PLACE}"])
def test_a_report_without_exactly_one_place_is_refused(text) -> None:
    with pytest.raises(ValueError, match="exactly one place"):
        fill_html(text, COSTS)
