"""Tables of analyses on disk."""

import csv

import pyarrow.parquet as pq

from toolkit.analyses.base import AnalysisColumn, AnalysisTable
from toolkit.stages.analyse import write_tables
from toolkit.store.pieces import ensure_piece

HOSTILE = ["=HYPERLINK(1)", "+1", "@x", "a\x00b\u202ec", '"quoted", and\nbroken']


def test_texts_of_a_table_run_in_no_spreadsheet_and_stand_unchanged_in_parquet(tmp_path) -> None:
    table = AnalysisTable(
        name="shares",
        title="Shares",
        columns=(
            AnalysisColumn("category", "string", "category", 0),
            AnalysisColumn("share", "double", "share"),
            AnalysisColumn("kept", "bool", "kept"),
        ),
        rows=[{"category": text, "share": -0.1, "kept": None} for text in HOSTILE],
    )
    ensure_piece(tmp_path, "00000", lambda writer: write_tables(writer, [table]) or {})
    with next(tmp_path.rglob("*.csv")).open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["category"] for row in rows] == [
        "'=HYPERLINK(1)",
        "'+1",
        "'@x",
        "a[U+0000]b[U+202E]c",
        '"quoted", and\nbroken',
    ]
    assert {(row["share"], row["kept"]) for row in rows} == {("-0.1", "")}
    stored = pq.read_table(next(tmp_path.rglob("*.parquet")))
    assert stored["category"].to_pylist() == HOSTILE
