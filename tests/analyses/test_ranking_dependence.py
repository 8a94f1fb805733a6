import numpy as np
import pytest
from scipy import stats

from tests.analyses.scored_items import made, tables
from toolkit.analyses.base import JudgeFacts
from toolkit.analyses.ranking_dependence import RankingDependence, RankingDependenceParams
from toolkit.metrics.base import ScoreDefinition

KINDS = {"ref": "reference", "base": "baseline"}
JUDGES = {
    "primary": JudgeFacts("primary", "llm", "x", {"quality": "quality"}),
    "secondary": JudgeFacts("secondary", "llm", "y", {"quality": "secondary.quality"}),
}
RATIO = {"low": 0.0, "high": None, "direction": "target", "target": 1.0}
DEFINITIONS = (
    ScoreDefinition(name="ratio", title="Ratio", **RATIO),
    ScoreDefinition(name="ratio.paper", title="Ratio (paper)", **RATIO),
)


def scored(level, n=40, seed=1):
    """Scores around a level for each (model, prompt)."""
    rng = np.random.default_rng(seed)
    return {key: mean + rng.normal(0, 0.05, n) for key, mean in level.items()}


LEVELS = {
    ("m1", "A"): 0.9, ("m1", "B"): 0.5, ("m2", "A"): 0.7, ("m2", "B"): 0.8, ("m3", "A"): 0.6,
    ("m3", "B"): 0.6, ("base", ""): 0.3, ("ref", ""): 1.0,
}  # fmt: skip


def scores():
    worse = {key: 1 - level for key, level in LEVELS.items()}
    return {
        "quality": scored(LEVELS),
        "secondary.quality": scored(worse, seed=2),
        "ratio": scored({key: 1 + level for key, level in LEVELS.items()}, seed=3),
        "ratio.paper": scored({key: 2 - level for key, level in LEVELS.items()}, seed=4),
    }


FLAGS = {"leak_risk": [at < 10 for at in range(40)]}


def run(values=None, items=None, order=None, **params):
    inputs = made(
        values or scores(), items, order=order, kinds=KINDS, judges=JUDGES,
        definitions=DEFINITIONS,
    )  # fmt: skip
    return tables(RankingDependence(RankingDependenceParams(resamples=300, **params)), inputs)


def ranks(found, score, varied, variation=""):
    return {
        row["model"]: row["rank"]
        for row in found["ranking_dependence"].rows
        if (row["score"], row["varied"], row["variation"]) == (score, varied, variation)
    }


def alike(found, score, varied, variation):
    (row,) = [
        row
        for row in found["ranking_dependence_alike"].rows
        if (row["score"], row["varied"], row["variation"]) == (score, varied, variation)
    ]
    return row


def test_every_variation_of_every_headline_score():
    found = run(items=FLAGS, columns=("leak_risk",))
    seen = {
        (row["score"], row["varied"], row["variation"]) for row in found["ranking_dependence"].rows
    }
    both = ("quality", "ratio")
    assert seen == {
        *((score, "headline", "") for score in both),
        *((score, "prompt", prompt) for score in both for prompt in "AB"),
        *((score, "without", "leak_risk") for score in both),
        ("quality", "judge", "secondary"),
        ("ratio", "metric", "paper"),
    }


def test_ranks_under_each_variation():
    found = run()
    # Means over both prompts are 0.75, 0.7, 0.6 and 0.3.
    headline = {"m2": 1, "m1": 2, "m3": 3, "base": 4}
    assert ranks(found, "quality", "headline") == headline
    assert ranks(found, "quality", "prompt", "A") == {"m1": 1, "m2": 2, "m3": 3, "base": 4}
    assert ranks(found, "quality", "prompt", "B") == {"m2": 1, "m3": 2, "m1": 3, "base": 4}
    reversed_ = {model: 5 - rank for model, rank in headline.items()}
    assert ranks(found, "quality", "judge", "secondary") == reversed_
    # Nearest to 1 is best: the order of a ratio of 1 + level is the reverse, too.
    assert ranks(found, "ratio", "headline") == reversed_
    moved = {
        row["model"]: row["moved"]
        for row in found["ranking_dependence"].rows
        if (row["varied"], row["variation"]) == ("judge", "secondary")
    }
    assert moved == {"m2": 3, "m1": 1, "m3": -1, "base": -3}


