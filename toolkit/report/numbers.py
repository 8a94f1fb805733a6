"""A LaTeX macro for each number of the report, and where each of them comes from.

A name is made of what the number is (table, row, column) in letters and of a checksum of the
same, so that it depends on its own row alone: rows that come or go change no other name, and two
rows whose names would read alike stay apart.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toolkit.analyses.base import AnalysisColumn, AnalysisTable
from toolkit.report.board import Board
from toolkit.report.csv_table import guard
from toolkit.report.inputs import ReportInputs, ReportTable
from toolkit.report.tables import printed_number
from toolkit.report.text import count, number, printable

__all__ = ["ROWS_FILE", "Reported", "macro_name", "numbers_csv", "numbers_tex", "reported"]

ROWS_FILE: Final = "tables/leaderboard_rows.parquet"
"""Where the rows behind the leaderboard stand, by model, prompt, score and item."""

_DIGITS: Final = ("Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")
_PART_LETTERS: Final = 28
_CHECK_LETTERS: Final = 5
_COLUMNS: Final = (
    "macro",
    "printed",
    "value",
    "file",
    "row",
    "column",
    "n",
    "signature",
    "rows_file",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """One number of the report.

    Attributes:
        macro: its name in LaTeX, letters only, without the backslash.
        printed: as the page prints it.
        value: the number itself.
        file: the table it stands in, relative to the report.
        row: the key of its row there, by column.
        column: the column.
        n: rows or items it is over; None where the table does not say.
        signature: what it depends on.
        rows_file: where the rows behind it stand; empty for numbers of analyses.
    """

    macro: str
    printed: str
    value: float | int
    file: str
    row: dict[str, Any]
    column: str
    n: int | None
    signature: str
    rows_file: str = ""


def reported(inputs: ReportInputs, board: Board) -> list[Reported]:
    """Return every number of the leaderboard and of the analyses, in reading order.

    Raises:
        ValueError: two numbers have the same key.
    """
    found = [*_board_numbers(inputs, board)]
    for entry in inputs.tables:
        found += _table_numbers(entry)
    names = [one.macro for one in found]
    if len(set(names)) != len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"numbers that cannot be told apart: {', '.join(twice)}")
    return found


def numbers_tex(numbers: Sequence[Reported]) -> str:
    """Return the macros, one a line; each prints its number as the page does."""
    lines = [
        "% One macro for each number of the report; numbers.csv says where each comes from.",
        "% Read it in the preamble: \\input{numbers}",
    ]
    lines += [rf"\newcommand{{\{one.macro}}}{{{_tex(one.printed)}}}" for one in numbers]
    return "\n".join(lines) + "\n"


def numbers_csv(numbers: Sequence[Reported]) -> str:
    """Return where each macro's number comes from; values read back as the same numbers."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for one in numbers:
        row = json.dumps(one.row, ensure_ascii=False, sort_keys=True)
        cells = (
            *(one.macro, one.printed, repr(one.value), one.file, guard(printable(row))),
            *(one.column, "" if one.n is None else one.n),
            *(guard(printable(one.signature)), one.rows_file),
        )
        writer.writerow(cells)
    return out.getvalue()


def macro_name(*parts: str) -> str:
    """Return a LaTeX command name, letters only, that stands for these parts and no others.

    Each part is written in camel case, its digits as words, shortened where it is long; five
    letters of a sha256 over the exact parts follow.
    """
    words = "".join(_letters(part) for part in parts)
    digest = int.from_bytes(hashlib.sha256(json.dumps(parts).encode()).digest(), "big")
    check = ""
    for _ in range(_CHECK_LETTERS):
        digest, letter = divmod(digest, 26)
        check += chr(ord("a") + letter)
    return f"{words}X{check}"


def _letters(part: str) -> str:
    words = re.findall(r"[A-Za-z]+|\d", part)
    camel = "".join(
        _DIGITS[int(word)] if word.isdecimal() else word[0].upper() + word[1:] for word in words
    )
    # Digits of other scripts are no words of TeX either.
    return re.sub(r"[^A-Za-z]", "", camel)[:_PART_LETTERS]


def _board_numbers(inputs: ReportInputs, board: Board) -> Iterator[Reported]:
    digits = {score.name: score.digits for score in board.scores}
    order = {score.name: place for place, score in enumerate(board.scores)}
    rows = sorted(
        inputs.leaderboard, key=lambda row: (row["model"], row["prompt"], order[row["score"]])
    )
    for row in rows:
        key = {name: row[name] for name in ("model", "prompt", "score")}
        for column in ("mean", "ci_low", "ci_high", "n", "n_missing", "rank_low", "rank_high"):
            value = row.get(column)
            if value is None:
                continue
            whole = column not in ("mean", "ci_low", "ci_high")
            yield Reported(
                macro=macro_name("leaderboard", *key.values(), column),
                printed=count(value) if whole else number(value, digits[row["score"]]),
                value=value,
                file="leaderboard.csv",
                row=key,
                column=column,
                n=row["n"],
                signature=row.get("signature") or "",
                rows_file=ROWS_FILE,
            )


def _table_numbers(entry: ReportTable) -> Iterator[Reported]:
    table = entry.table
    file = entry.files[0] if entry.files else ""
    # The file tells two uses of one analysis apart.
    name = table.name if not file else file.rpartition("/")[2].removesuffix(".csv")
    keys = _key_columns(table)
    seen: dict[str, int] = {}
    for row in table.rows:
        key = {column: row.get(column) for column in keys}
        text = json.dumps(key, sort_keys=True)
        seen[text] = seen.get(text, 0) + 1
        if seen[text] > 1:
            # Rows that no text tells apart are told apart by their order.
            key |= {"row": seen[text]}
        parts = [str(value) for value in key.values() if value is not None]
        for column in table.columns:
            value = row.get(column.name)
            if column.type not in ("int64", "double") or column.name in keys or value is None:
                continue
            yield Reported(
                macro=macro_name(name, *parts, column.name),
                printed=_printed(value, column),
                value=value,
                file=file,
                row=key,
                column=column.name,
                n=_n(row),
                signature=table.signature,
            )


def _key_columns(table: AnalysisTable) -> list[str]:
    """Return the columns that name a row: all before the first measured one, counts left out."""
    keys: list[str] = []
    for column in table.columns:
        if column.type == "double":
            break
        if column.type == "int64" and (column.name == "n" or column.name.startswith("n_")):
            break
        keys.append(column.name)
    return keys


def _printed(value: float | int, column: AnalysisColumn) -> str:
    return count(int(value)) if column.type == "int64" else printed_number(value, column)


def _n(row: dict[str, Any]) -> int | None:
    value = row.get("n")
    return value if isinstance(value, int) else None


def _tex(printed: str) -> str:
    # A hyphen is no minus in text, and old fonts have no sign for less in it.
    return rf"\ensuremath{{{printed}}}" if printed.startswith(("-", "<")) else printed
