"""kill -9 at random moments and at each write of the ledger, with a server that outlives it.

The server writes down every call before it answers, so what was sent, how often, and what it
cost is known from outside.
"""

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.doubles.chat_server import ChatServer, good_reply

ROOT = Path(__file__).parents[2]
COUNT = 60


def start(url, folder, output, count=COUNT, under=()):
    process = subprocess.Popen(
        [
            *(*under, sys.executable, "tests/ask/asker_process.py"),
            *(url, str(folder), str(count), str(output)),
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
    )
    if not under:
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


def check_paid(server, folder, count=COUNT):
    """Every repeat the server saw is a call that the ledger calls unknown, and none is lost."""
    table, states = calls_in(folder / "ledger.sqlite")
    assert states == [("done",)]
    assert set(table) == set(server.hits)
    assert len(table) == count
    unknown = unseen = 0
    for key, outcomes in table.items():
        assert outcomes["done"] == 1
        assert not {"sent", "failed"} & set(outcomes)
        sent = 1 + outcomes.get("unknown", 0)
        assert 1 <= server.hits[key] <= sent
        unknown += outcomes.get("unknown", 0)
        # Killed after the claim was written and before the request reached the server.
        unseen += sent - server.hits[key]
    repeats = len(server.calls) - count
    assert repeats == unknown - unseen
    check_money(server, folder)
    return repeats


def check_money(server, folder):
    """Tokens and money of finished calls are the server's to the last; the others are bounds."""
    bills = {}
    total = 0
    for call in server.calls:
        usage = good_reply(call["body"])["usage"]
        # A dollar a million tokens, read or written.
        bills[call["key"]] = usage["total_tokens"] * 10**6
        total += bills[call["key"]]
    connection = sqlite3.connect(folder / "ledger.sqlite")
    paid = dict(connection.execute("SELECT key, cost_pico_usd FROM calls WHERE outcome = 'done'"))
    tokens, spent, booked = connection.execute(
        "SELECT (SELECT SUM(prompt_tokens + completion_tokens) FROM calls),"
        " (SELECT SUM(COALESCE(cost_pico_usd, reserved_pico_usd)) FROM calls),"
        " (SELECT SUM(pico_usd) FROM spending)"
    ).fetchone()
    feared = connection.execute(
        "SELECT COALESCE(SUM(reserved_pico_usd), 0) FROM calls WHERE outcome = 'unknown'"
    ).fetchone()[0]
    connection.close()
    assert paid == bills
    assert tokens * 10**6 == sum(bills.values())
    assert spent == booked == sum(bills.values()) + feared
    assert total <= spent


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
def test_thirty_kills(tmp_path):
    assert kill_and_resume(tmp_path, kills=30, seed=2) > 0


def strace(call, number):
    """Return the command that kills a process whose thread makes its ``number``-th such call."""
    return [
        *("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}"),
        *("-e", f"inject={call}:signal=KILL:when={number}"),
    ]


def may_trace():
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed; apt-get install strace brings it")
    probe = [*strace("pwrite64", 10**4), "true"]
    done = subprocess.run(probe, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"strace is refused here: {done.stderr.strip()[-200:]}")


def killed_at_each(tmp_path, call, most, step=1):
    """Kill at the first such call, then ``step`` later, and so on until none is left to reach.

    Each process goes on with the ledger that the one before left, and has a new question; only
    the ledger's thread makes such calls, apart from the making of a new file. Returns how many
    were killed.
    """
    may_trace()
    with ChatServer(tmp_path) as server:
        output = tmp_path / "out.json"
        finish(start(server.url, tmp_path, output, count=1))
        for kills, number in enumerate(range(1, most, step)):
            count = kills + 2
            process = start(server.url, tmp_path, output, count, strace(call, number))
            code = process.wait(60)
            process.stdout.close()
            if code == 0:
                break
            assert code in (-signal.SIGKILL, 128 + signal.SIGKILL)
        finish(start(server.url, tmp_path, output, count))
        check_paid(server, tmp_path, count)
        assert len(json.loads(output.read_text())) == count
    assert code == 0, "there are more writes than kills"
    return kills


def test_killed_at_each_sync_of_the_ledger(tmp_path):
    # The opening, the claims, the replies and the closing each have some.
    assert killed_at_each(tmp_path, "fdatasync", most=30) >= 6


@pytest.mark.slow
def test_killed_at_writes_of_the_ledger(tmp_path):
    # Each takes a process of its own: every one of them with HYPOTHESIS_PROFILE=deep.
    step = 1 if os.environ.get("HYPOTHESIS_PROFILE") == "deep" else 5
    assert killed_at_each(tmp_path, "pwrite64", most=200, step=step) >= 30 // step


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2, 7, 20, 45, 70])
def test_killed_while_a_ledger_is_made(tmp_path, number):
    may_trace()
    with ChatServer(tmp_path) as server:
        process = start(server.url, tmp_path, tmp_path / "out.json", 3, strace("pwrite64", number))
        assert process.wait(60) in (-signal.SIGKILL, 128 + signal.SIGKILL)
        process.stdout.close()
        finish(start(server.url, tmp_path, tmp_path / "out.json", 3))
        check_paid(server, tmp_path, 3)


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
    with ChatServer(tmp_path, latency=0.3) as server:
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
