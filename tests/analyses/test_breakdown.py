import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tests.analyses.scored_items import made, tables
from toolkit.analyses.breakdown import Breakdown, BreakdownParams
from toolkit.errors import UserError
from toolkit.statistics.shrinkage import shrunken_means


def run(inputs, **params):
    return tables(Breakdown(BreakdownParams(**params)), inputs)


def cells(found, *columns, **wanted):
    rows = [r for r in found["breakdown"].rows if all(r[k] == v for k, v in wanted.items())]
    return {tuple(row[name] for name in columns): row for row in rows}


def corpus(n=180, seed=1):
    rng = np.random.default_rng(seed)
    columns = {
        "publication_types": [
            [["Trial"], ["Review", "Trial"], ["Review"], ["Letter"], [], None][at % 6]
            for at in range(n)
        ],
        "year": [2000 + at % 12 for at in range(n)],
        "sjr": [None if at % 10 == 9 else float(rng.lognormal()) for at in range(n)],
        "journal": [f"j{at % 30:02d}" for at in range(n)],
    }
    trial = np.array([bool(types and "Trial" in types) for types in columns["publication_types"]])
    values = {
        (model, prompt): 0.5 + 0.1 * trial + rng.normal(0, 0.1, n)
        for model in ("m1", "m2")
        for prompt in "AB"
    }
    values["m1", "A"][7] = np.nan
    values["base", ""] = rng.normal(0.3, 0.1, n)
    return values, columns


KINDS = {"base": "baseline"}


def frame_of(values, columns, column):
    frame = pd.DataFrame({"value": values, "group": columns[column]})
    return frame.explode("group").dropna()


def test_means_and_counts_of_list_columns_against_pandas():
    values, columns = corpus()
    found = run(made({"s": values}, columns, kinds=KINDS), by=("publication_types",))
    units = {(r["model"], r["prompt"]) for r in found["breakdown"].rows}
    assert units == {
        ("all models", "all prompts"), ("m1", "A"), ("m1", "B"), ("m2", "A"), ("m2", "B"),
        ("base", ""),
    }  # fmt: skip
    for unit in values:
        expected = frame_of(values[unit], columns, "publication_types").groupby("group").value
        rows = cells(found, "publication_types", model=unit[0], prompt=unit[1])
        assert set(rows) == {("Letter",), ("Review",), ("Trial",)}
        for (label,), row in rows.items():
            part = expected.get_group(label)
            assert (row["n"], row["mean"]) == (len(part), pytest.approx(part.mean()))
            interval = stats.ttest_1samp(part, 0).confidence_interval(0.95)
            assert (row["mean_low"], row["mean_high"]) == pytest.approx(tuple(interval))


def test_categories_are_shown_without_miscellaneous():
    values = {("m", "A"): np.linspace(0, 1, 12)}
    columns = {"categories": [["Medicine (miscellaneous)"], ["Surgery"]] * 6}
    found = run(made({"s": values}, columns), by=("categories",))
    assert set(cells(found, "categories")) == {("Medicine",), ("Surgery",)}


def test_few_clusters_do_not_reach_beyond_the_scale():
    values = {("m", "A"): np.array([0.0, 1.0, 0.4, 0.5])}
    columns = {"kind": ["x", "x", "y", "y"]}
    found = cells(run(made({"s": values}, columns), by=("kind",)), "kind")
    assert (found["x",]["mean_low"], found["x",]["mean_high"]) == (0.0, 1.0)
    assert -1.0 <= found["x",]["difference_low"] <= found["x",]["difference_high"] <= 1.0


def test_the_mean_of_all_models_leaves_baselines_out():
    values, columns = corpus()
    found = run(made({"s": values}, columns, kinds=KINDS), by=("publication_types",), pool=True)
    models = [values[m, p] for m in ("m1", "m2") for p in "AB"]
    pooled = pd.DataFrame(models).mean().to_numpy()
    expected = frame_of(pooled, columns, "publication_types").groupby("group").value.mean()
    rows = cells(found, "publication_types")
    assert {label: row["mean"] for (label,), row in rows.items()} == pytest.approx(dict(expected))
    assert {row["model"] for row in rows.values()} == {"all models"}


def test_each_group_is_tested_against_the_items_outside_it():
    from statsmodels.stats.multitest import multipletests

    values, columns = corpus()
    found = run(made({"s": values}, columns, kinds=KINDS), by=("publication_types",))
    rows = cells(found, "publication_types", model="m2", prompt="A")
    typed = [at for at, types in enumerate(columns["publication_types"]) if types]
    for (label,), row in rows.items():
        inside = [label in columns["publication_types"][at] for at in typed]
        scored = values["m2", "A"][typed]
        welch = stats.ttest_ind(scored[inside], scored[~np.array(inside)], equal_var=False)
        assert row["p"] == pytest.approx(welch.pvalue)
        ends = welch.confidence_interval(0.95)
        assert (row["difference_low"], row["difference_high"]) == pytest.approx(tuple(ends))
    listed = list(rows.values())
    expected = multipletests([row["p"] for row in listed], method="holm")[1]
    assert [row["p_adjusted"] for row in listed] == pytest.approx(expected)
    assert rows["Trial",]["p_adjusted"] < 0.01


