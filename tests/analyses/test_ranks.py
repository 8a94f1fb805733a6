"""Ranks follow the direction of a score."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.analyses.ranks import distance_from_best, ranks
from toolkit.metrics.base import ScoreDefinition


def score(direction: str, target: float | None = None) -> ScoreDefinition:
    return ScoreDefinition(name="s", title="S", direction=direction, target=target)


@pytest.mark.parametrize(
    ("direction", "target", "means", "want"),
    [
        ("higher", None, [0.1, 0.3, 0.2], [3, 1, 2]),
        ("lower", None, [0.1, 0.3, 0.2], [1, 3, 2]),
        ("none", None, [0.1, 0.3], [None, None]),
        ("higher", None, [0.5, 0.9, 0.5, 0.1], [2, 1, 2, 4]),
        ("higher", None, [None, 0.2, None], [None, 1, None]),
        ("target", 1.0, [0.5, 2.0, 1.1, 0.0, -1.0], [2, 2, 1, 4, 4]),
        ("target", 0.0, [0.5, -0.1, 0.1], [3, 1, 1]),
        ("higher", None, [], []),
    ],
)
def test_ranks(direction, target, means, want) -> None:
    assert ranks(means, score(direction, target)) == want


def test_half_and_double_are_equally_far_from_a_ratio_of_one() -> None:
    definition = score("target", 1.0)
    assert distance_from_best(0.25, definition) == distance_from_best(4.0, definition)


def test_means_that_only_print_alike_are_no_tie() -> None:
    assert ranks([0.12345, 0.12346], score("higher")) == [2, 1]


def test_a_target_without_a_value_is_refused() -> None:
    with pytest.raises(ValueError, match="no target"):
        ranks([1.0], score("target"))


@given(st.lists(st.one_of(st.none(), st.floats(-5, 5)), max_size=12), st.randoms())
def test_ranks_do_not_depend_on_the_order_of_competitors(means, random) -> None:
    definition = score("higher")
    order = list(range(len(means)))
    random.shuffle(order)
    shuffled = ranks([means[i] for i in order], definition)
    assert shuffled == [ranks(means, definition)[i] for i in order]
