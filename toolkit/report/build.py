"""Write the report of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from toolkit.records import arrow_type
from toolkit.report.board import make_board
from toolkit.report.board_table import board_tables
from toolkit.report.csv_table import csv_text, table_csv, write_parquet
from toolkit.report.html import html_text
from toolkit.report.inputs import ReportInputs, ReportTable
from toolkit.report.latex import latex_text
from toolkit.report.markdown import markdown_text
from toolkit.report.numbers import numbers_csv, numbers_tex, reported
from toolkit.store.atomic import replacing, write_text

__all__ = ["build_report"]

_OWN: Final = "tables/report-"
"""Where tables lie that only the report makes."""


def build_report(inputs: ReportInputs, out: Path) -> list[Path]:
    """Write ``leaderboard.md``, ``.csv``, ``.parquet`` and ``.html``, ``numbers.tex`` and ``.csv``.

    Beside them, in ``tables/``, the leaderboard as LaTeX and the tables that no analysis left.
    The bytes depend on ``inputs`` alone.

    Args:
        inputs: what the report says.
        out: the folder to write into; made when it is absent.

    Returns:
        The files, in the order above.

    Raises:
        UserError: there is nothing to report, or a score has no definition.
        ValueError: the funnel does not add up.
    """
    _check_funnel(inputs)
    board = make_board(inputs)
    rows = sorted(inputs.leaderboard, key=lambda row: (row["score"], row["model"], row["prompt"]))
    numbers = reported(inputs, board)
    texts = {
        "leaderboard.md": markdown_text(inputs, board),
        "leaderboard.csv": csv_text(rows),
        "leaderboard.html": html_text(inputs, board),
        "numbers.tex": numbers_tex(numbers),
        "numbers.csv": numbers_csv(numbers),
    }
    for table in board_tables(inputs, board):
        texts[f"tables/{table.name}.tex"] = latex_text(table)
    own = [entry for entry in inputs.tables if _own(entry)]
    for entry in own:
        texts[f"{_stem(entry)}.tex"] = latex_text(entry.table)
        texts[f"{_stem(entry)}.csv"] = table_csv(entry.table)
    for name, text in texts.items():
        write_text(out / name, text)
    with replacing(out / "leaderboard.parquet") as temporary:
        write_parquet(rows, temporary)
    paths = [out / name for name in texts]
    paths.insert(2, out / "leaderboard.parquet")
    return [*paths, *(_parquet(entry, out) for entry in own)]


def _own(entry: ReportTable) -> bool:
    return bool(entry.files) and entry.files[0].startswith(_OWN)


def _stem(entry: ReportTable) -> str:
    return entry.files[0].removesuffix(".csv")


def _parquet(entry: ReportTable, out: Path) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = entry.table.columns
    schema = pa.schema([(column.name, arrow_type(column.type)) for column in columns])
    path = out / f"{_stem(entry)}.parquet"
    with replacing(path) as temporary:
        pq.write_table(pa.Table.from_pylist(entry.table.rows, schema=schema), temporary)
    return path


def _check_funnel(inputs: ReportInputs) -> None:
    for before, step in zip(inputs.funnel, inputs.funnel[1:], strict=False):
        if before.remaining - step.removed != step.remaining:
            raise ValueError(
                f"the funnel does not add up: {before.remaining} rows before '{step.rule}', "
                f"which removes {step.removed} and leaves {step.remaining}"
            )
        if step.by_file and sum(step.by_file.values()) != step.removed:
            raise ValueError(f"the files of '{step.rule}' do not add up to {step.removed}")
