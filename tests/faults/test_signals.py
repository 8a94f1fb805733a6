"""Fault catalogue 22: interrupted, a run stops cleanly and goes on later."""

import signal
import time

import pytest
import tiny_recipe

from tests.faults.runs import children_end, finish, start


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_run_with_its_code(tmp_path, number, code):
    file = tiny_recipe.write(tmp_path / "recipe")
    workspace = tmp_path / "workspace"
    process = start(workspace, "run", file)
    while not list(workspace.glob("runs/*/run.json")):
        time.sleep(0.05)
    process.send_signal(number)
    finish(process, workspace, code)
    assert children_end(process)
    assert "Traceback" not in (workspace / "output.txt").read_text()
    assert not list(workspace.rglob("*.tmp"))
    finish(start(workspace, "run", file), workspace)
