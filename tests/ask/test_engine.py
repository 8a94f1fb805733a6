import threading

import pytest

from tests.ask.asking import PRICES, question, questions_for, request_for
from tests.doubles.chat_server import ChatServer
from toolkit.ask.engine import AskSettings, ask_all
from toolkit.ask.parser import parse_answer
from toolkit.ask.parsers.text import TextParser
from toolkit.errors import MissingError, RunError, UserError
from toolkit.models.base import Price
from toolkit.store.ledger import PICO, Ledger

QUOTA = {
    "status": 429,
    "headers": {"Retry-After": "0"},
    "body": {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}},
}


def error(status, message="no", **extra):
    return {"status": status, "body": {"error": {"message": message}}, **extra}


def test_each_request_is_sent_once_and_never_again(asker, tmp_path):
    with ChatServer(tmp_path) as server:
        first = asker.ask(server, 30)
        second = asker.ask(server, 30)
        assert (asker.reused, len(server.calls)) == (30, 30)
        assert set(server.hits.values()) == {1}
    assert first == second
    assert {answer.status for answer in first} == {"ok"}
    assert len({answer.answer for answer in first}) == 30


def test_what_is_sent_is_what_the_key_stands_for(asker, tmp_path):
    with ChatServer(tmp_path) as server:
        asker.ask(server, ["q"], temperature=0.0, seed=3, extra_body={"top_k": 1})
        (call,) = server.calls
        asked = asker.model(
            server, temperature=0.0, seed=3, extra_body={"top_k": 1}
        ).ledger_request(request_for("q"))
    assert call["body"] == {
        "model": "m",
        "messages": [{"role": "user", "content": "q"}],
        "max_tokens": 100,
        "temperature": 0.0,
        "seed": 3,
        "top_k": 1,
    }
    assert call["key"] == asked.key
    assert call["path"] == "/v1/chat/completions"
    assert call["authorization"] is None


def test_cosmetic_changes_are_answered_from_the_ledger_and_others_are_not(asker, tmp_path):
    with ChatServer(tmp_path) as server:
        asker.ask(server, ["q"])
        for same in (
            {"timeout_s": 5.0},
            {"concurrency": 2},
            {"max_unknown_retries": 0},
            {"prices": None},
            {"profile": "vllm"},
        ):
            asker.ask(server, ["q"], **same)
        assert len(server.calls) == 1
        for other in (
            {"temperature": 0.0},
            {"temperature": 1.0},
            {"max_tokens": 16},
            {"model": "m2"},
            {"extra_body": {"x": 1}},
        ):
            asker.ask(server, ["q"], **other)
        assert len(server.calls) == 6
        with ChatServer(tmp_path) as elsewhere:
            asker.ask(elsewhere, ["q"])
            assert len(server.calls) == 7  # Both servers write to one log.


def test_identical_requests_of_one_asking_are_paid_once(asker, tmp_path):
    with ChatServer(tmp_path, latency=0.05) as server:
        answers = asker.ask(server, ["same"] * 8)
        assert len(server.calls) == 1
    assert len(answers) == 8
    assert asker.reused == 7


def test_the_key_travels_in_a_header_and_nowhere_else(asker, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-another-0123456789")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-secret")
    with ChatServer(tmp_path) as server:
        asker.ask(server, ["q"], api_key_env="MY_KEY", secrets={"MY_KEY": "sk-canary-0123456789"})
        (call,) = server.calls
    assert call["authorization"] == "Bearer sk-canary-0123456789"
    assert not {"openai-organization", "openai-project"} & set(call["headers"])
    for file in (asker.path, asker.path.with_name("ledger.sqlite-seq")):
        assert b"canary" not in file.read_bytes()


def test_a_missing_secret_stops_before_any_call(asker, tmp_path):
    with ChatServer(tmp_path) as server:
        with pytest.raises(MissingError, match="MY_KEY"):
            asker.ask(server, ["q"], api_key_env="MY_KEY")
        assert server.calls == []


