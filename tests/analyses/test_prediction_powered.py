"""A judge's means, corrected by humans."""

import numpy as np
import pytest

from tests.analyses.run_analysis import run, values
from toolkit.analyses.base import JudgeFacts
from toolkit.analyses.prediction_powered import _cells
from toolkit.errors import UserError
from toolkit.statistics.prediction_powered import Estimate

RNG = np.random.default_rng(3)
TRUTH = RNG.beta(4, 8, 300)
JUDGE = TRUTH + 0.2 + RNG.normal(0, 0.05, 300)
HUMAN = [value if at < 60 else None for at, value in enumerate(TRUTH)]
JUDGES = {
    "auto": JudgeFacts("auto", "llm", "m", {"q": "q", "other": "other"}),
    "experts": JudgeFacts("experts", "human", None, {"q": "experts.q"}),
}
SCORES = {"q": values({"m1": JUDGE}), "experts.q": values({"m1": HUMAN})}


def table(params=None, scores=SCORES, **more):
    params = {"judge": "auto", "human": "experts"} | (params or {})
    return run("prediction_powered", params, scores, judges=JUDGES, **more)["prediction_powered"]


def test_raw_human_and_powered_means_stand_side_by_side() -> None:
    (row,) = table().rows
    assert (row["score"], row["n_judge"], row["n_human"], row["n_both"]) == ("q", 300, 60, 60)
    assert row["raw"] == pytest.approx(JUDGE.mean())
    assert row["human"] == pytest.approx(TRUTH[:60].mean())
    assert row["bias"] == pytest.approx((JUDGE - TRUTH)[:60].mean())
    assert row["bias_low"] < 0.2 < row["bias_high"]
    moved = row["factor"] * (JUDGE[60:].mean() - JUDGE[:60].mean())
    assert row["powered"] == pytest.approx(TRUTH[:60].mean() + moved)
    assert row["powered_high"] - row["powered_low"] < row["human_high"] - row["human_low"]
    # The judge's own interval misses the truth by its bias.
    assert not row["raw_low"] <= TRUTH.mean() <= row["raw_high"]
    assert row["powered_low"] <= TRUTH.mean() <= row["powered_high"]


def test_a_system_that_humans_never_saw_says_so() -> None:
    scores = SCORES | {"q": SCORES["q"] | values({"m2": JUDGE})}
    unseen = table(scores=scores).rows[1]
    assert (unseen["model"], unseen["human"], unseen["powered"]) == ("m2", None, None)
    assert unseen["raw"] == pytest.approx(JUDGE.mean())
    assert "fewer than 4 items" in unseen["reason"]


def test_a_judge_that_gave_nothing_leaves_the_humans_alone() -> None:
    found = table(scores=SCORES | {"q": values({"m1": [None] * 300})})
    (row,) = found.rows
    assert (row["n_judge"], row["raw"], row["powered"]) == (0, None, None)
    assert row["human"] == pytest.approx(TRUTH[:60].mean())
    assert found.figures[0].panels[0].series[0].values == (None,)


def test_intervals_of_few_ratings_do_not_reach_beyond_the_scale() -> None:
    def estimate(mean, low, high):
        return Estimate(mean, low, high, 2, 2)

    assert _cells("raw", estimate(0.5, -5.9, 6.9), (0.0, 1.0)) == {
        "raw": 0.5, "raw_low": 0.0, "raw_high": 1.0,
    }  # fmt: skip
    # A corrected mean beyond the scale keeps the interval that it stands in.
    assert _cells("powered", estimate(1.1, 1.05, 1.15), (0.0, 1.0))["powered_low"] == 1.05


def test_clusters_are_kept_whole() -> None:
    items = [{"item_id": f"i{at:04d}", "patient": str(at // 3)} for at in range(300)]
    (row,) = table({"cluster": "patient"}, items=items).rows
    assert row["powered_low"] != table().rows[0]["powered_low"]
    assert row["powered"] == pytest.approx(table().rows[0]["powered"], abs=0.01)


def test_faults_of_the_recipe_are_named() -> None:
    with pytest.raises(UserError, match="both 'auto'"):
        table({"human": "auto"})
    lonely = JUDGES | {"experts": JudgeFacts("experts", "human", None, {"x": "x"})}
    with pytest.raises(UserError, match="no score of one name") as caught:
        run("prediction_powered", {"judge": "auto", "human": "experts"}, SCORES, judges=lonely)
    assert "'experts' gives x" in caught.value.hint


def test_the_figure_has_three_series_with_intervals() -> None:
    (figure,) = table().figures
    (dots,) = figure.panels
    assert [series.name for series in dots.series] == ["judge", "humans", "prediction-powered"]
    assert all(series.lows[0] < series.values[0] < series.highs[0] for series in dots.series)


def test_order_does_not_matter() -> None:
    assert table(order=-1).rows == table().rows
