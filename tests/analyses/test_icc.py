"""Intraclass correlations of scores."""

import numpy as np
import pytest

from tests.analyses.run_analysis import run, values
from toolkit.statistics.icc import intraclass

RNG = np.random.default_rng(5)
LEVEL = RNG.random(30)
MODELS = {name: LEVEL + RNG.normal(0, 0.1, 30) for name in "abc"}
ITEMS = [{"item_id": f"i{at:04d}", "j": f"j{at // 5}"} for at in range(30)]


def rows(params, models=MODELS, **more):
    return run("icc", params, {"f1": values(models)}, **more)["icc"].rows


def test_items_are_the_clusters_of_all_competitors_answers() -> None:
    (row,) = rows({})
    want = intraclass(np.stack(list(MODELS.values()), axis=1).ravel(), np.repeat(range(30), 3))
    assert (row["icc"], row["icc_low"], row["icc_high"]) == pytest.approx(
        (want.value, want.low, want.high)
    )
    assert row["icc"] > 0.7
    assert (row["n"], row["clusters"]) == (90, 30)


def test_a_column_clusters_each_competitor_alone_too() -> None:
    found = rows({"cluster": "j"}, items=ITEMS)
    assert [row["model"] for row in found] == ["all models", "a", "b", "c"]
    want = intraclass(MODELS["a"], np.arange(30) // 5)
    assert found[1]["icc"] == pytest.approx(want.value)
    assert (found[1]["clusters"], found[1]["size"]) == (6, 5)


def test_baselines_are_no_models() -> None:
    scores = {"f1": values(MODELS) | values({"floor": 1 - LEVEL}, prompt="")}
    (row,) = run("icc", {}, scores, kinds={"floor": "baseline"})["icc"].rows
    assert row == rows({})[0]


def test_one_answer_an_item_has_none() -> None:
    (row,) = rows({}, {"a": LEVEL})
    assert (row["icc"], row["reason"]) == (None, "one value in each cluster")


def test_order_does_not_matter() -> None:
    assert rows({"cluster": "j"}, items=ITEMS, order=-1) == rows({"cluster": "j"}, items=ITEMS)


def test_items_of_a_value_are_left_out() -> None:
    items = [item | {"level": "unedited" if at < 10 else "hard"} for at, item in enumerate(ITEMS)]
    (row,) = rows({"leave_out": {"level": ("unedited", "unknown")}}, items=items)
    kept = {name: held[10:] for name, held in MODELS.items()}
    want = intraclass(np.stack(list(kept.values()), axis=1).ravel(), np.repeat(range(20), 3))
    assert (row["n"], row["clusters"]) == (60, 20)
    assert row["icc"] == pytest.approx(want.value)
    table = run("icc", {"leave_out": {"level": ("unedited",)}}, {"f1": values(MODELS)}, items=items)
    assert "without:level unedited" in table["icc"].signature
    assert "Without items of level unedited." in table["icc"].notes
