"""Batches against a real server that loses, repeats and mixes things up."""

import asyncio
import json
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.ask.asking import PRICES, FakeClock, answer_of, questions_for
from tests.doubles.batch_server import BatchServer
from toolkit.ask.batch.engine import BatchLimits, ask_batch
from toolkit.ask.dialogue import Dialogue, Stage
from toolkit.ask.engine import AskSettings
from toolkit.ask.parser import make_parser
from toolkit.errors import RunError, Stopped, UserError
from toolkit.models.base import ModelRequest
from toolkit.models.openai_compatible import OpenAICompatible, OpenAICompatibleParams
from toolkit.store.ledger import Ledger

ROOT = Path(__file__).parents[2]


def model(url, folder, **params):
    values = {"model": "m", "max_tokens": 100, "base_url": url, "prices": PRICES,
              "execution": "batch", **params}  # fmt: skip
    return OpenAICompatible(OpenAICompatibleParams(**values), folder)


class StoppingClock(FakeClock):
    """Stops the asking as soon as it waits."""

    def __init__(self):
        super().__init__()
        self.stop = threading.Event()

    async def sleep(self, seconds):
        self.stop.set()
        await super().sleep(seconds)


class SomeClock(FakeClock):
    """Its waits take a hundredth of their time: others get a turn."""

    async def sleep(self, seconds):
        await super().sleep(seconds)
        await asyncio.sleep(seconds / 100)


def ask(
    server, folder, dialogues, *, stop=None, budget_usd=None, clock=None, limits=None, **params
):
    settings = AskSettings(run="run", clock=clock or FakeClock(), budget_usd=budget_usd)
    with Ledger(folder / "ledger.sqlite") as ledger:
        found = list(
            ask_batch(
                model(server.url, folder, **params),
                dialogues,
                ledger,
                settings=settings,
                stop=stop,
                limits=limits or BatchLimits(),
            )
        )
    return sorted(found, key=lambda asked: asked.index)


def texts(found):
    return [answer_of(asked).answer for asked in found]


def counts(folder):
    with Ledger(folder / "ledger.sqlite") as ledger:
        return ledger.counts()


def test_every_dialogue_gets_its_own_answer_whatever_the_order_of_lines(tmp_path):
    with BatchServer(tmp_path, [{"shuffle": True}]) as server:
        found = ask(server, tmp_path, questions_for(6))
        assert len(set(texts(found))) == 6
        again = ask(server, tmp_path, questions_for(6))
        assert texts(again) == texts(found)
        assert all(asked.reused for asked in again)
        assert len(server.created) == 1
    plain = tmp_path / "other"
    plain.mkdir()
    with BatchServer(plain) as server:
        assert texts(ask(server, plain, questions_for(6))) == texts(found)


def test_the_bill_is_half_of_the_interactive_one(tmp_path):
    with BatchServer(tmp_path) as server:
        found = ask(server, tmp_path, questions_for(4))
    spent = counts(tmp_path).spent_pico_usd
    full = sum(
        answer_of(asked).prompt_tokens * 1_000_000 + answer_of(asked).completion_tokens * 2_000_000
        for asked in found
    )
    assert spent == full // 2


def test_the_finished_part_of_an_expired_batch_is_kept_and_the_rest_sent_again(tmp_path):
    rules = [{"status": "expired", "done": 3, "shuffle": True}, {}]
    with BatchServer(tmp_path, rules) as server:
        found = ask(server, tmp_path, questions_for(5))
        assert [len(ids) for ids in server.created] == [5, 2]
    assert len(set(texts(found))) == 5
    assert counts(tmp_path).calls == {"done": 5, "not_processed": 2}


def test_an_error_line_is_an_error_row(tmp_path):
    rules = [{"errors": {"3": ["server_error", "out of memory"]}}]
    with BatchServer(tmp_path, rules) as server:
        found = ask(server, tmp_path, questions_for(4))
        assert [answer_of(asked).status for asked in found] == ["ok", "ok", "ok", "error"]
        assert "out of memory" in answer_of(found[3]).reason
        again = ask(server, tmp_path, questions_for(4))
        assert answer_of(again[3]) == answer_of(found[3])
        assert len(server.created) == 1


def test_two_lines_for_one_request_are_no_answer(tmp_path):
    with BatchServer(tmp_path, [{"twice": True}]) as server:
        found = ask(server, tmp_path, questions_for(3))
    statuses = Counter(answer_of(asked).status for asked in found)
    assert statuses == {"ok": 2, "error": 1}
    wrong = next(asked for asked in found if answer_of(asked).status == "error")
    assert "twice" in answer_of(wrong).reason


