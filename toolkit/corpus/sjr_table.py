"""Read SCImago journal exports of every generation into one kind of row.

The exports changed separator, encoding, decimal sign, ISSN notation and column names over the
years, and copies re-saved by a spreadsheet differ again. Each property is therefore detected
from the file itself, the decimal sign even for each column, and what cannot be told for
certain is refused with its line.
"""

from __future__ import annotations

import csv
import gzip
import html
import io
import re
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolkit.corpus.issn import find_issns
from toolkit.errors import SourceError

__all__ = [
    "SjrFile",
    "SjrRow",
    "parse_decimals",
    "read_sjr",
    "split_categories",
]

_ALIASES: Final = {
    "title": ("title", "journal", "journal title"),
    "issn": ("issn", "issns"),
    "sjr": ("sjr",),
    "quartile": ("sjr best quartile", "best quartile", "sjr quartile", "quartile"),
    "categories": ("categories", "category"),
    "areas": ("areas", "area"),
    "sourceid": ("sourceid", "source id"),
    "year": ("year",),
}
_YEAR_HEADER: Final = re.compile(r"total docs\. \((\d{4})\)")
_YEAR_IN_NAME: Final = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
_QUARTILE: Final = re.compile(r"^(.*?)\s*\((Q[1-4])\)$")
_INTEGER: Final = re.compile(r"\d+|\d{1,3}(?:\x00\d{3})+")
_MISSING: Final = frozenset({"", "-", "--"})


@dataclass(frozen=True, slots=True)
class SjrRow:
    """One journal in one year.

    Attributes:
        title: title with entities resolved; may be empty when there are ISSNs.
        issns: valid ISSNs as eight characters without a hyphen, sorted.
        year: the year the SJR belongs to.
        sjr: SCImago Journal Rank, at least 0; None when the cell is empty.
        quartile: ``Q1`` to ``Q4``; None when neither the cell nor the categories say.
        categories: category names without quartiles, in order; None when not given.
        areas: subject areas, in order; None when not given.
        sourceid: Scopus source id; empty when not given.
    """

    title: str
    issns: tuple[str, ...]
    year: int
    sjr: float | None
    quartile: str | None
    categories: tuple[str, ...] | None
    areas: tuple[str, ...] | None
    sourceid: str


@dataclass(frozen=True, slots=True)
class SjrFile:
    """The rows of one file and what its ISSN column was like.

    Attributes:
        name: file name without folders.
        rows: rows in file order, at least one.
        issn_counts: rows with ``none``; ISSNs ``valid``, ``padded`` (leading zeros restored),
            ``bad_check_digit`` and ``malformed`` (the last two are not used for matching).
    """

    name: str
    rows: tuple[SjrRow, ...]
    issn_counts: dict[str, int]


def read_sjr(path: Path) -> SjrFile:
    """Read one export; ``.gz`` is recognised by its content.

    The year of a row comes from a ``Year`` column, else from the header
    ``Total Docs. (YYYY)``, else from the file name.

    Args:
        path: a CSV file with a header, separated by ``;``, ``,`` or tabs, in UTF-8 (with or
            without a byte order mark), UTF-16 with one, or Windows-1252.

    Raises:
        SourceError: the file is missing, damaged, empty, has no usable header, no year or
            contradicting years, a ragged row, or a number that cannot be read; the message
            names file and line.
    """
    header, records = _records(path, _decode(path, _bytes(path)))
    columns = _columns(path, header)
    file_year = _file_year(path, header)
    sjr = parse_decimals(path, [(line, _cell(row, columns, "sjr")) for line, row in records])
    counts: Counter[str] = Counter()
    rows = [
        _row(path, line, row, columns, file_year, value, counts)
        for (line, row), value in zip(records, sjr, strict=True)
    ]
    return SjrFile(path.name, tuple(rows), dict(sorted(counts.items())))


def _bytes(path: Path) -> bytes:
    try:
        data = path.read_bytes()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise SourceError(
            f"{path}: the compressed journal table is damaged ({error})",
            hint="download the file again",
        ) from error
    except OSError as error:
        raise SourceError(
            f"{path}: the journal table cannot be read ({error.strerror or error})",
            hint="check the path under journals.sjr in the recipe",
        ) from error
    return data


