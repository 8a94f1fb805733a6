"""Ranks as ranges."""

import numpy as np

from tests.analyses.run_analysis import definition, rows, run, values
from toolkit.analyses.base import AnalysisInputs
from toolkit.analyses.means import Means, MeansParams
from toolkit.records import to_arrow

RNG = np.random.default_rng(2)
BASE = RNG.random(50)
MODELS = {
    "low": BASE,
    "near": BASE + 0.2 + RNG.normal(0, 0.1, 50),
    "nearer": BASE + 0.2 + RNG.normal(0, 0.1, 50),
    "top": BASE + 0.6 + RNG.normal(0, 0.05, 50),
}


def table(params=None, scores=None, **more):
    return run("rank_ranges", params or {}, scores or {"f1": values(MODELS)}, **more)["rank_ranges"]


def ends(found):
    return {
        r["model"]: (r["rank_low"], r["rank_high"], r["tied_from"], r["tied_to"]) for r in found
    }


def test_ranges_and_ties_tell_the_same_groups_apart() -> None:
    found = table().rows
    assert ends(found) == {
        "top": (1, 1, 1, 1), "near": (2, 3, 2, 3), "nearer": (2, 3, 2, 3), "low": (4, 4, 4, 4),
    }  # fmt: skip
    assert [row["rank"] for row in found] == [1, 2, 3, 4]
    assert found[0]["first_share"] == 1.0
    assert found[0]["n"] == 50


def test_scores_without_a_direction_and_references_have_no_rows() -> None:
    none = definition("f1", direction="none")
    assert table(definitions=[none]).rows == []
    found = table(kinds={"top": "reference"}).rows
    assert "top" not in ends(found)
    assert ends(found)["low"] == (3, 3, 3, 3)


def test_directions_turn_the_ranges() -> None:
    lower = definition("f1", direction="lower")
    assert ends(table(definitions=[lower]).rows)["low"] == (1, 1, 1, 1)


def test_means_on_both_sides_of_a_target_are_not_told_apart_by_tests() -> None:
    target = definition("r", direction="target", target=1.0)
    noise = RNG.normal(0, 0.01, 50)
    found = table({}, {"r": values({"under": 0.9 + noise, "over": 1.3 + noise})},
                  definitions=[target])  # fmt: skip
    assert ends(found.rows) == {"under": (1, 1, 1, 2), "over": (2, 2, 1, 2)}


def test_clusters_widen() -> None:
    items = [{"item_id": f"i{at:04d}", "j": str(at // 25)} for at in range(50)]
    found = table({"cluster": "j"}, items=items).rows
    assert all(row["clusters"] == 2 for row in found)
    assert ends(found)["near"][:2] != (2, 2)
    assert ends(found)["low"][1] == 4


def test_the_figure_shows_ranges_from_the_best_down() -> None:
    (figure,) = table().figures
    (dots,) = figure.panels
    assert dots.labels[0] == "top A"
    assert dots.series[0].lows == (1.0, 2.0, 2.0, 4.0)
    assert "1 may be first: top A" in figure.alt


def test_order_does_not_matter() -> None:
    assert table(order=-1).rows == table().rows


def test_ranges_are_those_of_the_leaderboard() -> None:
    scores = {"f1": values({**MODELS, "few": BASE[:9]})}
    tables = [to_arrow("scores", rows(score, cells)) for score, cells in scores.items()]
    inputs = AnalysisInputs(scores=tables, definitions=[definition("f1")], seed=7)
    board = Means(MeansParams()).run(inputs).to_pylist()
    found = table({}, scores)
    want = {r["model"]: (r["rank"], r["rank_low"], r["rank_high"]) for r in board}
    assert {r["model"]: (r["rank"], r["rank_low"], r["rank_high"]) for r in found.rows} == want
    assert "(n = 9 to 50)" in found.figures[0].title
