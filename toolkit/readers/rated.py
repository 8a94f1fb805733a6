"""Read what a reader filled in: every value is a whole number in its range, or a fault."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from toolkit.readers.sheets import CASE
from toolkit.report.text import printable, shorten

__all__ = ["Rated", "read_rated"]

_WHOLE: Final = re.compile(r"([+-]?\d{1,9})(?:[.,]0{1,2})?")
"""A whole number, also as a spreadsheet may write it back: three zeros may be a thousand."""

_NAMED: Final = 10
"""Missing cases that are named."""


@dataclass(slots=True)
class Rated:
    """The ratings of one reader.

    Attributes:
        values: by case and question; a cell that was left empty is not there.
        faults: what is wrong, each with file and line.
    """

    values: dict[str, dict[str, int]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


def read_rated(
    file: Path,
    questions: Mapping[str, tuple[int, int]],
    cases: Collection[str],
    *,
    private: bool,
) -> Rated:
    """Read a file that a reader filled in.

    Only the columns ``case`` and those of the questions are looked at. Columns may be divided by
    commas, semicolons or tabs: which of them depends on the language a spreadsheet runs in.

    Args:
        file: the CSV file.
        questions: lowest and highest value by question.
        cases: the cases that must stand in it, each once.
        private: faults name file, line and column, and repeat nothing of what stands there.
    """
    found = Rated()
    try:
        # A cell may hold line ends; newline="" leaves them as they are.
        with file.open(encoding="utf-8-sig", newline="") as handle:
            text = handle.read()
    except UnicodeDecodeError:
        found.faults.append(f"{file}: not UTF-8; save it as CSV in UTF-8")
        return found
    except OSError as error:
        found.faults.append(f"{file}: cannot be read: {error.strerror}")
        return found
    sheet = _Sheet(file, questions, frozenset(cases), found, private)
    try:
        for line, row in _rows(text):
            if not sheet.take(line, row):
                return found
    except csv.Error as error:
        found.faults.append(f"{file}: no table: {error}")
        return found
    sheet.close(cases)
    return found


class _Sheet:
    """Takes the rows of one file, one after the other."""

    def __init__(
        self,
        file: Path,
        questions: Mapping[str, tuple[int, int]],
        cases: frozenset[str],
        found: Rated,
        private: bool,
    ) -> None:
        self._file = file
        self._questions = questions
        self._cases = cases
        self._found = found
        self._private = private
        self._header: list[str] = []
        self._lines: dict[str, int] = {}

    def take(self, line: int, row: list[str]) -> bool:
        """Take the header or a row; False where no further row can be understood."""
        if not self._header:
            self._header = [name.strip() for name in row]
            wanted = (CASE, *self._questions)
            bad = [name for name in wanted if self._header.count(name) != 1]
            if bad:
                named = ", ".join(wanted)
                self._fault(line, f"needs one column each of {named}; not so: {', '.join(bad)}")
            return not bad
        if len(row) != len(self._header):
            self._fault(
                line, f"{len(row)} values, but the header names {len(self._header)} columns"
            )
        else:
            self._rated(line, dict(zip(self._header, row, strict=True)))
        return True

    def close(self, cases: Collection[str]) -> None:
        """Look for what no row said."""
        absent = [case for case in cases if case not in self._lines]
        if not self._header:
            self._found.faults.append(f"{self._file}: it is empty")
        elif absent:
            named = ", ".join(absent[:_NAMED]) + (" ..." if len(absent) > _NAMED else "")
            self._found.faults.append(f"{self._file}: no row for {len(absent):,} cases: {named}")

    def _rated(self, line: int, row: Mapping[str, str]) -> None:
        case = row[CASE].strip()
        if case not in self._cases:
            none = f"{CASE} names none" if self._private else f"there is no case {_shown(case)}"
            self._fault(line, none)
            return
        first = self._lines.setdefault(case, line)
        if first != line:
            self._fault(line, f"case {case} stands in line {first} already")
            return
        values = self._found.values.setdefault(case, {})
        for name, (low, high) in self._questions.items():
            cell = row[name].strip()
            if not cell:
                continue
            number = _WHOLE.fullmatch(cell)
            if number is None or not low <= int(number[1]) <= high:
                must = f"must be a whole number from {low} to {high}"
                told = must if self._private else f"is {_shown(cell)}, it {must}"
                self._fault(line, f"case {case}: {name} {told}")
            else:
                values[name] = int(number[1])

    def _fault(self, line: int, what: str) -> None:
        self._found.faults.append(f"{self._file}:{line}: {what}")


def _shown(text: str) -> str:
    return f"'{shorten(printable(text), 40)}'"


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each row that is not empty with the line it begins in."""
    header = text.partition("\n")[0]
    # Text of a header that holds a comma is rarer than a spreadsheet that divides by others.
    divider = max(",;\t", key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=divider, strict=True)
    line = 1
    for row in reader:
        if any(cell.strip() for cell in row):
            yield line, row
        line = reader.line_num + 1
