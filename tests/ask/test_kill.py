"""kill -9 at random moments, with a server that outlives the kill and counts calls."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.doubles.chat_server import ChatServer

ROOT = Path(__file__).parents[2]
COUNT = 60


def start(url, folder, output):
    process = subprocess.Popen(
        [sys.executable, "tests/ask/asker_process.py", url, str(folder), str(COUNT), str(output)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
    )
    assert process.stdout.readline() == b"ready\n"
    return process


def finish(process, code=0):
    assert process.wait(60) == code
    process.stdout.close()


def calls_in(path):
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT key, outcome, COUNT(*) FROM calls GROUP BY 1, 2").fetchall()
    states = connection.execute("SELECT DISTINCT state FROM requests").fetchall()
    connection.close()
    table = {}
    for key, outcome, count in rows:
        table.setdefault(key, {})[outcome] = count
    return table, states


def check_paid(server, folder):
    """Every repeat the server saw is a call that the ledger calls unknown, and none is lost."""
    table, states = calls_in(folder / "ledger.sqlite")
    assert states == [("done",)]
    assert set(table) == set(server.hits)
    assert len(table) == COUNT
    unknown = unseen = 0
    for key, outcomes in table.items():
        assert outcomes["done"] == 1
        assert not {"sent", "failed"} & set(outcomes)
        sent = 1 + outcomes.get("unknown", 0)
        assert 1 <= server.hits[key] <= sent
        unknown += outcomes.get("unknown", 0)
        # Killed after the claim was written and before the request reached the server.
        unseen += sent - server.hits[key]
    repeats = len(server.calls) - COUNT
    assert repeats == unknown - unseen
    return repeats


def kill_and_resume(tmp_path, kills, seed):
    chance = random.Random(seed)
    undisturbed = tmp_path / "undisturbed"
    undisturbed.mkdir()
    with ChatServer(undisturbed) as server:
        finish(start(server.url, undisturbed, undisturbed / "out.json"))
    with ChatServer(tmp_path, latency=0.08) as server:
        done = 0
        for _ in range(kills):
            process = start(server.url, tmp_path, tmp_path / "out.json")
            time.sleep(chance.uniform(0.0, 0.6))
            process.send_signal(signal.SIGKILL)
            done += process.wait() == -signal.SIGKILL
            process.stdout.close()
        finish(start(server.url, tmp_path, tmp_path / "out.json"))
        repeats = check_paid(server, tmp_path)
        before = len(server.calls)
        finish(start(server.url, tmp_path, tmp_path / "out.json"))
        assert len(server.calls) == before
    assert done > 0
    assert (tmp_path / "out.json").read_text() == (undisturbed / "out.json").read_text()
    return repeats


def test_killed_runs_repeat_only_what_the_ledger_calls_unknown(tmp_path):
    repeats = kill_and_resume(tmp_path, kills=3, seed=1)
    # At most eight are in flight at a kill: what the model of asker_process.py allows at once.
    assert repeats <= 3 * 8


@pytest.mark.slow
def test_twenty_kills(tmp_path):
    assert kill_and_resume(tmp_path, kills=20, seed=2) > 0


def test_two_processes_at_once_send_each_request_once(tmp_path):
    with ChatServer(tmp_path, latency=0.03) as server:
        pair = [start(server.url, tmp_path, tmp_path / f"{name}.json") for name in "ab"]
        for process in pair:
            finish(process)
        assert set(server.hits.values()) == {1}
        assert len(server.calls) == COUNT
    one, two = (json.loads((tmp_path / f"{name}.json").read_text()) for name in "ab")
    assert one == two
    assert len(one) == COUNT


def test_a_process_that_dies_leaves_its_work_to_the_other(tmp_path):
    with ChatServer(tmp_path, latency=0.1) as server:
        dying = start(server.url, tmp_path, tmp_path / "a.json")
        other = start(server.url, tmp_path, tmp_path / "b.json")
        while len(server.calls) < 10:
            time.sleep(0.02)
        dying.kill()
        dying.wait()
        dying.stdout.close()
        finish(other)
        check_paid(server, tmp_path)
    assert len(json.loads((tmp_path / "b.json").read_text())) == COUNT


def test_interrupting_lets_calls_in_flight_end(tmp_path):
    with ChatServer(tmp_path, latency=0.2) as server:
        process = start(server.url, tmp_path, tmp_path / "out.json")
        while len(server.calls) < 5:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        process.wait(30)
        process.stdout.close()
        table, _ = calls_in(tmp_path / "ledger.sqlite")
        assert {outcome for outcomes in table.values() for outcome in outcomes} == {"done"}
        assert len(server.calls) == len(table) < COUNT
        finish(start(server.url, tmp_path, tmp_path / "out.json"))
        assert len(server.calls) == COUNT
