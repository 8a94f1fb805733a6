"""Radar charts: scaled over all eligible categories."""

import pytest

from tests.analyses.items import frame, inputs, world
from tests.analyses.test_category_ranking import exploded
from toolkit.analyses.category_radar import CategoryRadar, CategoryRadarParams
from toolkit.errors import UserError
from toolkit.figures.draw import draw

_AXES = ("s", "t", "u", "v")


def run(values, table, **params):
    analysis = CategoryRadar(
        CategoryRadarParams(**{"by": ("s", "t"), "axes": _AXES, "minimum": 10, **params})
    )
    return analysis.run(inputs(values, table, columns=("categories", "journal")))[0]


def test_axes_run_over_all_eligible_categories():
    values, table = world(scores=_AXES)
    found = run(values, table, top=1, bottom=1)
    for axis in _AXES:
        items = exploded({"s": values[axis]}, table)
        means = items.groupby("categories")["value"].mean()
        rows = [row for row in found.rows if row["score"] == axis and row["by"] == "s"]
        assert len(rows) == 2
        for row in rows:
            assert row["smallest"] == pytest.approx(means.min())
            assert row["largest"] == pytest.approx(means.max())
            assert row["scaled"] == pytest.approx(
                (row["mean"] - means.min()) / (means.max() - means.min())
            )
    # The one that chooses puts its own ends at the ends of its axis.
    own = [row["scaled"] for row in found.rows if row["by"] == row["score"]]
    assert own == [1.0, 0.0, 1.0, 0.0]


def test_a_figure_for_each_score_that_chooses():
    values, table = world(scores=_AXES)
    found = run(values, table, top=2, bottom=2)
    assert [figure.name for figure in found.figures] == ["category_radar_s", "category_radar_t"]
    figure = found.figures[0]
    assert [panel.title for panel in figure.panels] == ["Highest 2", "Lowest 2"]
    assert "5 eligible of 5" in figure.title
    for panel, end in zip(figure.panels, ("top", "bottom"), strict=True):
        for series in panel.series:
            assert series.values == tuple(
                row["scaled"]
                for row in found.rows
                if (row["by"], row["end"], row["category"]) == ("s", end, series.name)
            )
    assert draw(figure).svg


def test_no_chart_of_the_lowest_where_all_are_among_the_highest():
    values, table = world(scores=_AXES)
    found = run(values, table, top=5, bottom=5)
    figure = found.figures[0]
    assert [panel.title for panel in figure.panels] == ["Highest 5"]
    assert draw(figure).svg


def test_an_axis_without_values_or_without_spread_is_empty_and_says_why():
    values, table = world(scores=_AXES)
    values["u"] = dict.fromkeys(values["u"])
    values["v"] = dict.fromkeys(values["v"], 5.0)
    rows = run(values, table).rows
    reasons = {row["score"]: row["reason"] for row in rows}
    assert reasons["u"] == "no item has a value"
    assert reasons["v"] == "all eligible categories have the same mean"
    assert all(row["scaled"] is None for row in rows if row["score"] in ("u", "v"))
    assert frame(values, "s").shape[0] > 0


@pytest.mark.parametrize("axes", [("s", "t"), ("s", "t", "t")])
def test_fewer_than_three_axes_are_refused(axes):
    with pytest.raises(UserError, match=r"category_radar\.axes"):
        CategoryRadar(CategoryRadarParams(by=("s",), axes=axes))


def test_no_eligible_category_leaves_an_empty_figure():
    values, table = world(scores=_AXES)
    found = run(values, table, minimum=1000)
    assert found.rows == []
    assert any("0 of 5" in note for note in found.notes)
    assert "none of 5 has n ≥ 1000 items" in found.figures[0].title
    assert draw(found.figures[0]).svg
