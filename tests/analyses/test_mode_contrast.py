import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tests.analyses.scored_items import made, tables
from toolkit.analyses.mode_contrast import ModeContrast, ModeContrastParams
from toolkit.errors import UserError
from toolkit.metrics.base import ScoreDefinition

HUNDRED = ScoreDefinition(name="q", title="Quality", low=0.0, high=100.0)


def run(inputs, **params):
    return tables(ModeContrast(ModeContrastParams(**{"pairs": (("A", "B"),), **params})), inputs)


def line(table, **wanted):
    (row,) = [r for r in table.rows if all(r[k] == v for k, v in wanted.items())]
    return row


def two_models(seed=1, n=60):
    rng = np.random.default_rng(seed)
    base = rng.normal(50, 10, n)
    values = {
        (model, prompt): base + rng.normal(gap if prompt == "A" else 0, 4, n)
        for model, gap in (("m1", 3.0), ("m2", 1.0))
        for prompt in "AB"
    }
    values["m1", "A"][4] = np.nan
    return values


def test_a_hand_worked_gap():
    values = {("m", "A"): [4.0, 6.0, 8.0, None], ("m", "B"): [3.0, 3.0, 3.0, 9.0]}
    row = line(run(made({"q": values}, definitions=[HUNDRED]))["mode_contrast"])
    assert (row["n"], row["n_unpaired"], row["n_clusters"]) == (3, 1, 3)
    # Differences 1, 3, 5: mean 3, standard deviation 2; of 8 sign flips two are as far from 0.
    assert (row["first_mean"], row["second_mean"], row["difference"]) == (6, 3, 3)
    assert row["effect"] == pytest.approx(1.5)
    assert row["p"] == 2 / 8


def test_each_model_and_the_mean_of_all_item_by_item():
    values = two_models()
    table = run(made({"q": values}, definitions=[HUNDRED]))["mode_contrast"]
    frame = pd.DataFrame({f"{m}{p}": v for (m, p), v in values.items()})
    gaps = pd.DataFrame({m: frame[f"{m}A"] - frame[f"{m}B"] for m in ("m1", "m2")})
    for model in ("m1", "m2"):
        row, gap = line(table, model=model), gaps[model].dropna()
        assert (row["n"], row["difference"]) == (len(gap), pytest.approx(gap.mean()))
        assert row["effect"] == pytest.approx(gap.mean() / gap.std())
        expected = stats.permutation_test(
            (gap.to_numpy(),), np.mean, permutation_type="samples", n_resamples=9999, rng=1
        ).pvalue
        assert row["p"] == pytest.approx(expected, abs=0.02)
        half = stats.t.ppf(0.975, len(gap) - 1) * gap.sem()
        assert row["difference_low"] == pytest.approx(gap.mean() - half, abs=0.25)
        assert row["difference_high"] == pytest.approx(gap.mean() + half, abs=0.25)
    pooled = line(table, model="all models")
    # The item that m1 lacks under A counts by m2 alone.
    assert pooled["n"] == 60
    assert pooled["difference"] == pytest.approx(gaps.mean(axis=1).mean())
    assert pooled["first_mean"] - pooled["second_mean"] == pytest.approx(pooled["difference"])


def test_p_values_are_adjusted_within_a_score():
    from statsmodels.stats.multitest import multipletests

    table = run(made({"q": two_models(), "r": two_models(2)}, definitions=[HUNDRED]))
    for score in ("q", "r"):
        rows = [row for row in table["mode_contrast"].rows if row["score"] == score]
        expected = multipletests([row["p"] for row in rows], method="holm")[1]
        assert [row["p_adjusted"] for row in rows] == pytest.approx(expected)


def test_clusters_are_flipped_and_resampled_as_a_whole():
    # Six clusters of ten equal differences: there are 2^6 arrangements, not 2^60.
    gaps = np.repeat([1.0, 2.0, 3.0, 1.5, 2.5, 0.5], 10)
    values = {("m", "A"): 50 + gaps, ("m", "B"): [50.0] * 60}
    journal = [f"j{at // 10}" for at in range(60)]
    inputs = made({"q": values}, {"journal": journal}, definitions=[HUNDRED])
    row = line(run(inputs, cluster="journal")["mode_contrast"])
    assert (row["n"], row["n_clusters"]) == (60, 6)
    assert row["p"] == 2 / 64
    alone = line(run(made({"q": values}, definitions=[HUNDRED]))["mode_contrast"])
    wide = row["difference_high"] - row["difference_low"]
    assert wide > 2 * (alone["difference_high"] - alone["difference_low"])
    assert row["effect_low"] is None
    assert alone["effect_low"] < alone["effect"] < alone["effect_high"]


def by_category(weight="whole", **params):
    rng = np.random.default_rng(3)
    n = 120
    shift = {"x": 4.0, "y": 0.0, "z": -2.0}
    categories = [["x"], ["x", "y"], ["y"], ["z", "z"], ["z", " "], None]
    lists = [categories[at % 6] for at in range(n)]
    gap = np.array([np.mean([shift[c] for c in set(found or "y") & set(shift)]) for found in lists])
    values = {("m", "A"): 50 + gap + rng.normal(0, 1, n), ("m", "B"): rng.normal(50, 1, n)}
    lists[0] = ["x", "rare"]
    inputs = made({"q": values}, {"categories": lists}, definitions=[HUNDRED])
    found = run(inputs, by="categories", minimum=5, weight=weight, **params)
    return found, lists, values["m", "A"] - values["m", "B"]