def test_the_headline_may_be_one_prompt():
    found = run(prompt="A")
    assert ranks(found, "quality", "headline", "A") == {"m1": 1, "m2": 2, "m3": 3, "base": 4}
    varied = {r["variation"] for r in found["ranking_dependence"].rows if r["varied"] == "prompt"}
    assert varied == {"B"}
    secondary = ranks(found, "quality", "judge", "secondary")
    assert secondary == {"m1": 4, "m2": 3, "m3": 2, "base": 1}


def test_likeness_counts_and_intervals():
    found = run()
    row = alike(found, "quality", "judge", "secondary")
    assert (row["n_models"], row["n_pairs"], row["n_swaps"], row["kendall"]) == (4, 6, 6, -1)
    assert row["kendall_low"] <= row["kendall"] <= row["kendall_high"]
    row = alike(found, "quality", "prompt", "B")
    one, other = [0.7, 0.75, 0.6, 0.3], [0.5, 0.8, 0.6, 0.3]
    assert row["kendall"] == pytest.approx(stats.kendalltau(one, other).statistic)
    assert row["n_swaps"] == 1


def test_pairs_that_change_places_have_both_differences_with_intervals():
    values = scores()
    rows = run(values)["ranking_dependence_swaps"].rows
    (row,) = [r for r in rows if (r["score"], r["variation"]) == ("quality", "B")]
    quality = values["quality"]
    gap = quality["m1", "B"] - quality["m3", "B"]
    assert (row["first"], row["second"], row["n"]) == ("m1", "m3", 40)
    assert row["difference"] == pytest.approx(gap.mean())
    expected = stats.ttest_1samp(gap, 0).confidence_interval(0.95)
    assert (row["difference_low"], row["difference_high"]) == pytest.approx(tuple(expected))
    assert row["headline_difference"] > 0 > row["difference"]


def test_flagged_items_are_left_out():
    values = {"quality": {("m1", "A"): [1.0] * 3 + [0.2, 0.3], ("m2", "A"): [0.5] * 5}}
    found = run(values, {"leak_risk": [True] * 3 + [False, None]}, columns=("leak_risk",))
    assert ranks(found, "quality", "headline") == {"m1": 1, "m2": 2}
    assert ranks(found, "quality", "without", "leak_risk") == {"m1": 2, "m2": 1}
    rows = [r for r in found["ranking_dependence"].rows if r["varied"] == "without"]
    assert [row["n"] for row in rows] == [2, 2]
    assert "fewer than three" in alike(found, "quality", "without", "leak_risk")["reason"]


def test_ranges_hold_the_rank_and_are_wide_where_scores_are_alike():
    level = {("m1", "A"): 0.5, ("m2", "A"): 0.5, ("m3", "A"): 0.9}
    rows = run({"quality": scored(level)})["ranking_dependence"].rows
    ranges = {row["model"]: (row["rank_low"], row["rank_high"]) for row in rows}
    assert ranges == {"m1": (2, 3), "m2": (2, 3), "m3": (1, 1)}


def test_scores_without_a_direction_are_not_ranked():
    values = {"quality": scored(LEVELS), "length": scored(LEVELS)}
    inputs = made(
        values,
        kinds=KINDS,
        definitions=[ScoreDefinition(name="length", title="Length", direction="none")],
    )
    found = tables(RankingDependence(RankingDependenceParams(resamples=100)), inputs)
    assert {row["score"] for row in found["ranking_dependence"].rows} == {"quality"}


def test_a_variation_may_be_asked_for_as_a_headline():
    found = run(scores=("ratio.paper",))
    assert {row["score"] for row in found["ranking_dependence"].rows} == {"ratio.paper"}


def test_figures_show_ranks_and_likeness():
    grid, dots = run()["ranking_dependence"].figures
    panel = grid.panels[0]
    assert panel.rows == ("m2", "m1", "m3", "base")
    assert panel.columns == ("headline", "judge secondary", "prompt A", "prompt B")
    assert panel.values[0] == (1, 4, 2, 1)
    assert panel.texts[0][0].startswith("1")
    assert dots.panels[0].line == 1.0
    assert "The least is -1.00" in dots.alt


def test_the_order_of_rows_and_shards_changes_nothing():
    params = {"columns": ("leak_risk",)}
    assert run(items=FLAGS, order=1, **params) == run(items=FLAGS, order=2, **params)
