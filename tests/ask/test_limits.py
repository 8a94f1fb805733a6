"""Several askings through one ledger, as the steps of a run: limits hold for all together."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.ask.asking import FakeClock, answer_of, questions_for, request_for
from tests.doubles.chat_server import ChatServer, good_reply
from toolkit.ask.engine import AskSettings, ask_all
from toolkit.ask.retry import SystemClock
from toolkit.errors import RunError, Stopped, UserError
from toolkit.store.ledger import Ledger

STEPS = 4
LATENCY = 0.05


def texts(step, count):
    return [f"step {step} text {n}" for n in range(count)]


def together(asker, askings, *, total=None, secrets=None, clock=None, stops=None):
    """Ask for each (server, texts, parameters) in a thread of its own; return what came of it.

    An entry is the number of answers, or the error.
    """
    barrier = threading.Barrier(len(askings))

    def ask(number):
        server, wanted, params = askings[number]
        settings = AskSettings(
            run="run", concurrency=total, secrets=secrets or {}, clock=clock or SystemClock()
        )
        barrier.wait()
        try:
            found = ask_all(
                asker.model(server, **params),
                questions_for(wanted),
                ledger,
                settings=settings,
                stop=stops[number] if stops else None,
            )
            return sum(answer_of(asked).status == "ok" for asked in found)
        except (RunError, UserError) as error:
            return error

    with Ledger(asker.path) as ledger, ThreadPoolExecutor(len(askings)) as pool:
        return list(pool.map(ask, range(len(askings))))


def kept_to(at_once, calls):
    """Return whether at most so many were in flight, by what the server itself saw.

    Then the call that comes so many places after another one comes when that has ended, which
    takes it the server's latency. (The server counts a call a moment longer than its answer
    takes, so that its own count may be one too high.)
    """
    arrived = sorted(call["time"] for call in calls)
    pairs = zip(arrived, arrived[at_once:], strict=False)
    return all(after - before >= LATENCY for before, after in pairs)


@pytest.mark.parametrize("at_once", [1, 3])
def test_a_server_never_has_more_in_flight_than_its_model_says(asker, tmp_path, at_once):
    with ChatServer(tmp_path, latency=LATENCY) as server:
        askings = [(server, texts(step, 8), {"concurrency": at_once}) for step in range(STEPS)]
        assert together(asker, askings) == [8] * STEPS
        calls = server.calls
    assert len(calls) == 8 * STEPS
    assert kept_to(at_once, calls)
    assert at_once == 1 or not kept_to(at_once - 1, calls)


def test_the_smallest_concurrency_of_those_who_ask_a_server_holds(asker, tmp_path):
    with ChatServer(tmp_path, latency=LATENCY) as server:
        askings = [
            (server, texts(0, 8), {"concurrency": 2}),
            (server, texts(1, 40), {"concurrency": 16, "temperature": 0.5}),
        ]
        assert together(asker, askings) == [8, 40]
        calls = server.calls
    small = [n for n, call in enumerate(calls) if "temperature" not in call["body"]]
    assert kept_to(2, calls[small[0] : small[-1] + 1])
    # Once the small one has ended, its limit is gone.
    assert not kept_to(2, calls[small[-1] + 1 :])


def test_the_limit_of_a_run_holds_for_all_servers_together(asker, tmp_path):
    (tmp_path / "other").mkdir()
    with (
        ChatServer(tmp_path, latency=LATENCY) as one,
        ChatServer(tmp_path / "other", latency=LATENCY) as two,
    ):
        askings = [(one, texts(0, 6), {}), (two, texts(1, 6), {})]
        assert together(asker, askings, total=1) == [6, 6]
        calls = one.calls + two.calls
    assert kept_to(1, calls)


def test_two_servers_do_not_wait_for_one_another(asker, tmp_path):
    (tmp_path / "other").mkdir()
    with ChatServer(tmp_path, latency=0.4) as slow, ChatServer(tmp_path / "other") as fast:
        askings = [(slow, texts(0, 2), {"concurrency": 1}), (fast, texts(1, 4), {"concurrency": 1})]
        assert together(asker, askings) == [2, 4]
        assert fast.calls[-1]["time"] < slow.calls[-1]["time"]


def test_a_server_that_asks_for_patience_gets_it_from_everybody(asker, tmp_path):
    wait = {"status": 429, "headers": {"Retry-After": "1"}, "body": {"error": {}}}
    with ChatServer(tmp_path, [{**wait, "match": "step 2 text 1"}], latency=0.02) as server:
        askings = [(server, texts(step, 4), {"concurrency": 1}) for step in range(STEPS)]
        assert together(asker, askings) == [4] * STEPS
        calls = server.calls
    told = next(n for n, call in enumerate(calls) if call["rule"])
    assert 0 < told < len(calls) - 2
    assert calls[told + 1]["time"] - calls[told]["time"] >= 1


def test_patience_outlasts_the_asking_that_was_told_to_have_it(asker, tmp_path):
    wait = {"status": 429, "headers": {"Retry-After": "1"}, "body": {"error": {}}}
    stops = [threading.Event(), threading.Event()]
    script = [{**wait, "match": "step 0 text 1"}]
    with ChatServer(tmp_path, script, latency=0.02) as server, ThreadPoolExecutor(1) as pool:
        askings = [(server, texts(step, 6), {"concurrency": 1}) for step in range(2)]
        running = pool.submit(together, asker, askings, stops=stops)
        while not any(call["rule"] for call in server.calls):
            threading.Event().wait(0.01)
        stops[0].set()
        first, second = running.result()
        calls = server.calls
    assert isinstance(first, Stopped)
    assert second == 6
    told = next(n for n, call in enumerate(calls) if call["rule"])
    assert calls[told + 1]["time"] - calls[told]["time"] >= 1


def test_the_first_call_to_a_server_goes_alone_once_in_a_run(asker, tmp_path):
    with ChatServer(tmp_path, latency=0.1) as server:
        askings = [(server, texts(step, 6), {"concurrency": 8}) for step in range(STEPS)]
        assert together(asker, askings) == [6] * STEPS
        in_flight = [call["in_flight"] for call in server.calls]
    assert in_flight[:2] == [1, 1]
    assert in_flight.count(1) < STEPS + 2
    assert 4 <= max(in_flight) <= 8


@pytest.mark.parametrize("status", [401, 402])
def test_a_key_that_opens_nothing_costs_one_call_however_many_ask(asker, tmp_path, status):
    refused = {"status": status, "body": {"error": {"message": "not with this key"}}, "times": 0}
    with ChatServer(tmp_path, [refused]) as server:
        askings = [(server, texts(step, 5), {}) for step in range(STEPS)]
        errors = together(asker, askings)
        assert len(server.calls) == 1
    assert ["not with this key" in str(error) for error in errors] == [True] * STEPS


def test_a_model_that_is_refused_does_not_stop_another(asker, tmp_path):
    script = [
        {"status": 404, "match": "step 0", "body": {"error": {"message": "who?"}}, "times": 0}
    ]
    with ChatServer(tmp_path, script) as server:
        askings = [(server, texts(step, 5), {}) for step in range(2)]
        first, second = together(asker, askings)
        assert len(server.calls) == 6
    assert isinstance(first, UserError)
    assert second == 5


def test_two_keys_are_two_servers(asker, tmp_path):
    secrets = {"ONE": "sk-one-0123456789", "TWO": "sk-two-0123456789"}
    with ChatServer(tmp_path, latency=0.1) as server:
        askings = [
            (server, texts(step, 5), {"concurrency": 1, "api_key_env": name})
            for step, name in enumerate(secrets)
        ]
        assert together(asker, askings, secrets=secrets) == [5, 5]
        assert max(call["in_flight"] for call in server.calls) == 2


def test_a_server_that_is_away_is_tried_for_one_request_and_not_for_each_step(asker, tmp_path):
    with ChatServer(tmp_path) as server:
        pass
    clock = FakeClock()
    errors = together(asker, [(server, texts(n, 5), {}) for n in range(STEPS)], clock=clock)
    assert ["no connection to" in str(error) for error in errors] == [True] * STEPS
    assert asker.counts.requests == {"open": 1}
    assert asker.counts.calls == {"not_processed": 8}
    assert len(clock.waits) == 7


def test_one_that_stops_leaves_the_others_their_slots(asker, tmp_path):
    stops = [threading.Event(), threading.Event()]
    stops[0].set()
    with ChatServer(tmp_path, latency=0.02) as server:
        askings = [(server, texts(step, 10), {"concurrency": 2}) for step in range(2)]
        first, second = together(asker, askings, stops=stops)
    assert isinstance(first, Stopped)
    assert second == 10


def test_a_budget_is_spent_to_its_end_by_all_together(asker, tmp_path):
    with ChatServer(tmp_path, latency=0.02) as server, Ledger(asker.path) as ledger:
        bound = asker.model(server).cost_bound(request_for(texts(0, 1)[0])) / 1e12

        def ask(step):
            settings = AskSettings(run="run", budget_usd=bound * 6)
            with pytest.raises(RunError, match="exceed the budget"):
                list(
                    ask_all(
                        asker.model(server),
                        questions_for(texts(step, 60)),
                        ledger,
                        settings=settings,
                    )
                )

        with ThreadPoolExecutor(STEPS) as pool:
            list(pool.map(ask, range(STEPS)))
        spent = ledger.counts().spent_pico_usd / 1e12
        usages = [good_reply(call["body"])["usage"] for call in server.calls]
    assert bound * 5 < spent <= bound * 6
    # A dollar a million tokens read, two a million written: the server's own count.
    bill = sum(use["prompt_tokens"] + 2 * use["completion_tokens"] for use in usages) / 1e6
    assert bill == pytest.approx(spent)


def test_a_budget_holds_through_unknown_outcomes_and_refused_calls(asker, tmp_path):
    script = [
        {"close": "torn", "match": "text 1", "times": 12},
        {"status": 429, "match": "text 2", "body": {"error": {}}, "times": 20},
    ]
    with ChatServer(tmp_path, script, latency=0.01) as server, Ledger(asker.path) as ledger:
        model = asker.model(server, concurrency=16, max_unknown_retries=3)
        budget = 20 * asker.model(server).cost_bound(request_for("step 0 text 00")) / 1e12

        def ask(step):
            settings = AskSettings(run="run", budget_usd=budget, clock=FakeClock())
            with pytest.raises(RunError, match="exceed the budget"):
                list(ask_all(model, questions_for(texts(step, 100)), ledger, settings=settings))

        with ThreadPoolExecutor(STEPS) as pool:
            list(pool.map(ask, range(STEPS)))
        spent = ledger.counts().spent_pico_usd / 1e12
        answered = [call for call in server.calls if "text 2" not in call["rule"]]
        usages = [good_reply(call["body"])["usage"] for call in answered]
    bill = sum(use["prompt_tokens"] + 2 * use["completion_tokens"] for use in usages) / 1e6
    # What was paid and is not known to be paid stands in the ledger as a bound.
    assert bill <= spent <= budget
