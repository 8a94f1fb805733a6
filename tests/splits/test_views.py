"""Views: samples of all items and of each value of a column."""

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.errors import UserError
from toolkit.recipe.splits_section import View
from toolkit.splits.groups import hash_of
from toolkit.splits.views import draw_view

VALUES = st.sampled_from(["merlin", "inspect", "mimic_iv", "", "  ", None])
CORPUS = st.dictionaries(
    st.text("abcdef0123", min_size=1, max_size=6), VALUES, min_size=1, max_size=60
).filter(lambda corpus: any(value and value.strip() for value in corpus.values()))


def drawn(corpus, sample, seed=7):
    view = View(sample=sample, per="dataset")
    return draw_view("v", view, list(corpus), seed=seed, values=list(corpus.values()))


def by_value(corpus, ids):
    found = defaultdict(set)
    for item in ids:
        found[corpus[item]].add(item)
    return found


def test_samples_of_all_items_overlap_and_nest():
    ids = [f"{at:03d}" for at in range(100)]
    small, large = (draw_view("v", View(sample=n), ids, seed=7).ids for n in (5, 20))
    assert (len(small), len(large)) == (5, 20)
    assert set(small) < set(large)
    assert draw_view("v", View(), ids, seed=7).ids == ids
    assert draw_view("v", View(sample=20), ids[::-1], seed=7).ids == large
    assert draw_view("v", View(sample=20), ids, seed=8).ids != large


def test_samples_that_ask_for_too_much_are_refused():
    with pytest.raises(UserError, match="robust asks for 50 of 3 items"):
        draw_view("robust", View(sample=50), ["a", "b", "c"], seed=1)
    with pytest.raises(UserError, match="of 0 items"):
        draw_view("all", View(), [], seed=1)


@given(corpus=CORPUS, sample=st.integers(1, 12), more=st.integers(0, 12), data=st.data())
def test_each_value_gives_its_first_items_by_hash_in_whatever_order_they_come(
    corpus, sample, more, data
):
    found = drawn(corpus, sample)
    held = by_value(corpus, corpus)
    # An independent draw: the items of lowest hash, value by value.
    for value, items in held.items():
        lowest = sorted(items, key=lambda item: hash_of(7, item))[:sample]
        expected = set(lowest) if value and value.strip() else set()
        assert by_value(corpus, found.ids)[value] == expected
    shuffled = dict(data.draw(st.permutations(list(corpus.items()))))
    assert drawn(shuffled, sample) == found
    assert set(found.ids) <= set(drawn(corpus, sample + more).ids)


def test_values_with_too_few_items_and_items_without_a_value_are_counted():
    corpus = {f"m{n}": "merlin" for n in range(5)} | {"i1": "inspect", "x": None, "y": " "}
    found = drawn(corpus, 3)
    assert len(found.ids) == 4
    assert found.sampled.to_dict() == {
        "per": "dataset",
        "sample": 3,
        "values": 2,
        "short": 1,
        "named": {"inspect": 1},
        "without": 2,
    }


def test_of_many_short_values_the_first_are_named():
    found = drawn({f"item{n:03d}": f"patient{n:03d}" for n in range(30)}, 2)
    assert (found.sampled.short, len(found.sampled.named)) == (30, 20)
    assert list(found.sampled.named)[:2] == ["patient000", "patient001"]


@pytest.mark.parametrize(
    ("value", "why"), [(None, "no item has one"), (["a"], "which holds lists")]
)
def test_a_column_that_cannot_be_drawn_from_is_refused(value, why):
    with pytest.raises(UserError, match=why):
        draw_view("v", View(sample=1, per="c"), ["a"], seed=1, values=[value])
