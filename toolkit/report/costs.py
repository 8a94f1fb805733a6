"""What the answers of a run took: money, tokens and hours, filled in where a run is delivered.

Artifacts hold no money and no time, so that equal inputs give equal bytes. The pages therefore
carry a marked, empty place; whoever copies them into the folder of a run fills it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape as escape_html
from typing import Final, Literal

from toolkit.report.inputs import COSTS_PLACE
from toolkit.report.markdown import escape as escape_markdown
from toolkit.report.text import count, printable

__all__ = ["CostRow", "RunCosts", "costs_html", "costs_markdown", "fill_html", "fill_md"]

Role = Literal["candidate", "judge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CostRow:
    """What asking one model took.

    Attributes:
        name: the model in the recipe.
        role: whether it was compared or judged.
        made: calls that this run made.
        reused: answers that were there already, from the ledger or a finished step.
        failed: calls that came to nothing.
        tokens_in: tokens read by the model, behind all answers that the report is about.
        tokens_out: tokens it wrote, reasoning included.
        tokens_reasoning: of them, tokens of reasoning.
        usd: what these answers cost in US dollars; None when the model has no price.
        first_day: first day on which it answered, YYYY-MM-DD; None when not known.
        last_day: last day on which it answered.
        hours: time it took to answer, summed over its calls; None when not known.
        asked_as: server and name that its calls are counted by; rows of the same share calls,
            days and hours. None where no other row does.
    """

    name: str
    role: Role
    made: int = 0
    reused: int = 0
    failed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_reasoning: int = 0
    usd: float | None = None
    first_day: str | None = None
    last_day: str | None = None
    hours: float | None = None
    asked_as: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCosts:
    """What a whole run took.

    Attributes:
        rows: one for each model and role, candidates first.
        notes: sentences on what is not counted.
    """

    rows: Sequence[CostRow] = ()
    notes: Sequence[str] = ()

    @property
    def usd(self) -> float | None:
        """The money over all rows that have a price; None when none has."""
        return _total([row.usd for row in self.rows])

    @property
    def hours(self) -> float | None:
        """The hours over all rows that know them, shared ones once; None when none does."""
        hours = {row.asked_as or at: row.hours for at, row in enumerate(self.rows)}
        return _total(list(hours.values()))

    @property
    def tokens_in(self) -> int:
        """Tokens read over all rows."""
        return sum(row.tokens_in for row in self.rows)

    @property
    def tokens_out(self) -> int:
        """Tokens written over all rows."""
        return sum(row.tokens_out for row in self.rows)

    @property
    def days(self) -> tuple[str, str] | None:
        """The first and the last day of all; None when no row knows its days."""
        first = [row.first_day for row in self.rows if row.first_day]
        last = [row.last_day for row in self.rows if row.last_day]
        return (min(first), max(last)) if first and last else None

    @property
    def unpriced(self) -> int:
        """How many rows have no price."""
        return sum(row.usd is None for row in self.rows)


def costs_html(costs: RunCosts) -> str:
    """Return the costs as a section of plain HTML, without script and style of its own."""
    heads = "".join(
        f'<th scope="col"{_style(numeric)}>{escape_html(head)}</th>'
        for head, numeric, _ in _COLUMNS
    )
    lines = [_html_row(row) for row in costs.rows]
    words = "".join(f"<p>{_html(sentence)}</p>\n" for sentence in [_sentence(costs)])
    notes = "".join(f'<p class="key">{_html(note)}</p>\n' for note in costs.notes)
    table = (
        '<div class="scroll" role="region" aria-labelledby="costs-title" tabindex="0">\n'
        f'<table class="plain">\n<thead><tr>{heads}</tr></thead>\n<tbody>\n'
        + "".join(f"{line}\n" for line in lines)
        + "</tbody>\n</table>\n</div>\n"
    )
    return (
        '<section aria-labelledby="costs-title">\n'
        '<h2 id="costs-title">Money, tokens and hours</h2>\n'
        f"{words}{table if lines else ''}{notes}</section>"
    )


def costs_markdown(costs: RunCosts) -> str:
    """Return the costs as a section of GitHub Markdown."""
    parts = ["## Money, tokens and hours", escape_markdown(_sentence(costs))]
    if costs.rows:
        rule = ["---:" if numeric else "---" for _, numeric, _ in _COLUMNS]
        heads = [escape_markdown(head) for head, _, _ in _COLUMNS]
        rows = [[escape_markdown(cell(row)) for _, _, cell in _COLUMNS] for row in costs.rows]
        parts.append("\n".join("| " + " | ".join(row) + " |" for row in (heads, rule, *rows)))
    parts += [escape_markdown(note) for note in costs.notes]
    return "\n\n".join(parts)


def fill_html(page: str, costs: RunCosts) -> str:
    """Return a page with its empty place filled.

    Raises:
        ValueError: the page has no such place, or several.
    """
    return _fill(page, costs_html(costs))


def fill_md(text: str, costs: RunCosts) -> str:
    """Return a Markdown report with its empty place filled.

    Raises:
        ValueError: the report has no such place, or several.
    """
    return _fill(text, costs_markdown(costs))


def _fill(text: str, section: str) -> str:
    before, place, after = text.partition(COSTS_PLACE)
    if not place or COSTS_PLACE in after:
        raise ValueError("the report does not have exactly one place for its costs")
    return before + section + after


def _sentence(costs: RunCosts) -> str:
    if not costs.rows:
        return "No model was asked: nothing was paid."
    spent = (
        "no model has a price in the recipe"
        if costs.usd is None
        else f"{_money(costs.usd)} in all"
        + (f", without {count(costs.unpriced)} that have no price" if costs.unpriced else "")
    )
    hours = "" if costs.hours is None else f", {_hours(costs.hours)} of answering summed over calls"
    days = costs.days
    when = ""
    if days is not None:
        when = f" Asked on {days[0]}." if days[0] == days[1] else f" Asked {days[0]} to {days[1]}."
    return (
        f"Behind the answers and judgements of this report: {spent}, {count(costs.tokens_in)} "
        f"tokens read and {count(costs.tokens_out)} written{hours}.{when}"
    )


def _html_row(row: CostRow) -> str:
    cells = [(cell(row), numeric) for _, numeric, cell in _COLUMNS]
    first = f'<th scope="row"><bdi>{_html(cells[0][0])}</bdi></th>'
    rest = "".join(f"<td{_style(numeric)}>{_html(text)}</td>" for text, numeric in cells[1:])
    return f"<tr>{first}{rest}</tr>"


def _html(text: str) -> str:
    return escape_html(printable(text))


def _style(numeric: bool) -> str:
    return ' class="number"' if numeric else ""


def _total(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _money(value: float | None) -> str:
    if value is None:
        return "no price"
    # A cent is too coarse for small models: four decimals, as the run itself tells.
    return f"${value:,.2f}" if value >= 100 else f"${value:,.4f}"


def _hours(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.2f} h" if value >= 0.01 or value == 0 else f"{value * 3600:,.1f} s"


def _days(row: CostRow) -> str:
    if row.first_day is None or row.last_day is None:
        return "–"
    return row.first_day if row.first_day == row.last_day else f"{row.first_day} to {row.last_day}"


_COLUMNS: Final[tuple[tuple[str, bool, Callable[[CostRow], str]], ...]] = (
    ("Model", False, lambda row: row.name),
    ("Role", False, lambda row: row.role),
    ("Calls made", True, lambda row: count(row.made)),
    ("Reused", True, lambda row: count(row.reused)),
    ("Failed", True, lambda row: count(row.failed)),
    ("Tokens read", True, lambda row: count(row.tokens_in)),
    ("Tokens written", True, lambda row: count(row.tokens_out)),
    ("of them reasoning", True, lambda row: count(row.tokens_reasoning)),
    ("Money", True, lambda row: _money(row.usd)),
    ("Hours", True, lambda row: _hours(row.hours)),
    ("Asked", False, _days),
)
