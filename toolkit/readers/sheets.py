"""Tables and instructions of a reader study, as text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from toolkit.readers.cases import Candidate
from toolkit.recipe.human_section import Form
from toolkit.report.csv_table import guard
from toolkit.report.text import count, printable

__all__ = ["CASE", "KEY_COLUMNS", "instructions_text", "key_text", "sheet_text", "unsafe"]

CASE: Final = "case"
"""Column with the number of a case, from 1."""

KEY_COLUMNS: Final = (CASE, "item_id", "original_id", "model", "prompt", "repeat", "level")


def sheet_text(
    columns: Sequence[str], rows: Iterable[Mapping[str, str]], questions: Iterable[str]
) -> str:
    """Return what readers fill in: the cases from 1 on, what is shown, an empty cell a question.

    No cell is run by a spreadsheet: text that it would take for a formula begins with an
    apostrophe.

    Args:
        columns: columns shown.
        rows: the texts of each case.
        questions: names of the questions.
    """
    asked = list(questions)
    return _csv(
        [CASE, *(guard(printable(name)) for name in columns), *asked],
        (
            [str(number), *(guard(printable(row[name])) for name in columns), *("" for _ in asked)]
            for number, row in enumerate(rows, start=1)
        ),
    )


def key_text(drawn: Iterable[Candidate]) -> str:
    """Return which answer each case is; readers never see it."""
    return _csv(
        KEY_COLUMNS,
        (
            [
                *(str(number), one.item_id, one.original, one.model, one.prompt),
                *(str(one.repeat), one.level),
            ]
            for number, one in enumerate(drawn, start=1)
        ),
    )


def unsafe(text: str) -> bool:
    """Say whether an id cannot stand in a table as it is.

    Ids must come back unchanged, so nothing can be put before one that a spreadsheet would run.
    """
    return guard(printable(text)) != text or text != text.strip()


def instructions_text(form: Form, title: str, cases: int, own: str) -> str:
    """Return what readers are told.

    Args:
        form: the form.
        title: what it is called.
        cases: how many there are.
        own: text of the recipe's own, shown first; may be empty.
    """
    questions = [
        f"- {name}: a whole number from {low} to {high}"
        for name, (low, high) in form.questions.items()
    ]
    lines = [
        title,
        "",
        *([own.strip(), ""] if own.strip() else []),
        f"Your file holds {count(cases)} cases, one a row. Read what a row shows and answer:",
        "",
        *questions,
        "",
        "Write each answer into its column. Leave a cell empty where you cannot tell; an empty",
        "cell counts as not rated. Change no other column, and neither add nor remove rows.",
        "Rate alone: do not talk about cases with other readers before all of you are done.",
        "Save the file as CSV in UTF-8.",
        "",
    ]
    return "\n".join(lines)


def _csv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()
