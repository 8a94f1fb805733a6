"""Fault catalogue 21, 23, 30: killed at any moment, no request stands in two batches."""

import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.ask.test_batch import BatchLimits, SomeClock, ask, counts, questions_for, texts
from tests.doubles.batch_server import BatchServer

ROOT = Path(__file__).parents[2]
QUESTIONS = 10
RULES = [{"polls": 2, "upload": 0.1, "delay": 0.1, "shuffle": True}]
CHILD = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from tests.faults.test_batch_kill import ask_here
print("ready", flush=True)
ask_here(sys.argv[1], Path(sys.argv[2]))
"""


class Address:
    """Where the server of another process listens."""

    def __init__(self, url):
        self.url = url


def ask_here(url, folder):
    return ask(
        Address(url),
        folder,
        questions_for(QUESTIONS),
        clock=SomeClock(),
        limits=BatchLimits(requests=4),
    )


def kill_after(server, folder, seconds):
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, server.url, str(folder)], stdout=subprocess.PIPE
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        child.kill()
    killed = child.wait() != 0
    child.stdout.close()
    return killed


def killed_and_finished(folder, moments):
    """Kill an asking at these moments, then let one finish; return what must hold of it.

    Returns:
        How many processes were killed, and how often each request stood in a batch.
    """
    with BatchServer(folder, RULES) as server:
        killed = sum(kill_after(server, folder, moment) for moment in moments)
        found = ask_here(server.url, folder)
        sent = Counter(key for batch in server.created for key in batch)
        read, written = server.billed
        batches = len(server.created)
        again = ask_here(server.url, folder)
        assert len(server.created) == batches
    assert len(set(texts(found))) == QUESTIONS
    assert texts(again) == texts(found)
    after = counts(folder)
    assert after.calls["done"] == QUESTIONS
    assert set(after.calls) <= {"done", "not_processed"}
    assert after.spent_pico_usd == (read * 1_000_000 + written * 2_000_000) // 2
    assert not list(folder.glob("ledger.sqlite.batches/*"))
    return killed, sent


def test_kills_at_a_few_moments(tmp_path):
    killed, sent = killed_and_finished(tmp_path, [0.05, 0.25, 0.5])
    assert killed > 0
    assert (len(sent), set(sent.values())) == (QUESTIONS, {1})


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_thirty_kills_at_random_moments(tmp_path):
    chance = random.Random(30)
    for number in range(6):
        folder = tmp_path / str(number)
        folder.mkdir()
        moments = [chance.uniform(0.0, 0.9) for _ in range(5)]
        killed, sent = killed_and_finished(folder, moments)
        assert killed > 0
        assert (len(sent), set(sent.values())) == (QUESTIONS, {1})