@pytest.mark.parametrize("rule", [{"missing": 2}, {"swap": True}])
def test_requests_without_a_line_are_of_unknown_outcome(tmp_path, rule):
    with BatchServer(tmp_path, [rule]) as server:
        with pytest.raises(RunError, match="no line for it"):
            ask(server, tmp_path, questions_for(4), max_unknown_retries=0)
        assert counts(tmp_path).calls == {"done": 2, "unknown": 2}
        recorded = ask(
            server, tmp_path, questions_for(4), max_unknown_retries=0, on_unknown="record"
        )
    assert Counter(answer_of(asked).status for asked in recorded)["ok"] >= 2


def test_a_refused_batch_stops_with_the_server_s_words_and_costs_nothing(tmp_path):
    rules = [{"status": "failed", "faults": ["invalid_model", "no such model 'm'"]}]
    with (
        BatchServer(tmp_path, rules) as server,
        pytest.raises(UserError, match="no such model 'm'"),
    ):
        ask(server, tmp_path, questions_for(2))
    assert counts(tmp_path).calls == {"not_processed": 2}
    assert counts(tmp_path).spent_pico_usd == 0


def test_a_full_queue_is_waited_for_with_smaller_batches(tmp_path):
    rules = [{"status": "failed", "faults": ["token_limit_exceeded", "too many queued"]}] * 5
    clock = FakeClock()
    with BatchServer(tmp_path, [*rules, {}]) as server:
        assert len(set(texts(ask(server, tmp_path, questions_for(8), clock=clock)))) == 8
        assert [len(ids) for ids in server.created] == [8, 4, 4, 2, 2, 2, 2, 2, 2]
    assert counts(tmp_path).calls == {"done": 8, "not_processed": 8 + 8 + 2 * 2}
    assert sum(clock.waits) >= 2 + 4


def test_a_queue_that_stays_full_ends_the_asking(tmp_path):
    rules = [{"status": "failed", "faults": ["token_limit_exceeded", "too many queued"]}]
    limits = BatchLimits(patience_s=20)
    with BatchServer(tmp_path, rules) as server, pytest.raises(RunError, match="batch failed"):
        ask(server, tmp_path, questions_for(1), limits=limits)
    assert set(counts(tmp_path).calls) == {"not_processed"}
    assert counts(tmp_path).spent_pico_usd == 0


def test_b6_the_rest_of_an_expired_batch_among_several_shifts_no_row(tmp_path):
    """Batch (0, 1) ends out of order, (2, 3) expires with 2 done and 3 in the error file."""
    nothing = {"status": "expired", "done": 0}
    rules = [{"shuffle": True}, {"status": "expired", "done": 1}, nothing, nothing, {}]
    plain = tmp_path / "plain"
    plain.mkdir()
    with BatchServer(plain) as server:
        expected = texts(ask(server, plain, questions_for(4)))
    found = []
    with BatchServer(tmp_path, rules) as server, Ledger(tmp_path / "ledger.sqlite") as ledger:
        asking = ask_batch(
            model(server.url, tmp_path),
            questions_for(4),
            ledger,
            settings=AskSettings(run="run", clock=FakeClock()),
            limits=BatchLimits(requests=2),
        )
        with pytest.raises(RunError, match="1 requests have no answer: batch_expired"):
            found.extend((asked.index, answer_of(asked).answer) for asked in asking)
        sent = server.created
        settings = AskSettings(run="run", clock=FakeClock())
        asker = model(server.url, tmp_path)
        again = list(ask_batch(asker, questions_for(4), ledger, settings=settings))
        assert server.created == [*sent, sent[-1]]
    assert texts(sorted(again, key=lambda asked: asked.index)) == expected
    assert sorted(found) == list(enumerate(expected[:3]))
    # The rest alone is sent again, twice in the same run.
    assert [len(ids) for ids in sent] == [2, 2, 1, 1]
    last = sent[1][1]
    assert sent[2:] == [[last], [last]]


@pytest.mark.parametrize(
    "line",
    ['{"custom_id": 5}', '["custom_id"]', '{"custom_id": "x", "response": "no"}', "{", "null"],
)
def test_a_line_that_is_none_harms_no_other(tmp_path, line):
    with BatchServer(tmp_path, [{"lines": [line]}]) as server:
        assert len(set(texts(ask(server, tmp_path, questions_for(3))))) == 3


def test_files_keep_to_the_limits(tmp_path):
    with BatchServer(tmp_path) as server:
        found = ask(server, tmp_path, questions_for(7), limits=BatchLimits(requests=3))
        assert [len(ids) for ids in server.created] == [3, 3, 1]
    assert len(set(texts(found))) == 7


