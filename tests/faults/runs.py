"""Run the command as a person does, in a process that can be killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from toolkit.store.canonical import file_digest

ROOT = Path(__file__).resolve().parents[2]


def start(workspace, *arguments, **environment):
    """Start ``toolkit`` in a session of its own; output goes to a file in the workspace."""
    return wrapped(workspace, (), *arguments, **environment)


def finish(process, workspace, code=0):
    """Wait for a run and check how it ended."""
    found = process.wait(timeout=280)
    assert found == code, (workspace / "output.txt").read_text()[-3000:]


def kill(process, seconds):
    """Kill the coordinating process alone after a while, as the kernel would.

    Returns:
        Whether it was still running.
    """
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        return True
    return False


def tree(workspace):
    """Return the digest of every file of every artifact."""
    root = workspace / "artifacts"
    return {
        path.relative_to(root).as_posix(): file_digest(path)
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def children_end(process, seconds=20):
    """Return whether every process of the run's session ends by itself."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = subprocess.run(
            ["pgrep", "-s", str(process.pid)], capture_output=True, text=True, check=False
        )
        if not found.stdout.strip():
            return True
        time.sleep(0.2)
    return False


def run_here(file, workspace, scheduler="local", *, until=None, overrides=(), trust_local=False):
    """Run a recipe in this process, on workers that are there already."""
    from toolkit.execute import run_recipe
    from toolkit.recipe.load import load_recipe

    given = (*overrides, f"execution.scheduler={scheduler}")
    recipe = load_recipe(file, overrides=given, trust_local=trust_local)
    return run_recipe(recipe, workspace=workspace, until=until)


def output(workspace):
    """Return what the commands of a workspace have printed."""
    return (workspace / "output.txt").read_text(encoding="utf-8")


def wrapped(workspace, prefix, *arguments, **environment):
    """Start ``toolkit`` under another program, e.g. ``strace`` or ``setpriv``."""
    workspace.mkdir(parents=True, exist_ok=True)
    with (workspace / "output.txt").open("ab") as output:
        return subprocess.Popen(
            [
                *map(str, prefix),
                *(sys.executable, "-m", "toolkit", "--workspace", str(workspace)),
                *map(str, arguments),
            ],
            cwd=ROOT,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
