"""The limiter's laws, over random histories of who comes, waits, sends and leaves."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from toolkit.ask.limiter import Limiter
from toolkit.ask.server import Ended

SERVERS = ("http://one", "http://two")

ASKING = st.tuples(
    st.sampled_from(SERVERS),
    st.integers(1, 4),
    st.lists(st.integers(0, 3), min_size=1, max_size=6),
)


class Watch:
    """Counts slots from outside, by what those who hold them say."""

    def __init__(self):
        self.now = dict.fromkeys(SERVERS, 0)
        self.limits = {server: [] for server in SERVERS}
        self.sent = 0

    def check(self, server, total):
        assert self.now[server] <= min(self.limits[server])
        assert total is None or sum(self.now.values()) <= total


async def asking(limiter, watch, total, server, at_once, turns):
    seat = limiter.join(server, None, at_once=at_once, total=total)
    watch.limits[server].append(at_once)

    async def send(length):
        with seat.slot() as slot:
            assert await slot.take()
            watch.now[server] += 1
            watch.check(server, total)
            for _ in range(length):
                await asyncio.sleep(0)
            watch.now[server] -= 1
            watch.sent += 1
            seat.open()

    async with asyncio.TaskGroup() as group:
        for length in turns:
            group.create_task(send(length))
    watch.limits[server].remove(at_once)
    seat.leave()


@given(st.lists(ASKING, min_size=1, max_size=6), st.one_of(st.none(), st.integers(1, 5)))
def test_limits_hold_and_everybody_is_served(askings, total):
    async def history():
        limiter, watch = Limiter(), Watch()
        async with asyncio.timeout(10), asyncio.TaskGroup() as group:
            for one in askings:
                # All join before the first one sends, so that what holds is known from outside.
                group.create_task(asking(limiter, watch, total, *one))
        assert watch.sent == sum(len(turns) for _, _, turns in askings)
        assert (limiter.in_flight, limiter.reserved) == (0, 0)

    asyncio.run(history())


@given(st.lists(st.integers(0, 3), min_size=1, max_size=8), st.data())
def test_a_cancelled_wait_loses_no_slot(lengths, data):
    cut = data.draw(st.sets(st.integers(0, len(lengths) - 1)))
    when = data.draw(st.integers(0, 6))

    async def history():
        limiter = Limiter()
        seat = limiter.join(SERVERS[0], None, at_once=2, total=None)
        served = []

        async def send(number, length):
            with seat.slot() as slot:
                assert await slot.take()
                for _ in range(length):
                    await asyncio.sleep(0)
                seat.open()
                served.append(number)

        tasks = [asyncio.create_task(send(*one)) for one in enumerate(lengths)]
        for _ in range(when):
            await asyncio.sleep(0)
        for number in cut:
            tasks[number].cancel()
        async with asyncio.timeout(10):
            await asyncio.gather(*tasks, return_exceptions=True)
        assert set(range(len(lengths))) - cut <= set(served)
        assert limiter.in_flight == 0

    asyncio.run(history())


def test_before_the_first_answer_one_goes_alone_and_a_hold_stops_all():
    async def history():
        limiter = Limiter()
        seat = limiter.join(SERVERS[0], None, at_once=3, total=None)
        slots = [seat.slot() for _ in range(3)]
        waits = [asyncio.create_task(slot.take()) for slot in slots]
        await asyncio.sleep(0)
        assert limiter.in_flight == 1
        seat.open()
        assert await asyncio.gather(*waits) == [True, True, True]
        over = asyncio.Event()
        held = seat.hold(wait_for(over))
        for slot in slots:
            slot.give_back()
        again = [asyncio.create_task(slot.take()) for slot in slots]
        for _ in range(5):
            await asyncio.sleep(0)
        assert limiter.in_flight == 0
        over.set()
        await held
        assert await asyncio.gather(*again) == [True, True, True]

    async def wait_for(event):
        await event.wait()

    asyncio.run(history())


def test_whoever_waits_at_a_server_that_has_ended_is_turned_away():
    async def history():
        limiter = Limiter()
        one, two = (limiter.join(SERVERS[0], None, at_once=1, total=None) for _ in range(2))
        other = limiter.join(SERVERS[1], None, at_once=1, total=None)
        held = one.slot()
        assert await held.take()
        waits = asyncio.create_task(two.slot().take())
        await asyncio.sleep(0)
        one.end(Ended("wrong key"))
        assert await waits is False
        assert await two.slot().take() is False
        assert two.ended == Ended("wrong key")
        assert other.ended is None
        assert await other.slot().take()
        held.give_back()

    asyncio.run(history())
