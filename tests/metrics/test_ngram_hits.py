from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from toolkit.metrics.ngram_hits import clipped_hits

TOKENS = st.lists(st.sampled_from(["a", "b", "c", "the"]), max_size=12)


def by_counting(left: list[str], right: list[str], order: int) -> int:
    first, second = (
        Counter(tuple(text[at : at + order]) for at in range(len(text) - order + 1))
        for text in (left, right)
    )
    return (first & second).total()


@given(st.lists(st.tuples(TOKENS, TOKENS), max_size=6), st.integers(1, 5))
def test_hits_equal_counting(pairs: list[tuple[list[str], list[str]]], orders: int) -> None:
    expected = [
        tuple(by_counting(*pair, order) for order in range(1, orders + 1)) for pair in pairs
    ]
    assert clipped_hits(pairs, orders) == expected


def test_pairs_do_not_meet() -> None:
    assert clipped_hits([(["a", "b"], []), ([], ["a", "b"])], 2) == [(0, 0), (0, 0)]
    assert clipped_hits([], 4) == []
