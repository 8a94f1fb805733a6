"""The leaderboard as Markdown, to be read on a Hub page, in a terminal, in a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from toolkit.report.audit import audit_words
from toolkit.report.board import Board, Cell, Line, arrow, footnotes, summary
from toolkit.report.inputs import COSTS_PLACE, STATUSES, ReportInputs, SuiteResult
from toolkit.report.tables import TableView, view_table
from toolkit.report.text import count, printable, shorten

__all__ = ["escape", "markdown_text"]

_SPECIAL: Final = re.compile(r"([\\`*_\[\]|~$#!])")
_LINKED: Final = re.compile(r"@|:(?=//)|(?<=\bwww)\.", re.IGNORECASE)
_CELL_LIMIT: Final = 300
_PARAGRAPH_LIMIT: Final = 8000
_IDS_SHOWN: Final = 10
_ROWS_SHOWN: Final = 100


def markdown_text(inputs: ReportInputs, board: Board) -> str:
    """Return the whole report but for the rows behind the numbers, as GitHub Markdown."""
    parts = [
        f"# {escape(inputs.title)}",
        *(escape(sentence) for sentence in summary(inputs, board)),
        _board_table(board),
        "Mean, [interval], (n) and rank with the range of ranks that the data leave open. Bold: "
        "the best mean of the column among models and baselines. ↑ higher is better, ↓ lower is "
        "better, → the nearer the better; a score "
        "without an arrow has no better end.",
    ]
    parts += ["  \n".join(f"{note}: {escape(text)}" for text, note in footnotes(board).items())]
    parts += _bullets(inputs.notes)
    parts += _section("Judges under test", _audit_table(inputs))
    for entry in inputs.tables:
        parts += _analysis(view_table(entry.table), entry.files)
    parts += _section("Answers", _answers_table(board))
    parts += _section("Corpus", _funnel_table(inputs))
    parts += _section("Splits", _table(["Split", "Items"], _split_rows(inputs), right={1}))
    for suite in inputs.validation:
        parts += _section(f"Validation: {escape(suite.suite)}", _suite_table(suite))
    parts.append(COSTS_PLACE)
    methods = [[escape(key), escape(value)] for key, value in inputs.methods.items()]
    parts += _section("Methods", "\n\n".join(_methods(inputs)))
    parts += _section("Fingerprints and signatures", _table(["Fact", "Value"], methods))
    parts += _section("Limits", "\n".join(_bullets(inputs.limits)))
    return "\n\n".join(part for part in parts if part) + "\n"


def escape(text: str, limit: int = _CELL_LIMIT) -> str:
    """Return untrusted text as one line that Markdown shows literally, in a table cell too."""
    line = " ".join(shorten(printable(text), limit).split())
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    line = _SPECIAL.sub(r"\\\1", line)
    # A bare address becomes a link on a Hub page, and a bare name a mention of somebody.
    line = _LINKED.sub(lambda found: f"&#{ord(found.group()):d};", line)
    # List markers and underlines of headings count only at the start of a line.
    return re.sub(r"^([-+=]|\d+(?=[.)](?:\s|$)))", _escape_start, line)


def _escape_start(found: re.Match[str]) -> str:
    start = found.group()
    return f"\\{start}" if not start.isdigit() else f"&#{ord(start[0])};{start[1:]}"


def _board_table(board: Board) -> str:
    heads = ["Model", "Prompt", "Kind"]
    heads += [f"{escape(score.title)} {arrow(score)}".strip() for score in board.scores]
    notes = footnotes(board)
    rows = [
        [
            escape(line.title),
            escape(line.prompt) or "–",
            escape(line.kind),
            *(_cell(cell, notes) for cell in line.cells),
        ]
        for line in board.lines
    ]
    return _table(heads, rows, right=set(range(3, len(heads))))


def _cell(cell: Cell | None, notes: Mapping[str, str]) -> str:
    if cell is None:
        return "–"
    mean = f"**{cell.mean}**" if cell.rank == 1 else cell.mean
    mean += f"<sup>{notes[cell.reason]}</sup>" if cell.reason else ""
    over = f"({count(cell.n)}" + (f"; {count(cell.missing)} missing)" if cell.missing else ")")
    # The brackets of an interval would start a link.
    interval = cell.interval.replace("[", "\\[").replace("]", "\\]")
    place = f"rank {cell.places}" if cell.places else ""
    return " ".join(part for part in (mean, interval, over, place) if part)


def _analysis(table: TableView, files: Sequence[str]) -> list[str]:
    heads = [escape(head) for head, _ in table.heads]
    shown = table.rows[:_ROWS_SHOWN]
    rows = [[escape(cell) for cell in row] for row in shown]
    right = {index for index, (_, numeric) in enumerate(table.heads) if numeric}
    body = _table(heads, rows, right) or "No rows."
    parts = [f"## {escape(table.title)}", body]
    left = len(table.rows) - len(shown)
    if left:
        where = f"; all stand in {escape(files[0])}" if files else ""
        parts.append(f"{count(left)} more rows{where}.")
    return [*parts, *(escape(note) for note in table.notes)]


def _audit_table(inputs: ReportInputs) -> str:
    words = [audit_words(audit) for audit in inputs.audits]
    heads = [head for head, _ in words[0]] if words else []
    return _table(heads, [[escape(text) for _, text in row] for row in words])


def _methods(inputs: ReportInputs) -> list[str]:
    parts: list[str] = []
    for section in inputs.text:
        parts.append(f"### {escape(section.title)}")
        parts += [escape(paragraph, _PARAGRAPH_LIMIT) for paragraph in section.paragraphs]
    return parts


def _answers_table(board: Board) -> str:
    rows = [_answer_row(line) for line in board.lines if line.statuses]
    heads = ["Model", "Prompt", *STATUSES]
    return _table(heads, rows, right=set(range(2, len(heads))))


def _answer_row(line: Line) -> list[str]:
    counts = [count(line.statuses[status]) for status in STATUSES]
    return [escape(line.title), escape(line.prompt) or "–", *counts]


def _funnel_table(inputs: ReportInputs) -> str:
    rows = [
        [escape(step.rule), count(step.removed), count(step.remaining)] for step in inputs.funnel
    ]
    return _table(["Rule", "Removed", "Remaining"], rows, right={1, 2})


def _split_rows(inputs: ReportInputs) -> list[list[str]]:
    return [[escape(name), count(size)] for name, size in inputs.splits.items()]


def _suite_table(suite: SuiteResult) -> str:
    rows = []
    for result in suite.expectations:
        ids = [escape(item) for item in result.failing_ids[:_IDS_SHOWN]]
        more = len(result.failing_ids) - len(ids)
        rows.append(
            [
                escape(result.name),
                escape(result.status),
                escape(result.severity),
                "" if result.unexpected is None else count(result.unexpected),
                ", ".join(ids) + (f" and {count(more)} more" if more > 0 else ""),
            ]
        )
    heads = ["Expectation", "Result", "Severity", "Rows that broke it", "First of them"]
    return _table(heads, rows, right={3})


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], right: Iterable[int] = ()) -> str:
    if not rows:
        return ""
    numbers = set(right)
    rule = ["---:" if index in numbers else "---" for index in range(len(heads))]
    return "\n".join("| " + " | ".join(line) + " |" for line in (heads, rule, *rows))


def _section(title: str, body: str) -> list[str]:
    return [f"## {title}", body] if body else []


def _bullets(sentences: Sequence[str]) -> list[str]:
    return ["\n".join(f"- {escape(sentence)}" for sentence in sentences)] if sentences else []