def test_false_discovery_rate_instead_of_holm():
    values, columns = corpus()
    found = {
        name: cells(
            run(made({"s": values}, columns), by=("year",), correction=name),
            "year", model="m1", prompt="B",
        )
        for name in ("holm", "bh", "none")
    }  # fmt: skip
    for label, row in found["none"].items():
        assert row["p"] == row["p_adjusted"]
        assert row["p"] <= found["bh"][label]["p_adjusted"] <= found["holm"][label]["p_adjusted"]


def test_heterogeneity_is_welchs_anova_for_groups_that_share_nothing():
    from statsmodels.stats.oneway import anova_oneway

    values, columns = corpus()
    found = run(made({"s": values}, columns, kinds=KINDS), by=("year",))
    (row,) = [r for r in found["breakdown_heterogeneity"].rows if r["model"] == "base"]
    parts = pd.DataFrame({"v": values["base", ""], "y": columns["year"]}).groupby("y").v
    expected = anova_oneway([part for _, part in parts], use_var="unequal")
    assert (row["groups"], row["p"]) == (12, pytest.approx(expected.pvalue))


def test_small_groups_are_listed_with_the_reason_and_take_part_in_no_test():
    values = {("m", "A"): [0.1, 0.2, 0.3, 0.4, 0.6, None]}
    columns = {"topic": ["a", "a", "b", "b", "c", "d"]}
    found = run(made({"s": values}, columns), by=("topic",), minimum=2)
    assert list(cells(found, "topic")) == [("a",), ("b",)]
    small = {row["topic"]: (row["n"], row["reason"]) for row in found["breakdown_small"].rows}
    assert small == {"c": (1, "fewer than 2 items"), "d": (0, "no item has a value")}
    (whole,) = found["breakdown_heterogeneity"].rows
    assert whole["groups"] == 2


def test_shrunken_means_stand_beside_the_raw_ones():
    values, columns = corpus()
    found = run(made({"s": values}, columns, kinds=KINDS), by=("year",), shrink=True)
    rows = list(cells(found, "year", model="base").values())
    parts = pd.DataFrame({"v": values["base", ""], "y": columns["year"]}).groupby("y").v
    within = ((parts.count() - 1) * parts.var()).sum() / (parts.count() - 1).sum()
    expected = shrunken_means(list(parts.mean()), list((within / parts.count()) ** 0.5))
    assert [r["shrunken"] for r in rows] == pytest.approx([m.mean for m in expected.groups])
    common = expected.common
    for row in rows:
        assert abs(row["shrunken"] - common) <= abs(row["mean"] - common) + 1e-12
        assert 0 <= row["shrinkage"] <= 1
    raw = run(made({"s": values}, columns, kinds=KINDS), by=("year",))["breakdown"]
    assert "shrunken" not in [column.name for column in raw.columns]


def test_too_few_groups_are_not_shrunken_and_say_so():
    values = {("m", "A"): [0.1, 0.2, 0.3, 0.5]}
    found = run(made({"s": values}, {"topic": ["a", "a", "b", "b"]}), by=("topic",), shrink=True)
    for row in found["breakdown"].rows:
        assert row.get("shrunken") is None
        assert "fewer than four groups" in row["shrunken_reason"]


def test_bands_at_quartiles_and_at_edges():
    values, columns = corpus()
    found = run(made({"s": values}, columns), by=("sjr",), quartiles=("sjr",))
    rows = cells(found, "sjr", model="m1", prompt="B")
    known = pd.Series(columns["sjr"]).dropna()
    expected = pd.qcut(known, 4, labels=False).value_counts().sort_index()
    assert [row["n"] for row in rows.values()] == expected.tolist()
    assert [label.split(" (")[0] for (label,) in rows] == [f"quartile {q}" for q in (1, 2, 3, 4)]
    means = pd.Series(values["m1", "B"])[known.index].groupby(pd.qcut(known, 4, labels=False))
    assert [r["mean"] for r in rows.values()] == pytest.approx(means.mean().tolist())
    found = run(made({"s": values}, columns), by=("year",), edges={"year": (2003.0, 2010.0)})
    rows = cells(found, "year", model="m1", prompt="B")
    assert {label: row["n"] for (label,), row in rows.items()} == {
        "below 2003": 45, "2003 to below 2010": 105, "2010 and above": 30,
    }  # fmt: skip