@pytest.mark.parametrize("weight", ["whole", "shared"])
def test_gaps_by_category_count_an_article_once_in_each(weight):
    found, lists, gaps = by_category(weight)
    frame = pd.DataFrame(
        [
            {"c": c, "gap": gap, "w": 1.0 if weight == "whole" else 1 / len(cleaned)}
            for listed, gap in zip(lists, gaps, strict=True)
            for cleaned in [{c.strip() for c in listed or [] if c.strip()}]
            for c in cleaned
        ]
    )
    rows = {row["group"]: row for row in found["mode_contrast_groups"].rows}
    assert set(rows) == {"x", "y", "z", "rare"}
    for label, part in frame.groupby("c"):
        row = rows[label]
        if label == "rare":
            assert (row["n"], row["shown"], row.get("p")) == (1, False, None)
            assert "fewer than 5" in row["reason"]
            continue
        assert row["n"] == len(part)
        assert row["difference"] == pytest.approx(np.average(part.gap, weights=part.w))
        assert row["difference_low"] < row["difference"] < row["difference_high"]
    assert rows["x"]["p_adjusted"] < 0.01


def test_groups_are_shown_without_miscellaneous():
    rng = np.random.default_rng(4)
    values = {("m", mode): rng.normal(50, 1, 12) for mode in "AB"}
    lists = [["Medicine (miscellaneous)"], ["Surgery"]] * 6
    inputs = made({"q": values}, {"categories": lists}, definitions=[HUNDRED])
    found = run(inputs, by="categories")
    assert {row["group"] for row in found["mode_contrast_groups"].rows} == {"Medicine", "Surgery"}


def test_extremes_and_the_summary_over_all_eligible_categories():
    found, _, _ = by_category(extremes=1)
    gaps = {r["group"]: r["difference"] for r in found["mode_contrast_groups"].rows if r["shown"]}
    (summary,) = found["mode_contrast_summary"].rows
    assert (summary["groups"], summary["too_small"]) == (3, 1)
    assert summary["smallest"] == min(gaps.values())
    assert summary["largest"] == max(gaps.values())
    assert summary["mean"] == pytest.approx(np.mean(list(gaps.values())))
    assert summary["positive"] == sum(gap > 0 for gap in gaps.values())
    assert summary["positive"] + summary["negative"] == 3
    shown = found["mode_contrast_extremes"].rows
    assert [(r["extreme"], r["place"], r["group"]) for r in shown] == [
        ("largest", 1, "x"),
        ("smallest", 1, "z"),
    ]
    (figure,) = found["mode_contrast_extremes"].figures
    (panel,) = figure.panels
    assert panel.labels == ("x (40)", "z (40)")
    assert panel.line == 0.0


def test_a_group_is_never_both_largest_and_smallest():
    found, _, _ = by_category(extremes=10)
    groups = [row["group"] for row in found["mode_contrast_extremes"].rows]
    assert sorted(groups) == ["x", "y", "z"]


def test_baselines_and_models_without_the_pair_have_no_line():
    values = two_models() | {("b", ""): np.full(60, 50.0), ("m3", "A"): np.full(60, 50.0)}
    rows = run(made({"q": values}, definitions=[HUNDRED]))["mode_contrast"].rows
    assert [row["model"] for row in rows] == ["all models", "m1", "m2"]
    rows = run(made({"q": values}, definitions=[HUNDRED]), competitors=("m2",))[
        "mode_contrast"
    ].rows
    assert [row["model"] for row in rows] == ["m2"]


def test_the_order_of_rows_and_shards_changes_nothing():
    columns = {"categories": [["x", "y"][: 1 + at % 2] for at in range(60)]}
    found = [
        ModeContrast(ModeContrastParams(pairs=(("A", "B"),), by="categories")).run(
            made({"q": two_models()}, columns, order=order, definitions=[HUNDRED])
        )
        for order in (1, 2)
    ]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "pairs", [(), (("A", "A"),), (("A", "B"), ("B", "A"))], ids=["none", "itself", "twice"]
)
def test_pairs_that_make_no_sense_are_refused(pairs):
    with pytest.raises(UserError, match=r"mode_contrast\.pairs"):
        ModeContrast(ModeContrastParams(pairs=pairs))


def test_equal_answers_have_a_bound_instead_of_certainty():
    values = {("m", "A"): [50.0] * 30, ("m", "B"): [50.0] * 30}
    row = line(run(made({"q": values}, definitions=[HUNDRED]))["mode_contrast"])
    assert (row["difference"], row["p"], row["effect"]) == (0, 1, None)
    assert row["difference_low"] < 0 < row["difference_high"]
    assert "no variation" in row["reason"]


def test_one_exact_test_by_brute_force():
    gaps = [0.5, -0.25, 1.5, 0.75, -0.1]
    values = {("m", "A"): gaps, ("m", "B"): [0.0] * 5}
    row = line(run(made({"s": values}))["mode_contrast"])
    sums = [abs(np.dot(signs, gaps)) for signs in itertools.product((1, -1), repeat=5)]
    assert row["p"] == np.mean(np.array(sums) >= abs(sum(gaps)) - 1e-12)
