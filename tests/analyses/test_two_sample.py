"""Two sets of human scores."""

import numpy as np
import pytest
from scipy import stats

from tests.analyses.run_analysis import run, values
from toolkit.analyses.base import JudgeFacts
from toolkit.errors import UserError

FIRST, SECOND = [3, 3.5, 4, 3.5], [2.5, 3, 3.5, 3]


def judges(one="p", other="q"):
    return {
        "abstracts": JudgeFacts("abstracts", "human", None, {one: "abstracts.s"}),
        "critiques": JudgeFacts("critiques", "human", None, {other: "critiques.s"}),
    }


def table(first=FIRST, second=SECOND, facts=None, **params):
    scores = {"abstracts.s": values({"m": first}), "critiques.s": values({"m": second})}
    params = {"judges": ("abstracts", "critiques")} | params
    return run("two_sample", params, scores, judges=facts or judges())["two_sample"]


def test_worked_numbers() -> None:
    (row,) = table().rows
    assert row["d"] == pytest.approx(1.224745, abs=5e-7)
    assert (row["ks"], row["ks_p"]) == (0.5, pytest.approx(0.771429, abs=5e-7))
    assert row["levene"] == pytest.approx(0, abs=1e-12)
    assert (row["first_mean"], row["first_median"], row["first_mode"]) == (3.5, 3.5, 3.5)
    assert (row["first"], row["second"]) == ("abstracts: p", "critiques: q")


@pytest.mark.parametrize("center", ["mean", "median"])
def test_levene_is_scipys_and_says_its_centre(center) -> None:
    rng = np.random.default_rng(8)
    first, second = rng.exponential(size=30), 2 * rng.exponential(size=25)
    found = table(first, second, center=center)
    want = stats.levene(first, second, center=center)
    assert found.rows[0]["levene_p"] == pytest.approx(want.pvalue)
    assert f"from the {center}" in found.notes[0]
    assert f"center:{center}" in found.signature


def test_only_the_tests_that_are_asked_for() -> None:
    (row,) = table(tests=("ks",)).rows
    assert "d" not in row
    assert "levene" not in row


def test_each_item_counts_once() -> None:
    scores = {
        "abstracts.s": values({"m": FIRST}) | values({"m": [5, 5, 5, 5]}, repeat=1),
        "critiques.s": values({"m": SECOND}),
    }
    found = run("two_sample", {"judges": ("abstracts", "critiques")}, scores, judges=judges())
    (row,) = found["two_sample"].rows
    assert (row["first_n"], row["first_mean"]) == (4, pytest.approx(4.25))


def test_both_histograms_hold_all_items() -> None:
    (figure,) = table().figures
    assert [sum(panel.counts) for panel in figure.panels] == [4, 4]
    assert figure.panels[0].edges == figure.panels[1].edges


def test_what_belongs_together_must_be_clear() -> None:
    facts = judges() | {"critiques": JudgeFacts("critiques", "human", None, {"a": "x", "b": "y"})}
    with pytest.raises(UserError, match="not clear"):
        table(facts=facts)
    with pytest.raises(UserError, match="twice"):
        table(judges=("abstracts", "abstracts"))
