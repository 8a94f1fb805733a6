"""Distributions: against pandas, missing values counted apart."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.analyses.base import AnalysisInputs
from toolkit.analyses.distribution import Distribution, DistributionParams
from toolkit.analyses.distribution_tables import bin_edges
from toolkit.errors import UserError
from toolkit.figures.base import Bars, Histogram
from toolkit.figures.draw import draw


def run(values, kind=None, shards=1, **params):
    ids = [f"i{n}" for n in range(len(values))]
    table = pa.table({"item_id": ids, "c": pa.array(values, kind)})
    size = -(-max(len(values), 1) // shards)
    tables = [table.slice(start, size) for start in range(0, max(len(values), 1), size)]
    analysis = Distribution(DistributionParams(**{"column": "c", **params}))
    return analysis.run(AnalysisInputs(scores=(), definitions=(), seed=1, items=tables))


def test_years_have_a_median_a_peak_and_its_count():
    years = [2001, 2003, 2003, None, 2002, 2003, 2002]
    found, counts = run(years, pa.int32())
    (row,) = found.rows
    series = pd.Series([year for year in years if year])
    assert row["median"] == series.median()
    assert row["mean"] == pytest.approx(series.mean())
    assert row["sd"] == pytest.approx(series.std())
    assert (row["quartile_1"], row["quartile_3"]) == tuple(series.quantile([0.25, 0.75]))
    assert (row["peak"], row["peak_n"]) == (2003, 3)
    assert (row["n_items"], row["n"], row["n_missing"]) == (7, 6, 1)
    assert [(row["from"], row["to"], row["n"]) for row in counts.rows] == [
        (2000.5, 2001.5, 1),
        (2001.5, 2002.5, 2),
        (2002.5, 2003.5, 3),
    ]
    (figure,) = found.figures
    assert "peak 2003 with 3 items" in figure.alt
    assert figure.title.endswith("n = 6 (1 without), peak 2003 (n = 3)")
    assert (
        dict((words, value) for value, words in figure.panels[0].marks)["median 2002.5"] == 2002.5
    )
    assert draw(figure).svg


def test_of_two_peaks_the_first_counts():
    (row,) = run([2005, 2004, 2004, 2005], pa.int64())[0].rows
    assert (row["peak"], row["peak_n"]) == (2004, 2)


def test_a_log_axis_leaves_out_and_counts_what_is_not_above_zero():
    values = [0.0, -1.0, None, float("nan"), 0.1, 1.0, 10.0, 10.0]
    found, counts = run(values, pa.float64(), axis="log")
    (row,) = found.rows
    assert (row["n"], row["n_missing"], row["n_not_positive"]) == (6, 2, 2)
    known = [0.0, -1.0, 0.1, 1.0, 10.0, 10.0]
    assert row["median"] == np.median(known)
    assert row["mean"] == pytest.approx(np.mean(known))
    assert sum(part["n"] for part in counts.rows) == 4
    assert counts.rows[0]["from"] == 0.1
    assert counts.rows[-1]["to"] == 10.0
    assert any("2 numbers that are not above 0" in note for note in found.notes)
    (panel,) = found.figures[0].panels
    assert isinstance(panel, Histogram)
    assert panel.scale == "log"
    assert draw(found.figures[0]).svg


@given(
    st.lists(st.floats(1e-6, 1e6) | st.integers(1, 1000).map(float), min_size=1, max_size=60),
    st.booleans(),
    st.booleans(),
)
def test_no_value_falls_outside_the_histogram(values, whole, log):
    found = np.sort(np.array([round(value) + 1 for value in values] if whole else values, float))
    edges = bin_edges(found, whole=whole, log=log)
    assert (np.diff(edges) > 0).all()
    assert len(edges) <= 82
    assert np.histogram(found, edges)[0].sum() == len(found)


def test_a_skewed_column_has_few_bins():
    values = np.sort(np.random.default_rng(1).lognormal(0, 3, 5000))
    assert 6 <= len(bin_edges(values, whole=False, log=False)) <= 61


def test_an_item_counts_once_in_each_of_its_categories():
    values = [["b", "a", "b"], ["a"], [], None, [" ", None], ["c ", "a"]]
    (found,) = run(values, pa.list_(pa.string()))
    assert [(row["place"], row["value"], row["n"]) for row in found.rows] == [
        (1, "a", 3),
        (2, "b", 1),
        (2, "c", 1),
    ]
    assert [row["share"] for row in found.rows] == pytest.approx([3 / 6, 1 / 6, 1 / 6])
    assert any("6 items, 3 without a value; 3 distinct values" in note for note in found.notes)
    assert any("2 items have several values" in note for note in found.notes)
    assert found.figures[0].title.endswith("n = 3 items (3 without)")


@given(
    st.lists(st.none() | st.lists(st.sampled_from("abcdefg") | st.none(), max_size=5), max_size=30)
)
def test_counts_agree_with_pandas(values):
    (found,) = run(values, pa.list_(pa.string()), shards=3)
    series = pd.Series([sorted({v for v in value or [] if v}) for value in values], dtype=object)
    expected = series.explode().dropna().value_counts()
    assert {row["value"]: row["n"] for row in found.rows} == expected.to_dict()


def test_the_most_frequent_are_shown_and_the_rest_is_counted():
    values = ["x"] * 5 + ["y"] * 3 + ["z"]
    (found,) = run(values, top=2)
    assert [row["value"] for row in found.rows] == ["x", "y"]
    assert any("3 distinct values, 2 shown" in note for note in found.notes)
    (panel,) = found.figures[0].panels
    assert isinstance(panel, Bars)
    assert panel.lying
    assert "the 2 most frequent of 3" in found.figures[0].title


def test_numbers_may_be_counted_as_values():
    (found,) = run([2000, 2001, 2001], pa.int32(), top=1)
    assert [(row["value"], row["n"]) for row in found.rows] == [("2001", 2)]


@pytest.mark.parametrize("kind", [pa.int32(), pa.float64(), pa.string(), pa.bool_()])
def test_columns_without_any_value(kind):
    found = run([None, None], kind)
    assert draw(found[0].figures[0]).svg
    if kind in (pa.int32(), pa.float64()):
        assert (found[0].rows[0]["n"], found[0].rows[0]["n_missing"]) == (0, 2)
    else:
        assert found[0].rows == []


def test_it_says_which_items_it_is_about():
    assert Distribution(DistributionParams(column="c")).reads_corpus
    assert not Distribution(DistributionParams(column="c", of="asked")).reads_corpus
    assert "whole corpus" in run([1, 2], pa.int32())[0].notes[0]
    assert "items asked about" in run([1, 2], pa.int32(), of="asked")[0].notes[0]
    assert "of the corpus" in run([1, 2], pa.int32())[0].figures[0].title


@pytest.mark.parametrize("kind", [pa.int32(), pa.string()])
def test_the_order_of_shards_changes_nothing(kind):
    values = [1, 2, 2, 5, None, 7, 7]
    values = values if kind == pa.int32() else [None if v is None else str(v) for v in values]
    assert run(values, kind) == run(values[::-1], kind, shards=3)


def test_an_absent_column_is_named():
    analysis = Distribution(DistributionParams(column="yaer"))
    items = [pa.table({"item_id": ["a"], "year": [2000]})]
    with pytest.raises(UserError, match="no column 'yaer'"):
        analysis.run(AnalysisInputs(scores=(), definitions=(), seed=1, items=items))
