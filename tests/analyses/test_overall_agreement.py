"""The mean of macro-F1 over scores, and its spread across them."""

import json
import statistics

import pytest
from conftest import SHARED

from tests.analyses.judged import inputs, rows
from toolkit.analyses.agreement import Agreement, AgreementParams
from toolkit.analyses.base import JudgeFacts
from toolkit.analyses.overall_agreement import overall_rows

GOLDENS = SHARED / "goldens" / "statistics.json"


def pair(values, **more):
    return [
        {"rater_a": "a", "rater_b": "b", "score": f"s{at}", "statistic": "macro_f1", "value": value}
        | more
        for at, value in enumerate(values)
    ]


@pytest.mark.skipif(not GOLDENS.is_file(), reason="../shared/goldens is absent")
def test_the_papers_overall_rows() -> None:
    goldens = json.loads(GOLDENS.read_text(encoding="utf-8"))["overall_macroF1_rows"]
    assert len(goldens) == 6
    for golden in goldens:
        (row,) = overall_rows(pair(golden["values"]))
        assert row["mean"] == pytest.approx(golden["mean"], abs=1e-9)
        assert row["sd_across_scores"] == pytest.approx(golden["sd_ddof1"], abs=5e-5)


def test_the_spread_is_the_sample_deviation_of_the_scores() -> None:
    values = [0.31, 0.62, 0.55, 0.7]
    (row,) = overall_rows(pair(values))
    assert row["mean"] == pytest.approx(statistics.fmean(values))
    assert row["sd_across_scores"] == pytest.approx(statistics.stdev(values))
    assert (row["n_scores"], row["reason"]) == (4, "")


def test_a_score_without_a_value_is_named_and_one_score_has_no_spread() -> None:
    (row,) = overall_rows(pair([0.5, None]))
    assert (row["n_scores"], row["mean"], row["sd_across_scores"]) == (1, 0.5, None)
    assert row["reason"] == "no macro-F1 of s1"
    assert list(overall_rows(pair([0.5]))) == []
    assert list(overall_rows(pair([0.5, 0.6], statistic="exact"))) == []


def test_it_stands_beside_the_agreement_of_raters() -> None:
    judges = {
        name: JudgeFacts(name, "llm", None, {own: f"{name}.{own}" for own in "qr"})
        for name in "abc"
    }
    given = {"a": (0, 1, 1, 0, 1, 0), "b": (0, 1, 0, 0, 1, 1), "c": (1, 1, 1, 0, 0, 0)}
    tables = []
    for name in "abc":
        for own in "qr":
            # The second score differs from the first in one case.
            said = [(value + (own == "r" and at == 2)) % 2 for at, value in enumerate(given[name])]
            values = {(f"i{at}", "m", "A", 0): float(value) for at, value in enumerate(said)}
            tables.append(rows(f"{name}.{own}", values, name))
    found = Agreement(AgreementParams(raters=("a", "b", "c"), bootstrap=20)).run(
        inputs(tables, judges)
    )
    by_name = {table.name: table for table in found}
    overall = by_name["agreement_overall"]
    assert [(row["rater_a"], row["rater_b"]) for row in overall.rows] == [
        ("a", "b"), ("a", "c"), ("b", "c"),
    ]  # fmt: skip
    first = [row["value"] for row in by_name["agreement"].rows if row["rater_b"] == "b"]
    assert overall.rows[0]["mean"] == pytest.approx(statistics.fmean(first))
    assert "no spread of resamples" in overall.notes[0]
