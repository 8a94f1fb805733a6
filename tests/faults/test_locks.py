"""Fault catalogue 32: one process at a time in a run; the lock of a dead one is no obstacle."""

import json
import os
import signal
import time

import pytest
import tiny_recipe

from tests.faults.runs import children_end, finish, output, run_here, start, tree
from tests.tiny_recipe import UNCHECKED

GATED = """
import time
from pathlib import Path

def patient(prediction, reference):
    Path({entered!r}).touch()
    while not Path({gate!r}).exists():
        time.sleep(0.05)
    return 1.0
"""


def gated(tmp_path):
    """Write a recipe whose metric waits for a file; return (recipe, entered, gate)."""
    entered, gate = tmp_path / "entered", tmp_path / "gate"
    recipe = tiny_recipe.data(metrics=[{"local": "wait.py:patient"}], validation=UNCHECKED)
    file = tiny_recipe.write(tmp_path / "recipe", recipe)
    text = GATED.format(entered=str(entered), gate=str(gate))
    (tmp_path / "recipe" / "wait.py").write_text(text)
    return file, entered, gate


def wait_for(path, process, seconds=120):
    end = time.monotonic() + seconds
    while not path.exists():
        assert process.poll() is None, "the run ended before it got there"
        assert time.monotonic() < end, f"{path} never came"
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_32_a_second_process_is_refused_and_a_dead_one_is_no_obstacle(tmp_path):
    file, entered, gate = gated(tmp_path)
    workspace = tmp_path / "workspace"
    first = start(workspace, "run", file, "--trust-local")
    wait_for(entered, first)
    # A second one leaves its own words in its own file, not in the first one's.
    second = start(tmp_path / "second", "--workspace", workspace, "run", file, "--trust-local")
    finish(second, tmp_path / "second", code=2)
    said = output(tmp_path / "second")
    assert f"is in use by process {first.pid} on " in said
    assert "Traceback" not in said
    first.send_signal(signal.SIGKILL)
    first.wait()
    owners = [json.loads(path.read_text()) for path in (workspace / "locks").glob("run-*.owner")]
    assert [owner["pid"] for owner in owners] == [first.pid], "the dead one's name is still there"
    gate.touch()
    third = start(workspace, "run", file, "--trust-local")
    finish(third, workspace)
    assert children_end(first)
    assert children_end(third)
    assert not list((workspace / "locks").glob("*.owner"))
    assert not list((workspace / "artifacts").rglob("*.tmp"))


@pytest.mark.timeout(60)
def test_32_the_pid_of_a_stale_lock_may_belong_to_another_program_by_now(tmp_path, scheduler):
    file = tiny_recipe.write(tmp_path / "recipe", tiny_recipe.data(validation=UNCHECKED))
    plain, stale = tmp_path / "plain", tmp_path / "stale"
    result = run_here(file, plain, scheduler, until="splits")
    lock = stale / "locks" / f"run-{result.folder.name}.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    # This very process lives and has the pid, but does not hold the lock.
    lock.with_suffix(".owner").write_text(json.dumps({"pid": os.getpid(), "host": "here"}))
    run_here(file, stale, scheduler, until="splits")
    assert tree(stale) == tree(plain)
