"""The four files of a report."""

from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from toolkit.report.build import build_report
from toolkit.report.inputs import FunnelStep

NAMES = ["leaderboard.md", "leaderboard.csv", "leaderboard.parquet", "leaderboard.html"]


def test_four_files_and_nothing_else(inputs, tmp_path) -> None:
    written = build_report(inputs, tmp_path / "report")
    assert [path.name for path in written] == NAMES
    assert sorted(path.name for path in (tmp_path / "report").iterdir()) == sorted(NAMES)
    rows = pq.read_table(written[2]).to_pylist()
    assert sorted(map(str, rows)) == sorted(map(str, inputs.leaderboard))


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
