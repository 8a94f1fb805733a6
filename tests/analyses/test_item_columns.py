"""Columns of the items: numbers, groups, clusters."""

import numpy as np
import pyarrow as pa
import pytest

from toolkit.analyses.item_columns import ItemColumns
from toolkit.errors import UserError

ITEMS = ("a", "b", "c", "d")


def columns(**values):
    table = pa.table({"item_id": ["d", "c", "b", "a", "unscored"], **values})
    halves = [table.slice(0, 2), table.slice(2)]
    return ItemColumns(iter(halves), tuple(values), ITEMS)


def test_values_come_in_the_order_of_the_items():
    assert columns(x=[4, 3, 2, 1, 0]).values("x") == [1, 2, 3, 4]


def test_numbers_from_numbers_and_texts():
    found = columns(x=["4", " 3.5 ", None, "", "9"]).numbers("x")
    np.testing.assert_array_equal(found, [np.nan, np.nan, 3.5, 4.0])
    infinite = columns(x=[1.0, float("inf"), float("nan"), 2.0, 0.0]).numbers("x")
    np.testing.assert_array_equal(infinite, [2.0, np.nan, np.nan, 1.0])


def test_a_text_that_is_no_number_is_refused():
    with pytest.raises(UserError, match="holds 'many'"):
        columns(x=["many", "1", "2", "3", "4"]).numbers("x")


def test_an_item_of_several_groups_counts_in_each():
    lists = [["u", "v"], ["v", "v", None, " "], None, ["u"], ["u"]]
    found = columns(g=lists)
    whole = found.groups("g")
    assert {label: rows.tolist() for label, (rows, _) in whole.items()} == {
        "u": [0, 3],
        "v": [2, 3],
    }
    assert whole["u"][1].tolist() == [1.0, 1.0]
    shared = found.groups("g", "shared")
    assert shared["u"][1].tolist() == [1.0, 0.5]
    assert shared["v"][1].tolist() == [1.0, 0.5]


def test_scalars_are_groups_by_their_text():
    assert list(columns(g=[2001, 2001, 1999, None, 1]).groups("g")) == ["1999", "2001"]


def test_clusters_and_items_alone():
    found = columns(j=["x", "x", None, "a", "x"])
    codes = found.clusters("j")
    assert codes[2] == codes[3]
    assert len(set(codes.tolist())) == 3
    assert found.clusters(None).tolist() == [0, 1, 2, 3]


def test_an_item_without_a_cluster_is_not_mistaken_for_one_of_that_name():
    codes = columns(j=["000000000003", None, None, None, None]).clusters("j")
    assert len(set(codes.tolist())) == 4


def test_an_item_that_the_corpus_lacks_is_refused():
    table = pa.table({"item_id": ["a"], "x": [1]})
    with pytest.raises(UserError, match="3 scored items are not in the items table"):
        ItemColumns([table], ("x",), ITEMS)
