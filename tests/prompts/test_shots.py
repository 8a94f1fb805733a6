import random

import pytest

from toolkit.errors import UserError
from toolkit.prompts.shots import choose, pool


def rows(n):
    return [
        {"item_id": str(k), "group": str(k // 2), "input": f"i{k}", "ref": f"r{k}"}
        for k in range(n)
    ]


def test_the_draw_does_not_depend_on_the_order():
    table = rows(60)
    first = pool(table, "ref", 3, seed=1)
    random.Random(0).shuffle(table)
    assert pool(table, "ref", 3, seed=1) == first
    assert pool(table, "ref", 3, seed=2) != first


def test_an_item_never_sees_itself_or_its_group():
    table = rows(40)
    candidates = pool(table, "ref", 4, seed=1)
    for item in table:
        chosen = choose(item, candidates, "ref", 4)
        assert len(chosen) == 4
        assert all(row["group"] != item["group"] for row, _ in chosen)


def test_an_equal_text_is_no_example_either():
    table = [*rows(10), {"item_id": "x", "group": "x", "input": "other", "ref": "r3"}]
    candidates = pool(table, "ref", 10, seed=1)
    item = next(row for row in table if row["item_id"] == "3")
    assert "r3" not in {answer for _, answer in choose(item, candidates, "ref", 5)}


def test_too_few_examples_are_refused():
    table = rows(4)
    with pytest.raises(UserError, match="only 2 worked examples for item 0, 3 wanted"):
        choose(table[0], pool(table, "ref", 3, seed=1), "ref", 3)


def test_memory_does_not_grow_with_the_split():
    endless = ({"item_id": str(k), "group": str(k), "ref": "r"} for k in range(20_000))
    assert len(pool(endless, "ref", 2, seed=0)) == 22
