"""Rates a minute, under a clock that the test moves."""

from hypothesis import given
from hypothesis import strategies as st

from toolkit.ask.pace import NO_RATES, Pace, Rates

LIMITS = st.one_of(st.none(), st.integers(1, 300))
CALLS = st.lists(
    st.tuples(
        st.floats(0, 90),  # Idle before it, in seconds.
        st.integers(0, 500),  # The most tokens that it can take.
        st.floats(0, 1),  # The share that it took.
        st.floats(0, 30),  # How long it took.
    ),
    min_size=1,
    max_size=60,
)


def sent_by(rates, calls):
    """Send each call as soon as it may be; return (time, tokens really taken) of each."""
    pace, now, found, ending = Pace(), 1000.0, [], []

    def let_end(until):
        for call in [call for call in ending if call[0] <= until]:
            ending.remove(call)
            call[1].used(call[2])

    for idle, most, share, length in calls:
        now += idle
        let_end(now)
        for _ in range(1000):
            if not (wait_s := pace.wait_s(now, most, rates)):
                break
            now += wait_s
            let_end(now)
        else:
            raise AssertionError("it never may be sent")
        used = round(min(most, rates.tokens or most) * share)
        ending.append((now + length, pace.add(now, most, rates), used))
        found.append((now, used))
    return found


@given(LIMITS, LIMITS, CALLS)
def test_no_minute_holds_more_than_the_limits(requests, tokens, calls):
    found = sent_by(Rates(requests, tokens), calls)
    for start, _ in found:
        minute = [used for time, used in found if start <= time < start + 60]
        assert requests is None or len(minute) <= requests
        assert tokens is None or sum(minute) <= tokens


@given(st.integers(1, 200))
def test_a_limit_is_used_to_the_full(requests):
    found = sent_by(Rates(requests), [(0.0, 0, 0.0, 0.0)] * requests * 4)
    # Four minutes' worth takes at most four minutes of 61 seconds.
    assert found[-1][0] - found[0][0] <= 4 * 61


@given(st.integers(20, 300))
def test_sending_is_spread(requests):
    found = sent_by(Rates(requests), [(0.0, 0, 0.0, 0.0)] * requests)
    for start, _ in found:
        at_once = sum(start <= time < start + 1 for time, _ in found)
        assert at_once <= requests * 0.1 + requests / 60 + 2


def test_tokens_that_were_not_needed_are_free_again():
    pace, rates = Pace(), Rates(tokens=1000)
    pace.add(0.0, 1000, rates).used(10)
    assert pace.wait_s(1.0, 900, rates) == 0.0
    assert pace.wait_s(1.0, 995, rates) > 50.0


def test_what_was_never_sent_does_not_count():
    pace, rates = Pace(), Rates(requests=1, tokens=100)
    sent = pace.add(0.0, 100, rates)
    assert pace.wait_s(0.0, 100, rates) > 0.0
    sent.never_sent()
    assert pace.wait_s(0.0, 100, rates) == 0.0


def test_a_call_above_the_limit_is_sent_alone():
    pace, rates = Pace(), Rates(tokens=100)
    assert pace.wait_s(0.0, 5000, rates) == 0.0
    pace.add(0.0, 5000, rates)
    assert 60.0 <= pace.wait_s(0.0, 1, rates) <= 61.0


@given(LIMITS, LIMITS, LIMITS, LIMITS)
def test_the_strictest_limits_hold_in_whatever_order(one, two, three, four):
    left, right = Rates(one, two), Rates(three, four)
    assert left.strictest(right) == right.strictest(left)
    assert left.strictest(left) == left
    assert left.strictest(NO_RATES) == left
    for mine, theirs, both in (
        (one, three, left.strictest(right).requests),
        (two, four, left.strictest(right).tokens),
    ):
        assert both == min([n for n in (mine, theirs) if n is not None], default=None)