def test_columns_are_crossed_and_one_half_of_the_competitor_may_be_pooled():
    values, columns = corpus()
    inputs = made({"s": values}, columns, kinds=KINDS)
    found = run(inputs, by=("prompt", "publication_types", "year"), edges={"year": (2006.0,)})
    assert {(r["model"], r["prompt"]) for r in found["breakdown"].rows} == {
        ("all models", "A"), ("all models", "B"),
    }  # fmt: skip
    row = cells(found, "publication_types", "year", prompt="A")["Trial", "below 2006"]
    pooled = pd.DataFrame([values["m1", "A"], values["m2", "A"]]).mean()
    kept = [
        at
        for at in range(180)
        if "Trial" in (columns["publication_types"][at] or []) and columns["year"][at] < 2006
    ]
    assert (row["n"], row["mean"]) == (len(kept), pytest.approx(pooled[kept].mean()))
    found = run(made({"s": values}, columns, kinds=KINDS), by=("model", "year"))
    assert {(r["model"], r["prompt"]) for r in found["breakdown"].rows} == {
        ("m1", "all prompts"), ("m2", "all prompts"), ("base", ""),
    }  # fmt: skip


def test_shared_weights_leave_the_rest_of_an_item_outside():
    values = {("m", "A"): [0.0, 0.2, 0.6, 1.0, 0.8, 0.4]}
    columns = {"topic": [["a"], ["a", "b"], ["b"], ["b"], ["a"], ["b"]]}
    rows = cells(run(made({"s": values}, columns), by=("topic",), weight="shared"), "topic")
    inside, outside = (0 + 0.1 + 0.8) / 2.5, (0.1 + 0.6 + 1.0 + 0.4) / 3.5
    assert rows["a",]["mean"] == pytest.approx(inside)
    assert rows["b",]["mean"] == pytest.approx(outside)
    assert rows["a",]["difference"] == pytest.approx(inside - outside)


def test_clusters_widen_intervals_when_their_items_are_alike():
    rng = np.random.default_rng(2)
    journal = [f"j{at // 10}" for at in range(200)]
    level = np.repeat(rng.normal(0, 0.2, 20), 10)
    values = {("m", "A"): 0.5 + level + rng.normal(0, 0.02, 200)}
    columns = {"journal": journal, "half": [str(at % 2) for at in range(200)]}
    wide, narrow = (
        cells(run(made({"s": values}, columns), by=("half",), cluster=cluster), "half")["0",]
        for cluster in ("journal", None)
    )
    assert (wide["n_clusters"], narrow["n_clusters"]) == (20, 100)
    ratio = (wide["mean_high"] - wide["mean_low"]) / (narrow["mean_high"] - narrow["mean_low"])
    # Five like items in each half of a cluster: the standard error grows by about sqrt(5).
    assert 1.9 < ratio < 2.7


def test_equal_values_have_a_bound():
    values = {("m", "A"): [1.0, 1.0, 1.0, 0.5]}
    found = run(made({"s": values}, {"topic": ["a", "a", "a", "b"]}), by=("topic",))
    rows = cells(found, "topic")
    assert rows["a",]["mean_low"] < 1.0 == rows["a",]["mean_high"]
    assert "no variation" in rows["a",]["mean_reason"]
    assert rows["b",]["mean_low"] is None
    assert rows["b",]["mean_reason"] == "one cluster"


def test_the_figure_shows_the_largest_groups():
    values, columns = corpus()
    columns["topic"] = [f"t{at % 40:02d}" if at % 3 else "big" for at in range(180)]
    found = run(made({"s": values, "t": values}, columns, kinds=KINDS), by=("topic",))
    (figure,) = found["breakdown"].figures
    assert len(figure.panels) == 2
    panel = figure.panels[0]
    assert len(panel.labels) == 20
    assert panel.labels[0] == "big"
    assert [series.name for series in panel.series] == ["all models all prompts"]
    assert "lowest for" in figure.alt


def test_the_order_of_rows_and_shards_changes_nothing():
    values, columns = corpus()
    found = [
        Breakdown(BreakdownParams(by=("publication_types", "year"), shrink=True)).run(
            made({"s": values}, columns, order=order, kinds=KINDS)
        )
        for order in (1, 2)
    ]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"by": ("model",)}, "breakdown.by"),
        ({"by": ("year", "year")}, "breakdown.by"),
        ({"by": ("year",), "quartiles": ("sjr",)}, "does not divide"),
        ({"by": ("year",), "edges": {"year": (3.0, 2.0)}}, "edges.year"),
        ({"by": ("sjr",), "edges": {"sjr": (1.0,)}, "quartiles": ("sjr",)}, "quartiles and"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(params, message):
    with pytest.raises(UserError, match=message):
        Breakdown(BreakdownParams(**params))