@pytest.mark.parametrize("value", ["sk-canary-1234\n", "sk canary-1234", "", "sk-canäry-1234"])
def test_what_is_no_key_is_refused_and_not_repeated(asker, tmp_path, value):
    with ChatServer(tmp_path) as server:
        with pytest.raises(UserError, match="MY_KEY holds no key") as caught:
            asker.ask(server, ["q"], api_key_env="MY_KEY", secrets={"MY_KEY": value})
        assert "can" not in f"{caught.value.message} {caught.value.hint}"
        assert server.calls == []


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_what_cannot_succeed_stops_at_the_first_request(asker, tmp_path, status):
    with ChatServer(tmp_path, [error(status, "the server's own words", times=0)]) as server:
        with pytest.raises(UserError, match="the server's own words"):
            asker.ask(server, 50)
        assert len(server.calls) == 1
    assert asker.counts.requests == {"open": 1}
    assert asker.counts.spent_pico_usd == 0


def test_an_empty_account_stops_at_once_and_can_be_resumed(asker, tmp_path):
    with ChatServer(tmp_path, [QUOTA]) as server:
        with pytest.raises(RunError, match="You exceeded your quota"):
            asker.ask(server, 20)
        assert len(server.calls) == 1
        assert len(asker.ask(server, 20)) == 20
    assert asker.clock.waits == []


@pytest.mark.parametrize(
    ("headers", "first_wait"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0"}, 0.0),
        ({"Retry-After": "999999"}, 120.0),
        ({"Retry-After": "Fri, 01 May 2026 00:00:30 GMT"}, 30.0),
        ({}, None),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
def test_turned_away_calls_wait_as_told_and_are_made_again(
    asker, tmp_path, status, headers, first_wait
):
    with ChatServer(tmp_path, [error(status, headers=headers)]) as server:
        (answer,) = asker.ask(server, 1)
        assert len(server.calls) == 2
    assert answer.status == "ok"
    if first_wait is None:
        assert 0.0 < asker.clock.waits[0] < 1.0
    else:
        assert asker.clock.waits[0] == first_wait
    assert asker.counts.calls == {"not_processed": 1, "done": 1}


def test_a_storm_of_429_loses_no_row(asker, tmp_path):
    storm = error(429, headers={"Retry-After": "1"}, times=40)
    with ChatServer(tmp_path, [{"match": "abstract 0"}, storm]) as server:
        answers = asker.ask(server, 60, concurrency=8)
    assert [answer.status for answer in answers] == ["ok"] * 60
    assert asker.counts.calls == {"not_processed": 40, "done": 60}


def test_a_server_that_turns_all_away_ends_the_run_and_keeps_what_is_done(asker, tmp_path):
    busy = error(503, "overloaded", match="abstract 2", times=0)
    with ChatServer(tmp_path, [busy]) as server:
        with pytest.raises(RunError, match="overloaded") as caught:
            asker.ask(server, 4, concurrency=1)
        assert "run again" in caught.value.hint
    with ChatServer(tmp_path, port=int(server.url.split(":")[2].split("/")[0])) as server:
        assert len(asker.ask(server, 4)) == 4
    assert asker.reused == 2


def test_a_closed_port_is_tried_again_and_then_reported(asker, tmp_path):
    with ChatServer(tmp_path) as server:
        pass
    with pytest.raises(RunError, match="no connection to http://127"):
        asker.ask(server, 10)
    counts = asker.counts
    assert counts.requests == {"open": 1}
    assert set(counts.calls) == {"not_processed"}
    assert counts.spent_pico_usd == 0
    assert sum(asker.clock.waits) > 20


UNCLEAR = [
    {"delay": 1.5},
    {"close": "before"},
    {"close": "torn"},
    error(500, "boom"),
    error(502, "bad gateway"),
]


@pytest.mark.parametrize("rule", UNCLEAR, ids=["timeout", "reset", "torn", "500", "502"])
def test_an_unknown_outcome_is_counted_priced_and_not_repeated_without_allowance(
    asker, tmp_path, rule
):
    with ChatServer(tmp_path, [rule]) as server:
        with pytest.raises(RunError, match="1 calls of unknown outcome"):
            asker.ask(server, 1, timeout_s=0.4, max_unknown_retries=0)
        assert len(server.calls) == 1
        counts = asker.counts
        assert counts.calls == {"unknown": 1}
        assert counts.requests == {"unknown": 1}
        bound = asker.model(server).cost_bound(request_for("abstract 0"))
        assert counts.spent_pico_usd == bound > 0
        # Running again is the user's word that it may be sent again.
        (answer,) = asker.ask(server, 1, timeout_s=0.4, max_unknown_retries=0)
        assert answer.status == "ok"
        assert len(server.calls) == 2
    assert asker.counts.calls == {"unknown": 1, "done": 1}


def test_an_unknown_outcome_is_repeated_within_the_allowance(asker, tmp_path):
    with ChatServer(tmp_path, [{"close": "torn", "times": 2}]) as server:
        (answer,) = asker.ask(server, 1, max_unknown_retries=2)
        assert answer.status == "ok"
        assert len(server.calls) == 3
        assert len(server.hits) == 1  # One idempotency key for all three.
    assert asker.counts.calls == {"unknown": 2, "done": 1}


def test_a_request_that_never_has_an_outcome_can_become_an_error_row(asker, tmp_path):
    with ChatServer(tmp_path, [error(500, "boom", match="abstract 1", times=0)]) as server:
        answers = asker.ask(server, 3, on_unknown="record")
        assert sum("abstract 1" in str(call["body"]) for call in server.calls) == 2
    assert [answer.status for answer in answers] == ["ok", "error", "ok"]
    assert answers[1].answer is None
    assert "boom" in answers[1].reason


def test_a_broken_server_is_given_up_on(asker, tmp_path):
    with ChatServer(tmp_path, [error(500, times=0)]) as server:
        with pytest.raises(RunError, match="HTTP 500"):
            asker.ask(server, 500, concurrency=4, max_unknown_retries=0)
        assert len(server.calls) <= 24


BAD = {
    "html": {"body": "<html>gateway</html>", "headers": {"Content-Type": "text/html"}},
    "empty object": {"body": {}},
    "no choices": {"patch": {"choices": []}},
    "null content": {"message": {"content": None}},
    "cut json": {"body": '{"id": "x", "choi'},
    "latin-1": {"message": {"content": "café"}, "charset": "latin-1"},
    "huge": {"size": 50_000_000},
    "another's": {"echo": "0" * 64},
    "error in 200": {"body": {"error": {"message": "overloaded"}}},
}


@pytest.mark.parametrize("rule", BAD.values(), ids=BAD.keys())
def test_a_200_that_is_no_answer_is_an_error_row_and_never_text(asker, tmp_path, rule):
    with ChatServer(tmp_path, [rule]) as server:
        (answer,) = asker.ask(server, 1)
        assert (answer.status, answer.answer) == ("error", None)
        assert answer.reason
        (again,) = asker.ask(server, 1)
        assert len(server.calls) == 1
    assert again == answer
    counts = asker.counts
    assert counts.requests == {"failed": 1}
    # Something was processed; what it cost is not known, so the bound stands.
    assert counts.spent_pico_usd > 0


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        ({"finish": "length"}, "truncated"),
        ({"finish": "content_filter"}, "refused"),
        ({"message": {"content": None, "refusal": "I cannot."}}, "refused"),
        (
            {"status": 400, "body": {"error": {"message": "filtered", "code": "content_filter"}}},
            "refused",
        ),
        (
            {
                "status": 400,
                "body": {"error": {"message": "long", "code": "context_length_exceeded"}},
            },
            "error",
        ),
    ],
)
def test_flags_are_kept_and_the_others_go_on(asker, tmp_path, rule, status):
    with ChatServer(tmp_path, [{**rule, "match": "abstract 1"}]) as server:
        answers = asker.ask(server, 3)
        assert [answer.status for answer in answers] == ["ok", status, "ok"]
        assert asker.ask(server, 3) == answers
        assert len(server.calls) == 3


