from collections import Counter
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from toolkit.readers.balance import balanced

OPTIONS = st.lists(st.sets(st.sampled_from("abc"), min_size=1).map(sorted), min_size=1, max_size=6)


def squares(chosen, loads):
    return sum(n * n for n in (Counter(loads) + Counter(chosen)).values())


@given(options=OPTIONS, loads=st.dictionaries(st.sampled_from("abc"), st.integers(0, 4)))
def test_no_choice_is_more_even(options, loads):
    chosen = balanced(options, loads, lambda at, option: option)
    assert all(option in mine for option, mine in zip(chosen, options, strict=True))
    assert squares(chosen, loads) == min(squares(other, loads) for other in product(*options))


def test_a_choice_made_early_is_taken_back_along_a_chain():
    # Least loaded first gives a to the first slot, b to the second, and leaves the third with a.
    assert balanced([["a", "b"], ["b", "c"], ["a"]], {}, lambda at, option: option) == [
        "b", "c", "a"
    ]  # fmt: skip


def test_between_equals_the_tie_decides():
    chosen = balanced([["a", "b"]] * 2, {}, lambda at, option: -ord(option))
    assert chosen == ["b", "a"]
