"""Exact sizes from whole groups."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from toolkit.splits.packing import pack


def test_groups_are_taken_in_order_and_one_that_overflows_is_skipped():
    assert pack([3, 5, 2, 1], 6).taken == (0, 2, 3)


def test_a_dead_end_is_left_for_a_choice_that_fits():
    packing = pack([3, 2, 2], 4)
    assert (packing.taken, packing.below) == ((1, 2), 4)


def test_what_is_reachable_is_said():
    packing = pack([4, 4, 4], 6)
    assert (packing.below, packing.above) == (4, 8)
    short = pack([2, 2], 6)
    assert (short.below, short.above) == (4, None)


def test_nothing_wanted_takes_nothing():
    assert pack([1, 2], 0).taken == ()
    assert pack([], 0).below == 0


@given(st.lists(st.integers(1, 9), max_size=9), st.integers(0, 40))
def test_the_first_exact_choice_is_made_whenever_there_is_one(sizes, target):
    packing = pack(sizes, target)
    choices = [
        choice for k in range(len(sizes) + 1) for choice in combinations(range(len(sizes)), k)
    ]
    sums = {choice: sum(sizes[at] for at in choice) for choice in choices}
    assert packing.below == max(total for total in sums.values() if total <= target)
    assert sum(sizes[at] for at in packing.taken) == packing.below
    exact = [choice for choice, total in sums.items() if total == packing.below]
    in_order = max(exact, key=lambda choice: [at in choice for at in range(len(sizes))])
    assert packing.taken == in_order
    if packing.below < target:
        assert packing.above == min((t for t in sums.values() if t > target), default=None)
