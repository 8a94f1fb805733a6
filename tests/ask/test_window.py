from hypothesis import given
from hypothesis import strategies as st

from toolkit.ask.window import Window


@given(st.integers(1, 1000), st.lists(st.one_of(st.none(), st.integers(1, 1000)), max_size=200))
def test_the_size_stays_between_one_and_what_is_allowed(most, history):
    window = Window()
    for in_flight in history:
        if in_flight is None:
            window.accepted(most)
        else:
            window.overloaded(window.round, min(in_flight, window.size(most)))
        assert 1 <= window.size(most) <= most


def test_it_halves_and_grows_by_steps():
    window = Window()
    assert window.size(64) == 64
    window.overloaded(window.round, 64)
    assert window.size(64) == 32
    for _ in range(32):
        window.accepted(64)
    # A round of accepted calls is one step of 2.
    assert window.size(64) in (33, 34)
    window.overloaded(window.round, 33)
    assert window.size(64) == 16


def test_one_burst_of_refusals_is_one_decrease():
    window = Window()
    sent_in = window.round
    for left in range(100, 0, -1):
        window.overloaded(sent_in, left)
    assert window.size(100) == 50


@given(st.integers(1, 1000))
def test_it_finds_back_to_the_most(most):
    window = Window()
    while window.size(most) > 1:
        window.overloaded(window.round, window.size(most))
    for _ in range(40):
        for _ in range(window.size(most)):
            window.accepted(most)
    assert window.size(most) == most


def test_it_settles_at_what_a_server_takes():
    """A server that takes 20 at once and turns away the rest, asked by 256."""
    window, seen = Window(), []
    for _ in range(2000):
        size, sent_in = window.size(256), window.round
        taken = min(size, 20)
        for _ in range(taken):
            window.accepted(256)
        for left in range(size - taken):
            window.overloaded(sent_in, size - taken - left)
        seen.append(size)
    late = seen[100:]
    assert max(late) <= 40
    assert sum(late) / len(late) >= 10