def test_bytes_of_a_file_are_limited(tmp_path):
    with BatchServer(tmp_path) as server:
        ask(server, tmp_path, questions_for(4), limits=BatchLimits(size=900))
        inputs = {json.loads(file.read_text())["input_file_id"]
                  for file in server.folder.glob("batch_*.json")}  # fmt: skip
        sizes = [(server.folder / name).stat().st_size for name in inputs]
    assert len(sizes) > 1
    assert max(sizes) <= 900


def test_the_bill_is_what_the_server_counts(tmp_path):
    rules = [{"status": "expired", "done": 2}, {}]
    with BatchServer(tmp_path, rules) as server:
        ask(server, tmp_path, questions_for(6))
        read, written = server.billed
    assert counts(tmp_path).spent_pico_usd == (read * 1_000_000 + written * 2_000_000) // 2


def test_a_reader_that_leaves_early_leaves_the_batch_to_the_next(tmp_path):
    with BatchServer(tmp_path) as server, Ledger(tmp_path / "ledger.sqlite") as ledger:
        settings = AskSettings(run="run", clock=FakeClock())
        limits = BatchLimits(requests=1)
        asker = model(server.url, tmp_path)
        asking = ask_batch(asker, questions_for(3), ledger, settings=settings, limits=limits)
        next(asking)
        asking.close()
        # The same ledger, still open: nobody waits for ever, nothing is made twice.
        found = list(ask_batch(asker, questions_for(3), ledger, settings=settings))
        assert [len(ids) for ids in server.created] == [1, 1, 1]
    assert len(set(texts(found))) == 3


def test_changed_sampling_still_reads_what_was_paid(tmp_path):
    clock = StoppingClock()
    with BatchServer(tmp_path, [{"polls": 2}]) as server:
        with pytest.raises(Stopped):
            ask(server, tmp_path, questions_for(2), stop=clock.stop, clock=clock)
        ask(server, tmp_path, questions_for(2), on_unknown="record")
        assert len(server.created) == 1


def test_a_stop_leaves_the_batch_and_the_next_run_picks_it_up(tmp_path):
    clock = StoppingClock()
    with BatchServer(tmp_path, [{"polls": 3}]) as server:
        with pytest.raises(Stopped):
            ask(server, tmp_path, questions_for(3), stop=clock.stop, clock=clock)
        assert len(server.created) == 1
        assert counts(tmp_path).calls == {"unknown": 3}
        found = ask(server, tmp_path, questions_for(3))
        assert len(server.created) == 1
    assert len(set(texts(found))) == 3
    assert counts(tmp_path).calls == {"done": 3}
    assert not list(tmp_path.glob("ledger.sqlite.batches/*"))


def test_a_batch_whose_creation_was_not_answered_is_found_and_not_made_twice(tmp_path):
    with BatchServer(tmp_path, [{"silent": True}]) as server:
        found = ask(server, tmp_path, questions_for(3))
        assert len(server.created) == 1
    assert len(set(texts(found))) == 3


def test_the_same_question_twice_is_one_line(tmp_path):
    with BatchServer(tmp_path) as server:
        found = ask(server, tmp_path, questions_for(["same", "same", "other"]))
        assert [len(ids) for ids in server.created] == [2]
    assert texts(found)[0] == texts(found)[1] != texts(found)[2]


def test_a_dialogue_goes_on_in_the_next_batch(tmp_path):
    def talk(number):
        stage = Stage(
            "answer",
            lambda answers: [("user", f"rate {number}")],
            make_parser({"number": {"range": [1, 5]}}),
            reask=1,
        )
        return Dialogue(ModelRequest(str(number), 0), [stage])

    rules = [{"texts": ["3", "nine"]}, {"texts": ["4"]}]
    with BatchServer(tmp_path, rules) as server:
        found = ask(server, tmp_path, [talk(0), talk(1)])
        assert [len(ids) for ids in server.created] == [2, 1]
    assert sorted(texts(found)) == ["3", "4"]


def test_a_refusal_is_asked_again_in_the_next_batch(tmp_path):
    rules = [{"refusals": [0, 2]}, {"refusals": [1]}, {}]
    with BatchServer(tmp_path, rules) as server:
        found = ask(server, tmp_path, questions_for(3), refusal_retries=5)
        assert [len(ids) for ids in server.created] == [3, 2, 1]
        assert [answer_of(asked).status for asked in found] == ["ok"] * 3
        assert [asked.reused for asked in found] == [False] * 3
        again = ask(server, tmp_path, questions_for(3), refusal_retries=5)
        assert texts(again) == texts(found)
        assert len(server.created) == 3
    assert counts(tmp_path).calls == {"done": 6}