def test_the_first_call_goes_alone_and_then_many_at_once(asker, tmp_path):
    with ChatServer(tmp_path, latency=0.15) as server:
        asker.ask(server, 25, concurrency=8)
        in_flight = [call["in_flight"] for call in server.calls]
    # The second call is alone too only because the first had ended when it came.
    assert in_flight[:2] == [1, 1]
    assert 4 <= max(in_flight) <= 8


def test_redirects_are_not_followed(asker, tmp_path):
    with ChatServer(tmp_path) as other:
        moved = {"status": 307, "headers": {"Location": f"{other.url}/chat/completions"}}
        (tmp_path / "first").mkdir()
        with ChatServer(tmp_path / "first", [moved]) as server:
            with pytest.raises(UserError, match="sends on to"):
                asker.ask(server, 1)
            assert len(server.calls) == 1
        assert other.calls == []


def test_a_proxy_never_sees_what_goes_to_this_machine(asker, tmp_path, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    with ChatServer(tmp_path) as server:
        (answer,) = asker.ask(server, 1)
    assert answer.status == "ok"


def test_money_in_the_ledger_equals_the_server_s_own_count(asker, tmp_path):
    price = Price(1_000_000, 2_000_000)
    with ChatServer(tmp_path) as server:
        answers = asker.ask(server, 10)
    expected = sum(price.cost(a.prompt_tokens, a.completion_tokens) for a in answers)
    counts = asker.counts
    assert counts.spent_pico_usd == expected
    assert counts.prompt_tokens == sum(a.prompt_tokens for a in answers)


def test_a_budget_is_never_exceeded_and_the_run_can_go_on(asker, tmp_path):
    with ChatServer(tmp_path) as server:
        bound = asker.model(server).cost_bound(request_for("abstract 0"))
        budget = bound * 3 / PICO
        for _ in range(2):
            with pytest.raises(RunError, match="exceed the budget"):
                asker.ask(server, 100, budget_usd=budget)
            assert asker.counts.spent_pico_usd <= bound * 3
        sent = len(server.calls)
        assert 0 < sent < 100
        assert len(asker.ask(server, 100, budget_usd=1.0)) == 100
        assert len(server.calls) == 100


def test_a_budget_without_prices_is_refused(asker, tmp_path):
    with ChatServer(tmp_path) as server:
        with pytest.raises(UserError, match="needs the model's prices"):
            asker.ask(server, 1, budget_usd=1.0, prices=None)
        assert server.calls == []


def test_leaving_early_writes_down_what_was_in_flight(asker, tmp_path):
    with ChatServer(tmp_path, latency=0.1) as server:
        with Ledger(asker.path) as ledger:
            asked = ask_all(
                asker.model(server, concurrency=4),
                questions_for(100),
                ledger,
                settings=AskSettings(run="r"),
            )
            next(asked)
            asked.close()
        sent = len(server.calls)
        assert sent < 30
        assert asker.counts.calls == {"done": sent}
        assert len(asker.ask(server, 100)) == 100
        assert len(server.calls) == 100


def test_a_stop_ends_the_asking_and_says_so(asker, tmp_path):
    stop = threading.Event()
    with ChatServer(tmp_path, latency=0.05) as server, Ledger(asker.path) as ledger:
        found = []
        with pytest.raises(RunError, match="was stopped"):
            for asked in ask_all(
                asker.model(server, concurrency=2),
                questions_for(200),
                ledger,
                settings=AskSettings(run="r"),
                stop=stop,
            ):
                found.append(asked)
                stop.set()
        assert 0 < len(found) == len(server.calls) < 200


def test_a_fault_of_the_caller_s_own_requests_comes_through(asker, tmp_path):
    def broken():
        yield from questions_for(2)
        raise UserError("slot 'x' is empty", hint="fill it")

    with (
        ChatServer(tmp_path) as server,
        Ledger(asker.path) as ledger,
        pytest.raises(UserError, match="slot 'x'"),
    ):
        list(ask_all(asker.model(server), broken(), ledger, settings=AskSettings(run="r")))


def test_a_failing_endpoint_never_hands_its_words_to_the_parser(asker, tmp_path):
    """lighteval passed the string "ERROR: ..." to its score parser after three failures."""
    with ChatServer(tmp_path, [error(500, "7 out of 10", times=0)]) as server:
        (answer,) = asker.ask(server, 1, on_unknown="record")
    parsed = parse_answer(answer, TextParser())
    assert (parsed.status, parsed.answer) == ("error", None)


def test_progress_adds_up(asker, tmp_path):
    seen = []
    with ChatServer(tmp_path, [{"match": "abstract 3", "body": {}}]) as server:
        asker.ask(server, ["abstract 0"])
        with Ledger(asker.path) as ledger:
            list(
                ask_all(
                    asker.model(server),
                    questions_for(5),
                    ledger,
                    settings=AskSettings(run="r"),
                    on_progress=seen.append,
                )
            )
    assert len(seen) == 5
    last = seen[-1]
    assert (last.made, last.reused, last.failed) == (4, 1, 1)
    assert last.cost_pico_usd > 0


def test_repeats_are_calls_of_their_own(asker, tmp_path):
    twice = [question("q", repeat=repeat) for repeat in (0, 1)]
    with ChatServer(tmp_path) as server, Ledger(asker.path) as ledger:
        list(ask_all(asker.model(server), twice, ledger, settings=AskSettings(run="r")))
        assert len(server.hits) == 2


def test_prices_are_exact(asker, tmp_path):
    with ChatServer(tmp_path) as server:
        price = asker.model(server, prices=PRICES).price
    assert price.cost(10, 1) == 12_000_000
