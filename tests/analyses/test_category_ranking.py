"""Highest and lowest categories: against pandas and statsmodels."""

import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats

from tests.analyses.items import frame, inputs, world
from toolkit.analyses.category_ranking import CategoryRanking, CategoryRankingParams
from toolkit.analyses.names import without_miscellaneous
from toolkit.errors import UserError
from toolkit.figures.draw import draw
from toolkit.metrics.base import ScoreDefinition
from toolkit.statistics.group_errors import cluster_df


def run(values, table, columns=("categories", "journal"), definitions=(), **params):
    analysis = CategoryRanking(CategoryRankingParams(**{"by": ("s",), "minimum": 10, **params}))
    return analysis.run(inputs(values, table, columns=columns, definitions=definitions))[0]


def exploded(values, table):
    items = pd.DataFrame(table)[["item_id", "categories", "journal"]].explode("categories")
    items = items.dropna(subset=["categories"]).drop_duplicates(["item_id", "categories"])
    means = frame(values, "s").groupby("item_id", as_index=False)["value"].mean()
    return items.merge(means, on="item_id")


def test_means_order_and_clustered_intervals():
    values, table = world()
    rows = run(values, table, top=3, bottom=2).rows
    found = exploded(values, table)
    expected = found.groupby("categories")["value"].mean().sort_values(ascending=False)
    shown = without_miscellaneous(list(expected.index))
    assert [row["category"] for row in rows] == [shown[name] for name in expected.index]
    assert [row["mean"] for row in rows] == pytest.approx(list(expected))
    assert [row["end"] for row in rows] == ["top"] * 3 + ["bottom"] * 2
    assert [row["place"] for row in rows] == [1, 2, 3, 4, 5]
    for row, name in zip(rows, expected.index, strict=True):
        own = found[found.categories == name].reset_index(drop=True)
        clusters = own.journal.fillna(own.item_id)
        fit = sm.OLS(own.value, [1.0] * len(own)).fit(
            cov_type="cluster",
            cov_kwds={"groups": pd.factorize(clusters)[0], "df_correction": True},
            use_t=True,
        )
        # statsmodels also multiplies by (n - 1) / (n - k), which is 1 for a mean alone.
        df = cluster_df(clusters.value_counts().to_numpy())
        half = stats.t.ppf(0.975, df) * fit.bse.iloc[0]
        assert row["n"] == len(own)
        assert row["n_clusters"] == clusters.nunique()
        assert row["mean_low"] == pytest.approx(own.value.mean() - half, rel=1e-6)
        assert row["mean_high"] == pytest.approx(own.value.mean() + half, rel=1e-6)


def test_small_categories_are_counted_and_left_out():
    values, table = world()
    sizes = exploded(values, table).groupby("categories").size()
    minimum = int(sizes.median()) + 1
    found = run(values, table, minimum=minimum)
    eligible = int((sizes >= minimum).sum())
    assert 0 < eligible < 5
    assert len(found.rows) == eligible
    assert any(
        f"{eligible} of 5 categories have at least {minimum}" in note for note in found.notes
    )
    assert all(row["n"] >= minimum for row in found.rows)


def test_no_category_is_in_both_ends():
    values, table = world()
    rows = run(values, table, top=4, bottom=4).rows
    assert len({row["category"] for row in rows}) == len(rows) == 5
    assert [row["end"] for row in rows].count("bottom") == 1


def test_without_journals_each_item_stands_alone():
    values, table = world()
    found = run(values, table, columns=("categories",))
    assert all(row["n"] == row["n_clusters"] for row in found.rows)
    assert any("over items" in note for note in found.notes)
    assert "cluster:item" in found.signature


def test_best_follows_the_direction_of_the_score():
    values, table = world()
    lower = ScoreDefinition(name="s", title="S", low=0, high=None, direction="lower")
    up = [row["category"] for row in run(values, table).rows]
    down = [row["category"] for row in run(values, table, definitions=[lower]).rows]
    assert down == up[::-1]


def test_equal_categories_share_a_place():
    table = [{"item_id": f"i{n}", "categories": ["ab"[n % 2]], "journal": None} for n in range(20)]
    values = {"s": {(f"i{n}", "m", "A", 0): float(n // 2) for n in range(20)}}
    assert [row["place"] for row in run(values, table).rows] == [1, 1]


def test_one_journal_gives_no_interval_and_says_so():
    table = [{"item_id": f"i{n}", "categories": ["a"], "journal": "J"} for n in range(20)]
    values = {"s": {(f"i{n}", "m", "A", 0): float(n) for n in range(20)}}
    (row,) = run(values, table).rows
    assert row["mean_low"] is None
    assert row["reason"] == "one cluster: no interval"


def test_miscellaneous_goes_unless_names_would_meet():
    assert without_miscellaneous(["Medicine (miscellaneous)", "Surgery"]) == {
        "Medicine (miscellaneous)": "Medicine",
        "Surgery": "Surgery",
    }
    names = ["Medicine (miscellaneous)", "Medicine"]
    assert without_miscellaneous(names) == {name: name for name in names}


def test_an_absent_column_is_named():
    values, table = world()
    with pytest.raises(UserError, match="no column 'categories'"):
        run(values, table, columns=("journal",))


def test_the_order_of_shards_changes_nothing_and_the_figure_is_drawn():
    values, table = world()
    analysis = CategoryRanking(CategoryRankingParams(by=("s", "t"), minimum=5))
    columns = ("categories", "journal")
    first = analysis.run(inputs(values, table, columns=columns))
    assert first == analysis.run(inputs(values, table[::-1], columns=columns, shards=4))
    (figure,) = first[0].figures
    assert len(figure.panels) == 2
    assert "5 of 5" in figure.panels[0].title
    assert draw(figure).svg