@pytest.mark.parametrize("retries", [0, 1, 3])
def test_a_refusal_is_the_answer_only_after_all_retries(tmp_path, retries):
    with BatchServer(tmp_path, [{"refusals": [0]}]) as server:
        (asked,) = ask(server, tmp_path, questions_for(1), refusal_retries=retries)
        assert answer_of(asked).status == "refused"
        assert len(server.created) == 1 + retries
        (again,) = ask(server, tmp_path, questions_for(1), refusal_retries=retries)
        assert answer_of(again) == answer_of(asked)
        assert again.reused
        assert len(server.created) == 1 + retries


def test_refusals_in_batches_count_over_runs(tmp_path):
    clock = StoppingClock()
    rules = [{"refusals": [0], "polls": 0}, {"refusals": [0]}]
    with BatchServer(tmp_path, rules) as server:
        with pytest.raises(Stopped):
            ask(server, tmp_path, questions_for(1), refusal_retries=2, clock=clock, stop=clock.stop)
        (asked,) = ask(server, tmp_path, questions_for(1), refusal_retries=2)
        assert answer_of(asked).status == "refused"
        assert len(server.created) == 3
    assert counts(tmp_path).calls == {"done": 3}


def test_the_budget_is_kept_before_anything_is_sent(tmp_path):
    with BatchServer(tmp_path) as server:
        with pytest.raises(RunError, match="budget"):
            ask(server, tmp_path, questions_for(3), budget_usd=1e-9)
        assert server.created == []


def test_two_steps_that_ask_the_same_share_one_call(tmp_path):
    """One waits for the batch of the other; neither takes the other's note for an orphan."""
    from concurrent.futures import ThreadPoolExecutor

    with (
        BatchServer(tmp_path, [{"polls": 5}]) as server,
        Ledger(tmp_path / "ledger.sqlite") as ledger,
    ):

        def step(temperature):
            settings = AskSettings(run="run", clock=SomeClock())
            asker = model(server.url, tmp_path)
            questions = questions_for(["same", f"own {temperature}"])
            return list(ask_batch(asker, questions, ledger, settings=settings))

        with ThreadPoolExecutor(2) as pool:
            found = list(pool.map(step, range(2)))
        sent = Counter(key for batch in server.created for key in batch)
    assert set(sent.values()) == {1}
    assert len(sent) == 3
    assert [len(one) for one in found] == [2, 2]


KILLED = """
import sys; sys.path.insert(0, {root!r})
from pathlib import Path
from tests.ask.test_batch import ask, questions_for
class Server: url = {url!r}
ask(Server, Path({folder!r}), questions_for(5))
"""


def child_asks(server, folder):
    script = KILLED.format(root=str(ROOT), url=server.url, folder=str(folder))
    return subprocess.Popen([sys.executable, "-c", script])


def wait_for(child, happened):
    while not happened():
        assert child.poll() is None
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    child.wait()


def states(folder):
    notes = folder.glob("ledger.sqlite.batches/*.json")
    return [json.loads(note.read_text())["state"] for note in notes]


@pytest.mark.parametrize("moment", ["made, not answered", "waited for"])
def test_kill_9_submits_nothing_twice(tmp_path, moment):
    """B7: killed once the server has made the batch, or while it is waited for."""
    rules = [{"hold": True, "delay": 60 if moment == "made, not answered" else 0}]
    with BatchServer(tmp_path, rules) as server:
        child = child_asks(server, tmp_path)
        if moment == "waited for":
            wait_for(child, lambda: "submitted" in states(tmp_path))
        else:
            wait_for(child, lambda: server.created)
            assert states(tmp_path) == ["uploaded"]
        (server.folder / "go").touch()
        found = ask(server, tmp_path, questions_for(5))
        assert len(server.created) == 1
    assert len(set(texts(found))) == 5
    assert counts(tmp_path).calls == {"done": 5}
    assert states(tmp_path) == []


def test_kill_9_before_anything_was_made_sends_once(tmp_path):
    with BatchServer(tmp_path, [{"hold": True}]) as server:
        child = child_asks(server, tmp_path)
        wait_for(child, lambda: states(tmp_path))
        (server.folder / "go").touch()
        found = ask(server, tmp_path, questions_for(5))
        ids = Counter(key for batch in server.created for key in batch)
    assert len(set(texts(found))) == 5
    assert set(ids.values()) == {1}
    assert counts(tmp_path).calls["done"] == 5
