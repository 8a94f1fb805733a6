"""Permutation tests between the two levels of a factor."""

import numpy as np
import pytest
from scipy import stats

from tests.analyses.run_analysis import run, values
from toolkit.errors import UserError

RNG = np.random.default_rng(9)


def rows(params, scores, **more):
    return run("permutation", params, {"s": scores}, **more)["permutation"].rows


def test_twelve_against_four_pairs() -> None:
    detailed = [1] * 12 + [0] * 4 + [1] * 9
    concise = [0] * 12 + [1] * 4 + [1] * 9
    scores = values({"m": detailed}, prompt="detailed") | values({"m": concise}, prompt="concise")
    (row,) = rows({"factor": "prompt"}, scores)
    assert (row["first"], row["second"], row["method"]) == ("concise", "detailed", "exact")
    assert row["p"] == pytest.approx(0.076813, abs=5e-7)
    assert (row["first_n"], row["difference"]) == (25, pytest.approx(-8 / 25))


def test_unpaired_is_the_hypergeometric_test() -> None:
    scores = values({"m": [1, 1, 1, 0]}, prompt="A") | values({"m": [1, 0, 0, 0]}, prompt="B")
    (row,) = rows({"factor": "prompt", "paired": False}, scores)
    assert row["p"] == pytest.approx(0.485714, abs=5e-7)


def test_one_test_in_each_cell_with_holm_over_them() -> None:
    base = RNG.random(20)
    scores = {}
    for model, gain in (("m1", 0.0), ("m2", 0.3)):
        scores |= values({model: base}, prompt="A")
        scores |= values({model: base + gain + RNG.normal(0, 0.1, 20)}, prompt="B")
    found = rows({"factor": "prompt", "within": ("model",)}, scores)
    assert [row["model"] for row in found] == ["m1", "m2"]
    assert found[1]["p_adjusted"] == pytest.approx(2 * found[1]["p"])
    want = stats.ttest_rel(base, [scores[f"i{at:04d}", "m2", "B", 0] for at in range(20)])
    assert found[1]["difference_low"] == pytest.approx(want.confidence_interval().low)


def test_a_column_of_the_items_is_compared_unpaired() -> None:
    first, second = RNG.normal(0, 1, 25), RNG.normal(0.6, 1, 25)
    items = [{"item_id": f"i{at:04d}", "open": "no" if at < 25 else "yes"} for at in range(50)]
    scores = values({"m": np.concatenate([first, second])})
    (row,) = rows({"factor": "open", "paired": False}, scores, items=items)
    assert row["p"] == pytest.approx(stats.ttest_ind(first, second).pvalue, abs=0.02)
    (paired,) = rows({"factor": "open"}, scores, items=items)
    assert (paired["p"], paired["reason"]) == (None, "no item has both levels: use paired: false")


def test_clusters_move_whole() -> None:
    items = [{"item_id": f"i{at:04d}", "open": "no" if at < 8 else "yes", "j": str(at // 4)}
             for at in range(16)]  # fmt: skip
    scores = values({"m": np.repeat([3.0, 4, 1, 2], 4)})
    params = {"factor": "open", "paired": False, "cluster": "j"}
    (row,) = rows(params, scores, items=items)
    assert (row["p"], row["clusters"]) == (pytest.approx(2 / 6), 4)
    mixed = [item | {"j": str(at % 4)} for at, item in enumerate(items)]
    (row,) = rows(params, scores, items=mixed)
    assert (row["p"], row["reason"]) == (None, "a cluster has both levels: pair by item")


def test_levels_must_be_two() -> None:
    one = values({"m": [1.0, 2]}, prompt="A")
    (row,) = rows({"factor": "prompt"}, one)
    assert (row["p"], row["reason"]) == (None, "fewer than two levels of prompt have a value")
    three = one | values({"m": [1.0, 2]}, prompt="B") | values({"m": [1.0, 2]}, prompt="C")
    with pytest.raises(UserError, match="3 levels in 's': A, B, C"):
        rows({"factor": "prompt"}, three)
    with pytest.raises(UserError, match="holds the factor"):
        rows({"factor": "prompt", "within": ("prompt",)}, one)


def test_order_does_not_matter() -> None:
    scores = values({"m": RNG.random(30)}, prompt="A") | values({"m": RNG.random(30)}, prompt="B")
    params = {"factor": "prompt", "n": 500}
    assert rows(params, scores, order=-1) == rows(params, scores)
