"""The leaderboard as CSV for spreadsheets and as Parquet for programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from toolkit.analyses.base import AnalysisTable
from toolkit.records import TABLES, to_arrow
from toolkit.report.text import printable

__all__ = ["csv_text", "guard", "table_csv", "write_parquet"]

_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return leaderboard rows as CSV (RFC 4180, but lines end in a newline alone).

    Numbers are written so that reading them gives the same number; null is an empty cell. Text
    that a spreadsheet would run as a formula is guarded (:func:`guard`); the Parquet file holds
    it unchanged.
    """
    return _csv([column.name for column in TABLES["leaderboard"]], rows)


def table_csv(table: AnalysisTable) -> str:
    """Return a table of the report as CSV, written as :func:`csv_text` writes the leaderboard."""
    return _csv([column.name for column in table.columns], table.rows)


def _csv(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    for row in rows:
        writer.writerow([_cell(row.get(name)) for name in names])
    return out.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return guard(printable(value))
    return repr(value)


def guard(text: str) -> str:
    """Return ``text`` with an apostrophe before it when a spreadsheet would run it (CWE-1236)."""
    bare = text.lstrip(" ")
    return f"'{text}" if bare.startswith(_FORMULA_STARTS) else text


def write_parquet(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write leaderboard rows under their declared schema.

    Raises:
        pyarrow.ArrowInvalid: a value does not fit its column.
    """
    import pyarrow.parquet as pq

    table = to_arrow("leaderboard", [dict(row) for row in rows])
    pq.write_table(table, path, compression="zstd", store_schema=True)
