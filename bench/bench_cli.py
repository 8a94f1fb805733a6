"""Measure what the commands that must answer at once cost, in CPU seconds.

::

    python bench/bench_cli.py [--repeats 7]

Each measurement is a process of its own: user and system time of all its threads. The commands
take turns and the median stands, so that a busy machine disturbs all alike. A bare interpreter is
measured beside them: what is above it is ours. ``check`` and ``plan`` read the shipped quickstart
with nothing built.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECIPE = str(ROOT / "recipes" / "quickstart.yaml")

TOOLKIT = [sys.executable, "-m", "toolkit"]
COMMANDS: dict[str, tuple[list[str], float | None]] = {
    "python -c pass": ([sys.executable, "-c", "pass"], None),
    "toolkit --help": ([*TOOLKIT, "--help"], 0.3),
    "toolkit check": ([*TOOLKIT, "check", RECIPE], 1.0),
    "toolkit plan": ([*TOOLKIT, "plan", RECIPE], 1.0),
}
"""What is run, and the CPU seconds it should stay under."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=7)
    repeats = parser.parse_args().repeats
    seconds: dict[str, list[float]] = {name: [] for name in COMMANDS}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(repeats + 1):
            for name, (command, _) in COMMANDS.items():
                used = cpu_seconds(command, folder)
                # The first turn writes bytecode and fills the disk cache.
                if turn:
                    seconds[name].append(used)
    print(f"{'command':18} {'median':>7} {'least':>7} {'bar':>5}   CPU seconds of {repeats} runs")
    for name, (_, bar) in COMMANDS.items():
        shown = "" if bar is None else f"{bar:.1f}"
        median = statistics.median(seconds[name])
        print(f"{name:18} {median:7.3f} {min(seconds[name]):7.3f} {shown:>5}")


def cpu_seconds(command: list[str], folder: str) -> float:
    """Run a command to its end; return its user and system time.

    Raises:
        RuntimeError: it failed.
    """
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TOOLKIT_WORKSPACE": str(Path(folder) / "none")}
    process = subprocess.Popen(
        command, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    complaint = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command}: {complaint.decode()}")
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
