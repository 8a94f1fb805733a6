"""Rates, storms of 429 and a thousand requests at once, over real connections."""

import resource
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.ask.asking import FakeClock, answer_of, question, questions_for, request_for
from tests.ask.crowd_server import CrowdServer
from tests.doubles.chat_server import ChatServer
from toolkit.ask.descriptors import make_room
from toolkit.ask.engine import AskSettings, ask_all
from toolkit.errors import RunError, UserError
from toolkit.store.ledger import Ledger

NO = {"error": {"message": "no"}}


class NotingClock(FakeClock):
    """Notes the time whenever it is looked at for a rate."""

    def __init__(self):
        super().__init__()
        self.start = self.monotonic()

    @property
    def passed(self):
        return self.monotonic() - self.start


def test_a_storm_of_429_calms_down_and_loses_no_row(asker):
    with CrowdServer(latency=0.02, at_once=12) as server:
        answers = asker.ask(server, 600, concurrency=128)
    assert [answer.status for answer in answers] == ["ok"] * 600
    seen = server.seen
    assert seen["taken"] == 600
    assert seen["peak"] == 12
    # One call in flight too many is turned away; without adapting, ten times as many are.
    assert seen["turned_away"] < 600
    assert asker.counts.calls == {"done": 600, "not_processed": seen["turned_away"]}


def test_a_request_that_is_always_turned_away_ends_nobody_else_s(asker, tmp_path):
    busy = {"status": 429, "match": "too long", "body": NO, "times": 0}
    texts = [f"text {n}" for n in range(120)]
    texts[3] = "too long"
    with ChatServer(tmp_path, [busy]) as server:
        with pytest.raises(RunError, match="not every request has an answer"):
            asker.ask(server, texts, concurrency=2)
        tries = sum(bool(call["rule"]) for call in server.calls)
    counts = asker.counts
    # More often than a server that takes nothing at all, because it took the others.
    assert tries > 8
    assert counts.calls == {"done": 119, "not_processed": tries}


def test_a_thousand_requests_in_flight(asker):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 2000:
        pytest.skip(f"a process may open only {hard} files here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 1024), hard))
    try:
        with CrowdServer(latency=1.5) as server:
            answers = asker.ask(server, 1500, concurrency=1000)
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 1024
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert [answer.status for answer in answers] == ["ok"] * 1500
    assert server.seen["taken"] == 1500
    # The first went alone; then all that fit, as far as the machine is quick enough.
    assert 500 < server.seen["peak"] <= 1000


def test_more_connections_than_the_system_allows_are_refused_in_words():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY:
        pytest.skip("this system allows any number of open files")
    with pytest.raises(UserError, match="open files") as caught:
        make_room(hard)
    assert "ulimit" in caught.value.hint


@pytest.mark.parametrize("limit", [7, 60])
def test_requests_a_minute_hold_for_all_who_ask(asker, limit):
    clock = NotingClock()
    with CrowdServer() as server, Ledger(asker.path) as ledger, ThreadPoolExecutor(3) as pool:

        def ask(step):
            own = limit if step == 1 else None
            model = asker.model(server, requests_per_minute=own, temperature=float(step))
            settings = AskSettings(run="r", clock=clock)
            barrier.wait()
            return sum(1 for _ in ask_all(model, questions_for(20), ledger, settings=settings))

        barrier = threading.Barrier(3)
        assert list(pool.map(ask, range(3))) == [20] * 3
    assert server.seen["taken"] == 60
    # Only what is sent while the one with the limit asks is limited; its own calls always are.
    assert clock.passed >= (20 // limit - 1) * 60


def test_requests_a_minute_take_their_minutes(asker):
    asker.clock = NotingClock()
    with CrowdServer() as server:
        assert len(asker.ask(server, 45, requests_per_minute=10)) == 45
    assert 4 * 60 <= asker.clock.passed <= 6 * 61


def test_tokens_a_minute_count_what_was_used_and_not_what_was_feared(asker):
    asker.clock = NotingClock()
    with CrowdServer(tokens=50) as server:
        # One at a time: a clock that is never waited for would let the minute of a call that
        # is in flight pass at once.
        params = {"max_tokens": 1000, "tokens_per_minute": 2000, "concurrency": 1}
        assert asker.model(server, **params).token_bound(request_for("abstract 0")) > 1000
        assert len(asker.ask(server, 40, **params)) == 40
    # 40 calls of 100 tokens are two minutes' worth; as bounds they would be twenty.
    assert 60 <= asker.clock.passed <= 5 * 61


def test_what_is_in_the_ledger_waits_for_no_rate(asker):
    with CrowdServer() as server:
        asker.ask(server, 50)
        asker.clock = NotingClock()
        asker.ask(server, 50, requests_per_minute=1)
        assert asker.reused == 50
    assert asker.clock.passed == 0
    assert server.seen["taken"] == 50


def test_a_server_with_nothing_left_is_left_in_peace_until_it_has(asker, tmp_path):
    left = {
        "match": "abstract 3",
        "headers": {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "20s"},
    }
    with ChatServer(tmp_path, [left]) as server:
        answers = asker.ask(server, 10, concurrency=1)
    assert [answer.status for answer in answers] == ["ok"] * 10
    assert asker.clock.waits == [20.0]


def test_retry_after_of_a_storm_holds_everybody_and_rates_recover(asker, tmp_path):
    storm = {"status": 429, "body": NO, "headers": {"Retry-After": "2"}, "times": 60}
    with ChatServer(tmp_path, [{"match": "abstract 0"}, storm]) as server:
        answers = asker.ask(server, 100, concurrency=32)
    assert [answer.status for answer in answers] == ["ok"] * 100
    assert asker.counts.calls == {"done": 100, "not_processed": 60}


def test_a_dialogue_keeps_its_order_however_long_it_waits(asker):
    with CrowdServer(latency=0.01, at_once=2) as server, Ledger(asker.path) as ledger:
        found = list(
            ask_all(
                asker.model(server, concurrency=16),
                (question(f"text {n}", str(n)) for n in range(60)),
                ledger,
                settings=AskSettings(run="r", clock=asker.clock),
            )
        )
    assert sorted(asked.index for asked in found) == list(range(60))
    assert all(asked.dialogue.row.item_id == str(asked.index) for asked in found)
    assert {answer_of(asked).status for asked in found} == {"ok"}
