import numpy as np
import pytest
from scipy import stats

from tests.analyses.judged import grid, inputs, rows, two_judges
from toolkit.analyses.rank_stability import RankStability, RankStabilityParams
from toolkit.errors import UserError

MODELS = ("m1", "m2", "m3", "m4")
LEVEL_A, LEVEL_B = (20, 40, 60, 80), (30, 20, 70, 80)


def scored(order=1):
    tables = [
        rows("q", grid(lambda rng, n, m: LEVEL_A[m] + rng.normal(0, 3)), "a"),
        rows("b.q", grid(lambda rng, n, m: LEVEL_B[m] + rng.normal(0, 3), seed=2), "b"),
    ]
    return tables[::order] if order == 1 else [list(reversed(t)) for t in tables[::-1]]


def run(tables, **more):
    analysis = RankStability(RankStabilityParams(judges=("a", "b"), resamples=200))
    return {t.name: t for t in analysis.run(inputs(tables, two_judges(), **more))}


def test_ranks_means_and_ranges_under_both_judges():
    found = run(scored())["rank_stability"].rows
    assert [(r["model"], r["rank_a"], r["rank_b"], r["moved"]) for r in found] == [
        ("m1", 4, 3, -1), ("m2", 3, 4, 1), ("m3", 2, 2, 0), ("m4", 1, 1, 0),
    ]  # fmt: skip
    for row, level in zip(found, LEVEL_A, strict=True):
        assert row["mean_a"] == pytest.approx(level, abs=2)
        assert row["rank_a_low"] <= row["rank_a"] <= row["rank_a_high"]
    assert {row["n"] for row in found} == {30}


def test_likeness_and_flips_are_those_of_the_agreement_of_judges():
    found = run(scored())
    (row,) = found["rank_stability_alike"].rows
    assert row["kendall"] == pytest.approx(stats.kendalltau(LEVEL_A, LEVEL_B).statistic)
    (flip,) = found["rank_stability_flips"].rows
    assert (flip["first"], flip["second"]) == ("m1 A", "m2 A")
    assert flip["difference_a"] < 0 < flip["difference_b"]


def test_only_answers_that_both_scored_count_and_the_reference_has_no_rank():
    tables = scored()
    for row in tables[1]:
        if row["model"] == "m1" and row["item_id"] < "i010":
            row["value"] = None
    found = {r["model"]: r for r in run(tables, kinds={"m4": "reference"})["rank_stability"].rows}
    assert set(found) == {"m1", "m2", "m3"}
    assert found["m1"]["n"] == 20
    known = [r["value"] for r in tables[0] if r["model"] == "m1" and r["item_id"] >= "i010"]
    assert found["m1"]["mean_a"] == pytest.approx(np.mean(known))


def test_repeats_of_an_item_are_one_unit():
    once = {("i1", "m1", "A", 0): 10.0, ("i1", "m1", "A", 1): 20.0, ("i2", "m1", "A", 0): 40.0}
    found = run([rows("q", once, "a"), rows("b.q", once, "b")])["rank_stability"].rows
    assert (found[0]["n"], found[0]["mean_a"]) == (2, pytest.approx((15 + 40) / 2))


def test_the_figure_and_the_order_of_rows():
    found = run(scored())
    assert found == run(scored(-1))
    (figure,) = found["rank_stability"].figures
    (panel,) = figure.panels
    assert panel.rows == ("m4 A", "m3 A", "m2 A", "m1 A")
    assert panel.values == ((1, 1), (2, 2), (3, 4), (4, 3))


@pytest.mark.parametrize("judges", [("a",), ("a", "a")])
def test_fewer_than_two_judges_are_refused(judges):
    with pytest.raises(UserError, match=r"rank_stability\.judges"):
        RankStability(RankStabilityParams(judges=judges))
