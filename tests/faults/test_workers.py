"""Fault catalogue 44: workers die while working, while idle, and over one row again and again."""

import json
import os
import signal
import subprocess
import time

import pytest
import tiny_recipe

from tests.doubles.chat_server import ChatServer
from tests.faults.runs import children_end, finish, output, start, tree
from tests.faults.test_ledger_damage import served
from tests.faults.test_locks import gated, wait_for
from tests.tiny_recipe import UNCHECKED


def workers(process):
    """Return the pids of a run's worker processes."""
    found = subprocess.run(
        ["pgrep", "-P", str(process.pid), "-f", "spawn_main"],
        capture_output=True,
        text=True,
        check=False,
    )
    return [int(pid) for pid in found.stdout.split()]


def wait_until(condition, process, seconds=120):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert process.poll() is None, "the run ended before it got there"
        assert time.monotonic() < end
        time.sleep(0.05)
    return found


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_44_a_worker_killed_while_it_works_is_replaced(tmp_path):
    file, entered, gate = gated(tmp_path)
    plain, killed = tmp_path / "plain", tmp_path / "killed"
    process = start(killed, "run", file, "--trust-local")
    wait_for(entered, process)
    pids = workers(process)
    assert pids
    entered.unlink()
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    # Its replacement takes the same task up from the beginning.
    wait_for(entered, process)
    gate.touch()
    finish(process, killed)
    assert children_end(process)
    finish(start(plain, "run", file, "--trust-local"), plain)
    assert tree(killed) == tree(plain)
    assert not list((killed / "artifacts").rglob("*.tmp"))


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_44_workers_killed_while_idle_cost_no_call(tmp_path):
    script = [{"match": "question", "delay": 3, "times": 1}]
    workspace = tmp_path / "workspace"
    with ChatServer(tmp_path, script) as server:
        file = served(tmp_path / "recipe", server.url)
        process = start(workspace, "run", file)
        # The corpus is made by then, and the coordinating process waits for the server.
        wait_until(lambda: len(server.calls) >= 1, process)
        pids = workers(process)
        assert pids
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        finish(process, workspace)
        assert len(server.calls) == 6
        assert set(server.hits.values()) == {1}
    assert children_end(process)


POISON = """
import os, signal

def poison(prediction, reference):
    os.kill(os.getpid(), signal.SIGKILL)

def harmless(prediction, reference):
    return 1.0
"""


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_44_a_task_that_kills_every_worker_is_named_and_the_rest_goes_on(tmp_path):
    metrics = [{"local": "mine.py:poison"}, {"local": "mine.py:harmless"}, "word_ratio"]
    recipe = tiny_recipe.data(
        generate={"split": "test", "models": ["first"]},
        metrics=metrics,
        execution={"workers": 2},
        validation=UNCHECKED,
    )
    file = tiny_recipe.write(tmp_path / "recipe", recipe)
    (tmp_path / "recipe" / "mine.py").write_text(POISON)
    workspace = tmp_path / "workspace"
    process = start(workspace, "run", file, "--trust-local")
    finish(process, workspace, code=3)
    assert children_end(process)
    said = output(workspace)
    assert "Traceback" not in said
    assert "a task killed every worker that took it" in said
    journal = json.loads(next(workspace.glob("runs/*/run.json")).read_text())
    outcomes = {name: step.get("outcome") for name, step in journal["steps"].items()}
    scores = {name: found for name, found in outcomes.items() if name.startswith("score/")}
    assert len(scores) == 3
    for name, outcome in scores.items():
        assert outcome == ("failed" if "poison" in name else "made"), (name, outcome)
        assert ("poison" not in name) or name in said, name
    assert outcomes["leaderboard"] is None
    assert journal["state"] == "failed"
    (tmp_path / "recipe" / "mine.py").write_text(
        POISON.replace("    os.kill(os.getpid(), signal.SIGKILL)", "    return 0.5")
    )
    finish(start(workspace, "run", file, "--trust-local"), workspace)
