"""Scores against columns: against pandas, scipy and statsmodels."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from tests.analyses.items import frame, inputs, world
from toolkit.analyses.correlation import Correlation, CorrelationParams
from toolkit.analyses.paired_points import per_day, points
from toolkit.errors import UserError
from toolkit.figures.draw import draw
from toolkit.statistics.correlation import p_of_pearson, stars


def run(values, table, **params):
    analysis = Correlation(CorrelationParams(**{"with_": ("sjr",), **params}))
    return analysis.run(inputs(values, table, columns=analysis.item_columns()))


def by_journal(values, table, score, minimum):
    items = pd.DataFrame(table)[["item_id", "journal", "sjr"]]
    means = frame(values, score).groupby("item_id", as_index=False)["value"].mean()
    both = items.merge(means, on="item_id").dropna()
    groups = both.groupby("journal").agg(
        sjr=("sjr", "mean"), value=("value", "mean"), n=("sjr", "size")
    )
    return groups[groups.n >= minimum]


def test_journal_means_agree_with_pandas_and_scipy():
    values, table = world()
    (found, left_out) = run(
        values, table, level="journal", minimum=4, methods=("pearson", "spearman", "kendall")
    )
    for score in ("s", "t"):
        expected = by_journal(values, table, score, 4)
        rows = {row["method"]: row for row in found.rows if row["score"] == score}
        for method, test in (
            ("pearson", stats.pearsonr),
            ("spearman", stats.spearmanr),
            ("kendall", stats.kendalltau),
        ):
            result = test(expected.sjr, expected.value)
            assert rows[method]["coefficient"] == pytest.approx(result.statistic, abs=1e-12)
            assert rows[method]["p"] == pytest.approx(result.pvalue, abs=1e-12)
            assert rows[method]["n"] == len(expected)
            assert rows[method]["coefficient_low"] < result.statistic
            assert rows[method]["coefficient_high"] > result.statistic
        (out,) = [row for row in left_out.rows if row["score"] == score]
        everything = by_journal(values, table, score, 1)
        assert out["small_groups"] == len(everything) - len(expected)
        assert out["items_in_small_groups"] == everything.n.sum() - expected.n.sum()
        assert out["n"] == len(expected)


def test_what_is_left_out_adds_up():
    values, table = world()
    left_out = run(values, table, level="journal", minimum=4)[1].rows[0]
    scored = frame(values, "s").item_id.nunique()
    grouped = by_journal(values, table, "s", 4).n.sum()
    assert left_out["n_items"] + left_out["without_column"] == scored
    assert (
        left_out["n_items"] - left_out["without_group"] - left_out["items_in_small_groups"]
        == grouped
    )


def test_outliers_by_quartiles_are_counted():
    x = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 100.0, 3.0])
    y = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 3.0, -90.0])
    found = points(x, y, groups=None, clusters=None, minimum=1, outliers="iqr")
    kept = [
        (a, b)
        for a, b in zip(x, y, strict=True)
        for low_a, high_a in [np.percentile(x, [25, 75])]
        for low_b, high_b in [np.percentile(y, [25, 75])]
        if abs(a - (low_a + high_a) / 2) <= 2 * (high_a - low_a)
        and abs(b - (low_b + high_b) / 2) <= 2 * (high_b - low_b)
    ]
    assert list(zip(found.x, found.y, strict=True)) == kept
    assert found.outliers == 2
    values, table = world()
    coefficients, left_out = run(values, table, level="journal", outliers="iqr")
    removed = {row["outliers"] for row in left_out.rows}
    assert any(str(max(removed)) in note for note in coefficients.notes if "Outliers" in note)


def test_holm_over_the_panels_of_each_coefficient():
    values, table = world(scores=("s", "t", "u"))
    rows = run(values, table)[0].rows
    for method in ("pearson", "spearman"):
        own = [row for row in rows if row["method"] == method]
        expected = multipletests([row["p"] for row in own], method="holm")[1]
        assert [row["p_adjusted"] for row in own] == pytest.approx(list(expected))
        assert [row["stars_adjusted"] for row in own] == [stars(p) for p in expected]


def test_each_coefficient_has_stars_of_its_own():
    # What the paper prints for one panel, of about 2,600 journals.
    assert stars(p_of_pearson(-0.016, 2600)) == ""
    assert stars(p_of_pearson(-0.058, 2600)) == "**"
    # A few extreme journals hide from Pearson what Spearman sees.
    rng = np.random.default_rng(0)
    n = 300
    x = rng.normal(size=n)
    y = 50 + 3 * x + rng.normal(size=n)
    x[:3], y[:3] = 60, 20
    table = [{"item_id": f"i{k}", "sjr": float(x[k])} for k in range(n)]
    values = {"s": {(f"i{k}", "m", "A", 0): float(y[k]) for k in range(n)}}
    found = run(values, table)[0]
    rows = {row["method"]: row for row in found.rows}
    assert rows["spearman"]["coefficient"] > 0
    assert rows["spearman"]["stars"] == "***"
    assert rows["pearson"]["coefficient"] < 0
    (figure,) = found.figures
    note = figure.panels[0].note.splitlines()
    assert note[0].startswith("r = −")
    assert note[1] == f"ρ = {rows['spearman']['coefficient']:.3f}***"
    assert note[2] == "n = 300"


def test_items_may_be_clustered():
    values, table = world()
    rows = run(values, table, cluster="journal", scores=("s",))[0].rows
    free = run(values, table, scores=("s",))[0].rows
    assert rows[0]["coefficient"] == free[0]["coefficient"]
    assert rows[0]["p"] != free[0]["p"]
    assert rows[0]["n_clusters"] < rows[0]["n"] == free[0]["n_clusters"]


def test_a_line_for_each_competitor_without_pooling():
    values, table = world()
    rows = run(values, table, pool=False, scores=("s",), methods=("pearson",))[0].rows
    assert {(row["model"], row["prompt"]) for row in rows} == {
        (model, prompt) for model in ("M1", "M2") for prompt in ("A", "B")
    }
    one = run(values, table, models=("m1",), prompts=("A",), scores=("s",), methods=("pearson",))
    (same,) = [row for row in rows if (row["model"], row["prompt"]) == ("M1", "A")]
    assert one[0].rows[0]["coefficient"] == same["coefficient"]


def test_counts_per_day():
    dates = ["2024-01-01", None, "2024-01-11", "2024-01-10T12:00:00"]
    rates, undated = per_day(np.array([10.0, 5.0, 7.0, 6.0]), dates, "2024-01-11", "date")
    assert rates[0] == 1.0
    assert np.isnan(rates[1])
    assert np.isnan(rates[2])
    assert rates[3] == 6.0
    assert undated == 2
    with pytest.raises(UserError, match="'soon' in 'date' is no date"):
        per_day(np.array([1.0]), ["soon"], "2024-01-11", "date")
    values, table = world()
    found = run(
        values, table, with_=("citations",), per_day_since="date", as_of="2024-06-30",
        scores=("s",), methods=("kendall",),
    )  # fmt: skip
    items = pd.DataFrame(table)
    rate = items.citations / (pd.Timestamp("2024-06-30") - pd.to_datetime(items.date)).dt.days
    means = frame(values, "s").groupby("item_id")["value"].mean()
    both = pd.DataFrame(
        {"rate": rate.values, "value": means.reindex(items.item_id).values}
    ).dropna()
    expected = stats.kendalltau(both.rate, both.value)
    assert found[0].rows[0]["coefficient"] == pytest.approx(expected.statistic)
    assert "per day since date" in found[0].figures[0].title


def test_items_of_several_groups_are_said():
    values, table = world()
    found, left_out = run(values, table, level="categories")
    assert left_out.rows[0]["shared_items"] > 0
    assert any("not independent" in note for note in found.notes)
    assert not any(
        "not independent" in note for note in run(values, table, level="journal")[0].notes
    )


@pytest.mark.parametrize(
    "params", [{"per_day_since": "date"}, {"as_of": "2024-01-01"}, {"level": "a", "cluster": "b"}]
)
def test_parameters_that_do_not_go_together_are_refused(params):
    with pytest.raises(UserError, match="correlation"):
        Correlation(CorrelationParams(with_=("sjr",), **params))


def test_answers_and_absent_columns_are_refused_by_name():
    values, table = world()
    with pytest.raises(UserError, match="answers"):
        run(values, table, answers=("A",))
    analysis = Correlation(CorrelationParams(with_=("sjr",)))
    with pytest.raises(UserError, match="no column 'sjr'"):
        analysis.run(inputs(values, table, columns=("year",)))


def test_the_order_of_shards_changes_nothing():
    values, table = world()
    analysis = Correlation(CorrelationParams(with_=("sjr",), level="journal"))
    first = analysis.run(inputs(values, table, columns=("sjr", "journal")))
    second = analysis.run(inputs(values, table[::-1], columns=("sjr", "journal"), shards=5))
    assert first == second


def test_ten_panels_are_one_figure_that_can_be_drawn():
    values, table = world(scores=tuple("abcdefghij"))
    (figure,) = run(values, table, level="journal")[0].figures
    assert len(figure.panels) == 10
    assert figure.panels[9].title == "(j) J"
    assert draw(figure).svg


def test_the_figure_says_its_rule_for_outliers_and_what_stars_are():
    values, table = world()
    for rule, said in (("iqr", True), ("keep", False)):
        (figure,) = run(values, table, level="journal", outliers=rule)[0].figures
        assert ("1.5 interquartile ranges" in figure.title) is said
        assert "* below .05" in figure.title


def test_nothing_to_correlate_is_said():
    values = {"s": {("i0", "m", "A", 0): 1.0, ("i1", "m", "A", 0): 2.0}}
    table = [{"item_id": "i0", "sjr": None}, {"item_id": "i1", "sjr": 2.0}]
    found = run(values, table)[0]
    assert found.rows[0]["coefficient"] is None
    assert found.rows[0]["reason"]
    assert "r: none" in found.figures[0].panels[0].note
    assert draw(found.figures[0]).png
