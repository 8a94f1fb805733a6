"""The files of a report."""

from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from tests.report.wide_world import long_table, wide_inputs
from toolkit.report.build import build_report
from toolkit.report.inputs import FunnelStep, ReportTable

NAMES = [
    "leaderboard.md",
    "leaderboard.csv",
    "leaderboard.parquet",
    "leaderboard.html",
    "numbers.tex",
    "numbers.csv",
]


def files(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_these_files_and_nothing_else(inputs, tmp_path) -> None:
    written = build_report(inputs, tmp_path / "report")
    assert [path.name for path in written[: len(NAMES)]] == NAMES
    assert files(tmp_path / "report") == sorted(written)
    assert all(path.parent.name == "tables" for path in written[len(NAMES) :])
    rows = pq.read_table(written[2]).to_pylist()
    assert sorted(map(str, rows)) == sorted(map(str, inputs.leaderboard))


def test_a_wide_leaderboard_is_a_latex_table_for_each_metric_and_judge(inputs, tmp_path) -> None:
    written = build_report(wide_inputs(inputs), tmp_path)
    names = {path.name for path in written if path.suffix == ".tex"}
    assert {"leaderboard-primary.tex", "leaderboard-second.tex", "leaderboard-rouge.tex"} <= names
    text = (tmp_path / "tables" / "leaderboard-rouge.tex").read_text()
    assert text.count(r"\\") == 1 + 9
    assert text.count(r"\textbf") == 3


def test_a_narrow_leaderboard_is_one_latex_table(inputs, tmp_path) -> None:
    few = [row for row in inputs.leaderboard if row["score"] in ("bleu", "rouge1")]
    written = build_report(replace(inputs, leaderboard=few), tmp_path)
    assert tmp_path / "tables" / "leaderboard.tex" in written


def test_tables_that_no_analysis_left_are_written_beside(inputs, tmp_path) -> None:
    own = replace(long_table(3), name="judge_replies")
    files = ("tables/report-judge_replies.csv", "tables/report-judge_replies.tex")
    entry = ReportTable(table=own, section="judges", files=files)
    build_report(replace(inputs, tables=[entry]), tmp_path)
    rows = pq.read_table(tmp_path / "tables" / "report-judge_replies.parquet").to_pylist()
    assert rows == own.rows
    lines = (tmp_path / files[0]).read_text().splitlines()
    assert lines[0].split(",") == [column.name for column in own.columns]
    assert (tmp_path / files[1]).read_text().startswith(r"\begin{table}")


def test_the_same_bytes_whatever_the_order_and_the_folder(inputs, tmp_path) -> None:
    turned = replace(inputs, leaderboard=inputs.leaderboard[::-1], evidence=inputs.evidence[::-1])
    first = build_report(inputs, tmp_path / "one")
    second = build_report(turned, tmp_path / "other" / "place")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    assert not [path for path in first if str(tmp_path).encode() in path.read_bytes()]


def test_a_page_of_a_full_run_stays_small(inputs, tmp_path) -> None:
    many = [replace(part, total=200, rows=list(part.rows) * 13) for part in inputs.evidence]
    page = build_report(replace(inputs, evidence=many), tmp_path)[3]
    assert page.stat().st_size < 3_000_000


@pytest.mark.parametrize(
    ("step", "match"),
    [
        (FunnelStep(rule="year", removed=3, remaining=8), "does not add up"),
        (FunnelStep(rule="year", removed=3, remaining=7, by_file={"a": 2}), "files of 'year'"),
    ],
)
def test_a_funnel_that_does_not_add_up_is_refused(inputs, tmp_path, step, match) -> None:
    first = FunnelStep(rule="input", removed=0, remaining=10)
    with pytest.raises(ValueError, match=match):
        build_report(replace(inputs, funnel=[first, step]), tmp_path)
    assert not list(tmp_path.iterdir())
