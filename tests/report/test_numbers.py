"""Macros: read back without LaTeX, unique, unmoved by other rows, traceable to their rows."""

import csv
import io
import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.wide_world import long_table, wide_inputs
from toolkit.analyses.base import AnalysisColumn, AnalysisTable
from toolkit.report.board import make_board
from toolkit.report.inputs import ReportTable
from toolkit.report.numbers import macro_name, numbers_csv, numbers_tex, reported

COMMAND = re.compile(r"\\newcommand\{\\([A-Za-z]+)\}\{(?:\\ensuremath\{)?([^{}]*)\}?\}")


def read_tex(text: str) -> dict[str, str]:
    """Return macro and body of every line that defines one; any other line must be a comment."""
    found = {}
    for line in text.splitlines():
        hit = COMMAND.fullmatch(line)
        assert hit or line.startswith("%"), line
        if hit:
            assert hit[1] not in found
            found[hit[1]] = hit[2]
    return found


def numbers_of(inputs):
    return reported(inputs, make_board(inputs))


def test_every_macro_reads_back_as_the_number_that_the_page_prints(inputs) -> None:
    wide = wide_inputs(inputs)
    numbers = numbers_of(wide)
    bodies = read_tex(numbers_tex(numbers))
    rows = {row["macro"]: row for row in csv.DictReader(io.StringIO(numbers_csv(numbers)))}
    assert set(bodies) == set(rows)
    digits = {score.name: score.digits for score in wide.scores}
    for macro, row in rows.items():
        value, body = float(row["value"]), float(bodies[macro].replace(",", ""))
        key = json.loads(row["row"])
        places = 2
        if row["file"] == "leaderboard.csv":
            whole = row["column"] not in ("mean", "ci_low", "ci_high")
            places = 0 if whole else digits[key["score"]]
        assert body == pytest.approx(value, abs=0.5000001 * 10**-places), macro


def test_each_row_of_the_leaderboard_is_found_by_its_key(inputs) -> None:
    rows = list(csv.DictReader(io.StringIO(numbers_csv(numbers_of(inputs)))))
    for row in rows:
        assert row["file"] == "leaderboard.csv"
        assert row["rows_file"] == "tables/leaderboard_rows.parquet"
        key = json.loads(row["row"])
        (found,) = (r for r in inputs.leaderboard if all(r[k] == v for k, v in key.items()))
        assert float(row["value"]) == found[row["column"]]
        assert int(row["n"]) == found["n"]
        assert row["signature"] == found["signature"]
    means = [row for row in rows if row["column"] == "mean"]
    assert len(means) == len(inputs.leaderboard)


def test_numbers_of_analyses_name_file_row_and_column(inputs) -> None:
    table = long_table(3)
    entry = ReportTable(table=table, files=("tables/02-by_category.csv",))
    numbers = [
        n for n in numbers_of(replace(inputs, tables=[entry])) if n.file != "leaderboard.csv"
    ]
    assert len(numbers) == 3 * 5
    for number in numbers:
        assert number.file == "tables/02-by_category.csv"
        assert set(number.row) == {"model", "category"}
        (row,) = (r for r in table.rows if all(r[k] == v for k, v in number.row.items()))
        assert number.value == row[number.column]
        assert number.n == row["n"]
        assert number.signature == table.signature


def test_two_uses_of_one_analysis_stay_apart(inputs) -> None:
    entries = [
        ReportTable(table=long_table(3), files=(f"tables/{number}-by_category.csv",))
        for number in ("01", "02")
    ]
    names = [number.macro for number in numbers_of(replace(inputs, tables=entries))]
    assert len(names) == len(set(names))


def test_rows_without_a_key_are_told_apart_by_their_order(inputs) -> None:
    table = long_table(2)
    table = replace(table, columns=table.columns[2:])
    numbers = numbers_of(
        replace(inputs, leaderboard=inputs.leaderboard[:1], tables=[ReportTable(table=table)])
    )
    rows = [number.row for number in numbers if number.column == "value"]
    assert rows == [{}, {"row": 2}]


def test_other_rows_change_no_name(inputs) -> None:
    wide = wide_inputs(inputs)
    longer = replace(wide, tables=[replace(wide.tables[0], table=long_table(60)), wide.tables[1]])
    fewer = replace(wide, leaderboard=[r for r in wide.leaderboard if r["model"] != "gpt-small"])
    before = {(n.file, json.dumps(n.row), n.column): n.macro for n in numbers_of(wide)}
    for changed in (longer, fewer):
        after = {(n.file, json.dumps(n.row), n.column): n.macro for n in numbers_of(changed)}
        shared = before.keys() & after.keys()
        assert shared
        assert {key: before[key] for key in shared} == {key: after[key] for key in shared}


def test_a_null_has_no_macro(inputs) -> None:
    row = inputs.leaderboard[0] | {"ci_low": None, "ci_high": None}
    columns = {n.column for n in numbers_of(replace(inputs, leaderboard=[row]))}
    assert "mean" in columns
    assert not columns & {"ci_low", "ci_high"}


def test_a_negative_number_prints_a_minus(inputs) -> None:
    row = inputs.leaderboard[0] | {"mean": -0.25}
    tex = numbers_tex(numbers_of(replace(inputs, leaderboard=[row])))
    assert r"\ensuremath{-0.25" in tex


@given(st.lists(st.text(max_size=30), min_size=1, max_size=5))
def test_a_name_has_letters_only(parts) -> None:
    assert re.fullmatch("[A-Za-z]+", macro_name(*parts))


@given(st.lists(st.text(max_size=8), max_size=4), st.lists(st.text(max_size=8), max_size=4))
def test_different_parts_have_different_names(one, other) -> None:
    assert (macro_name(*one) == macro_name(*other)) == (one == other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("a_b",), ("a-b",)),
        (("a", "bc"), ("ab", "c")),
        (("rouge1",), ("rouge_one",)),
        (("A",), ("a",)),
    ],
)
def test_names_that_would_read_alike_stay_apart(one, other) -> None:
    assert macro_name(*one) != macro_name(*other)


def test_a_tiny_p_value_is_no_zero_in_a_paper(inputs) -> None:
    table = AnalysisTable(
        name="tests",
        title="Tests",
        columns=(
            AnalysisColumn("model", "string", "model", 0),
            AnalysisColumn("p_adjusted", "double", "adjusted p", 4),
        ),
        rows=[{"model": "a", "p_adjusted": 1e-9}],
    )
    numbers = numbers_of(replace(inputs, tables=[ReportTable(table=table)]))
    assert r"{\ensuremath{<0.0001}}" in numbers_tex(numbers)
    assert numbers[-1].value == 1e-9
