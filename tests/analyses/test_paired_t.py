"""Outputs against references."""

import numpy as np
import pytest
from scipy import stats

from tests.analyses.run_analysis import run, values
from toolkit.errors import UserError

RNG = np.random.default_rng(7)
OUTPUT, REFERENCE = RNG.random(20), RNG.random(20)
ITEMS = [{"item_id": f"i{at:04d}", "type": "xy"[at % 2]} for at in range(20)]
MEASURED = {"ttr": values({"m": OUTPUT}), "ttr_reference": values({"m": REFERENCE})}


def rows(params=None, scores=MEASURED, **more):
    return run("paired_t", params or {}, scores, items=ITEMS, **more)["paired_t"].rows


def test_all_and_each_group_are_scipys() -> None:
    found = rows({"by": "type"})
    assert [row["group"] for row in found] == ["all", "x", "y"]
    for row, kept in zip(found, (slice(None), slice(0, None, 2), slice(1, None, 2)), strict=True):
        want = stats.ttest_rel(OUTPUT[kept], REFERENCE[kept])
        assert (row["t"], row["p"]) == pytest.approx((want.statistic, want.pvalue))
        assert row["df"] == row["n"] - 1
        ends = want.confidence_interval()
        assert (row["difference_low"], row["difference_high"]) == pytest.approx(tuple(ends))


def test_a_group_called_all_is_not_all_items() -> None:
    items = [{"item_id": f"i{at:04d}", "type": ("all", "y")[at % 2]} for at in range(20)]
    found = run("paired_t", {"by": "type"}, MEASURED, items=items)["paired_t"].rows
    assert [(row["group"], row["n"]) for row in found] == [("all", 20), ("'all'", 10), ("y", 10)]


def test_the_worked_example() -> None:
    scores = {
        "ttr": values({"m": [7.1, 7.5, 6.9, 7.3]}),
        "ttr_reference": values({"m": [6.6, 7.0, 6.8, 7.0]}),
    }
    (row,) = rows(scores=scores)
    assert row["t"] == pytest.approx(3.655631, abs=5e-7)
    assert row["p"] == pytest.approx(0.035353, abs=5e-7)


def test_the_reference_baseline_serves_as_reference() -> None:
    scores = {"ttr": values({"m": OUTPUT}) | values({"truth": REFERENCE}, prompt="")}
    (row,) = rows(scores=scores, kinds={"truth": "reference"})
    assert (row["model"], row["p"]) == ("m", rows()[0]["p"])


def test_a_score_without_reference_is_left_out_or_refused() -> None:
    scores = MEASURED | {"f1": values({"m": OUTPUT})}
    assert {row["score"] for row in rows(scores=scores)} == {"ttr"}
    for params, given in (({"scores": ("f1",)}, scores), ({}, {"f1": scores["f1"]})):
        with pytest.raises(UserError, match="not known of references") as caught:
            rows(params, given)
        assert "linguistic" in caught.value.hint


def test_order_does_not_matter() -> None:
    assert rows({"by": "type"}, order=-1) == rows({"by": "type"})