def _decode(path: Path, data: bytes) -> str:
    with_mark = data[:3] == b"\xef\xbb\xbf"
    encodings = ["utf-16"] if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ["utf-8-sig"]
    if encodings == ["utf-8-sig"] and not with_mark:
        encodings.append("cp1252")
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError as error:
            problem = f"byte {error.start} is no {encoding} text"
            continue
        if "\x00" in text:
            problem = "it holds NUL characters"
            break
        return text
    raise SourceError(
        f"{path}: the journal table is not text in UTF-8 or Windows-1252: {problem}",
        hint="export it again as CSV with UTF-8 encoding",
    )


def _records(path: Path, text: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    first = next((line for line in text.splitlines() if line.strip()), "")
    if not first:
        raise SourceError(f"{path}:1: the journal table is empty", hint="download the file again")
    # Titles may hold any of the three, header names none: only the header tells them apart.
    delimiter = max(";\t,", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    records: list[tuple[int, list[str]]] = []
    line = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                records.append((line, row))
            line = reader.line_num + 1
    except csv.Error as error:
        raise SourceError(
            f"{path}:{line}: the row is no valid CSV ({error})",
            hint="look for an unclosed quotation mark in or above this line",
        ) from error
    header = records[0][1]
    if len(records) == 1:
        raise SourceError(
            f"{path}:2: the journal table has a header and no rows", hint="download the file again"
        )
    return header, [(at, _fit(path, at, row, len(header))) for at, row in records[1:]]


def _fit(path: Path, line: int, row: list[str], width: int) -> list[str]:
    if len(row) < width or any(cell.strip() for cell in row[width:]):
        raise SourceError(
            f"{path}:{line}: the row has {len(row)} fields, the header {width}",
            hint="a comma or quotation mark inside a field is not quoted; export the file again",
        )
    return row[:width]


def _columns(path: Path, header: list[str]) -> dict[str, int]:
    names = [" ".join(name.split()).casefold() for name in header]
    columns: dict[str, int] = {}
    for key, aliases in _ALIASES.items():
        found = next((alias for alias in aliases if alias in names), None)
        if found is None:
            continue
        if names.count(found) > 1:
            raise SourceError(
                f"{path}:1: the column '{header[names.index(found)]}' stands twice in the header",
                hint="remove one of the two columns",
            )
        columns[key] = names.index(found)
    if not ({"title", "issn"} & columns.keys() and {"sjr", "categories"} & columns.keys()):
        shown = ", ".join(name.strip()[:30] for name in header[:8])
        raise SourceError(
            f"{path}:1: this is no journal table: its header is '{shown}'",
            hint="the header needs Title or Issn, and SJR or Categories, as exported by SCImago",
        )
    return columns


def _file_year(path: Path, header: list[str]) -> int | None:
    matches = (_YEAR_HEADER.fullmatch(" ".join(name.split()).casefold()) for name in header)
    told = {int(match.group(1)) for match in matches if match}
    named = {int(year) for year in _YEAR_IN_NAME.findall(path.name)}
    if len(told) > 1 or (told and named and not told & named):
        raise SourceError(
            f"{path}:1: the header says {_years(told)}, the file name {_years(named) or 'nothing'}",
            hint="rename the file to the year of its 'Total Docs. (YYYY)' column",
        )
    if told:
        return told.pop()
    return named.pop() if len(named) == 1 else None


def _years(years: set[int]) -> str:
    return " and ".join(str(year) for year in sorted(years))


def _cell(row: list[str], columns: dict[str, int], key: str) -> str:
    return row[columns[key]].strip() if key in columns else ""


def _row(
    path: Path,
    line: int,
    row: list[str],
    columns: dict[str, int],
    file_year: int | None,
    sjr: float | None,
    counts: Counter[str],
) -> SjrRow:
    title = " ".join(html.unescape(_cell(row, columns, "title")).split())
    cell = _cell(row, columns, "issn")
    issns, found = find_issns(cell)
    counts.update(found)
    if not issns and not title:
        raise SourceError(
            f"{path}:{line}: the row has neither a title nor a valid ISSN",
            hint="complete or remove the row",
        )
    categories, quartiles = split_categories(_cell(row, columns, "categories"))
    areas, _ = split_categories(_cell(row, columns, "areas"))
    return SjrRow(
        title=title,
        issns=issns,
        year=_row_year(path, line, _cell(row, columns, "year"), file_year),
        sjr=sjr,
        quartile=_quartile(path, line, _cell(row, columns, "quartile"), quartiles),
        categories=categories or None,
        areas=areas or None,
        sourceid=_cell(row, columns, "sourceid"),
    )


def _row_year(path: Path, line: int, cell: str, file_year: int | None) -> int:
    if not cell and file_year is None:
        raise SourceError(
            f"{path}:{line}: nothing says which year this SJR belongs to",
            hint="rename the file to hold its one year, as in 'scimagojr 2023.csv', "
            "or add a 'Year' column",
        )
    if not cell:
        assert file_year is not None
        return file_year
    if not re.fullmatch(r"(?:19|20)\d{2}", cell):
        raise SourceError(f"{path}:{line}: '{cell[:40]}' is no year", hint="write it as YYYY")
    if file_year not in (None, int(cell)):
        raise SourceError(
            f"{path}:{line}: the row says {cell}, the header or file name says {file_year}",
            hint="correct the row or rename the file",
        )
    return int(cell)


def _quartile(path: Path, line: int, cell: str, categories: list[str]) -> str | None:
    if cell.upper() in ("Q1", "Q2", "Q3", "Q4"):
        return cell.upper()
    if cell not in _MISSING:
        raise SourceError(
            f"{path}:{line}: '{cell[:40]}' is no quartile", hint="write Q1, Q2, Q3, Q4 or '-'"
        )
    # By definition the best quartile is the best one over the categories.
    return min(categories, default=None)


def parse_decimals(path: Path, cells: list[tuple[int, str]]) -> list[float | None]:
    """Read one column of decimal numbers, finding its decimal sign.

    A column has one decimal sign: the separator that stands last where a number holds both,
    else the only one in use. A lone comma is never a thousands separator: ``145,004`` is
    145.004. Both signs as decimal signs in one column cannot be told apart and are refused.

    Args:
        path: the file, for messages.
        cells: (1-based line, text) of each cell; empty and ``-`` mean missing.

    Returns:
        One number for each cell, None where it is missing.

    Raises:
        SourceError: a cell is no number, or two cells use different decimal signs.
    """
    signs: dict[str, tuple[int, str]] = {}
    for line, cell in cells:
        sign = _decimal_sign(cell)
        if sign:
            signs.setdefault(sign, (line, cell))
    if len(signs) > 1:
        (line, cell), (other, second) = sorted(signs.values())
        raise SourceError(
            f"{path}:{other}: '{second}' and '{cell}' (line {line}) use different decimal signs",
            hint="export the table again with one decimal sign",
        )
    decimal = next(iter(signs), ".")
    return [_number(path, line, cell, decimal) for line, cell in cells]


def _decimal_sign(cell: str) -> str:
    last = max(cell.rfind("."), cell.rfind(","))
    if last < 0:
        return ""
    # A separator that repeats separates thousands, so the other one is the decimal sign.
    if cell.count(cell[last]) > 1:
        return "," if cell[last] == "." else "."
    return cell[last]


def _number(path: Path, line: int, cell: str, decimal: str) -> float | None:
    if cell in _MISSING:
        return None
    thousands = "," if decimal == "." else "."
    whole, _, fraction = cell.partition(decimal)
    whole = whole.replace(thousands, "\x00")
    if not (_INTEGER.fullmatch(whole) and whole.isascii() and re.fullmatch(r"[0-9]*", fraction)):
        raise SourceError(
            f"{path}:{line}: '{cell[:40]}' is no number of at least 0",
            hint="leave the cell empty when there is no SJR",
        )
    return float(f"{whole.replace(chr(0), '')}.{fraction or '0'}")


def split_categories(cell: str) -> tuple[tuple[str, ...], list[str]]:
    """Split a list of categories or areas.

    Only ``;`` separates: names hold commas and brackets of their own, so only a trailing
    ``(Q1)`` to ``(Q4)`` is taken off. ``(miscellaneous)`` belongs to the name and stays.

    Returns:
        The names without quartiles, in order and without repeats, and the quartiles found.
    """
    names: dict[str, None] = {}
    quartiles: list[str] = []
    for part in html.unescape(cell).split(";"):
        name = " ".join(part.split())
        match = _QUARTILE.match(name)
        if match:
            name = match.group(1)
            quartiles.append(match.group(2))
        if name and name not in _MISSING:
            names[name] = None
    return tuple(names), quartiles
