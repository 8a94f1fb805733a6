"""CSV for spreadsheets: nothing runs, nothing is lost; Parquet for programs."""

import csv
import io

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.records import arrow_schema
from toolkit.report.csv_table import csv_text, guard, write_parquet

ROW = {
    "model": "m",
    "prompt": "A",
    "kind": "model",
    "score": "ratio",
    "mean": -0.1,
    "ci_low": -0.30000000000000004,
    "ci_high": None,
    "n": 3,
    "n_missing": 0,
    "n_clusters": 3,
    "rank": None,
    "rank_low": None,
    "rank_high": None,
    "reason": "",
    "signature": "x:1",
}


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =cmd|' /C calc'!A0", "＝1"]
)
def test_formulas_are_guarded_in_text(text: str) -> None:
    assert guard(text) == f"'{text}"
    cell = read(csv_text([ROW | {"model": text}]))[0]["model"]
    assert cell.startswith("'")


@pytest.mark.parametrize("text", ["", "gpt-5.4", "a=b", "'quoted", "心不全"])
def test_other_text_is_untouched(text: str) -> None:
    assert guard(text) == text


def test_numbers_stay_numbers_and_survive() -> None:
    got = read(csv_text([ROW]))[0]
    assert float(got["mean"]) == -0.1
    assert float(got["ci_low"]) == -0.30000000000000004
    assert (got["ci_high"], got["rank"], got["n"]) == ("", "", "3")


@given(st.text(), st.floats(allow_nan=False, allow_infinity=False))
def test_any_text_and_number_make_one_row(text: str, value: float) -> None:
    (got,) = read(csv_text([ROW | {"reason": text, "mean": value}]))
    assert float(got["mean"]) == value
    assert not got["reason"].lstrip(" ").startswith(("=", "+", "-", "@"))


def test_parquet_holds_the_rows_unchanged(tmp_path) -> None:
    rows = [ROW | {"model": "=1+1"}, ROW]
    write_parquet(rows, tmp_path / "x.parquet")
    table = pq.read_table(tmp_path / "x.parquet")
    assert table.schema.equals(arrow_schema("leaderboard"))
    assert table.to_pylist() == rows
