"""``toolkit diff``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from toolkit.cli.console import Console, pass_console

if TYPE_CHECKING:
    from toolkit.diff.finished_run import FinishedRun

__all__ = ["command", "diff_json", "diff_lines"]


@click.command("diff")
@click.argument("run_a")
@click.argument("run_b")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@pass_console
def command(console: Console, run_a: str, run_b: str, as_json: bool) -> None:
    """Say which inputs and which numbers of two runs differ, with paired tests.

    RUN is the name of a run's folder, latest, or the path of a run's folder anywhere.
    """
    from toolkit.diff.finished_run import open_run
    from toolkit.store.workspace import find_workspace

    workspace = find_workspace(console.workspace)
    first, second = open_run(workspace, run_a), open_run(workspace, run_b)
    if as_json:
        console.say(diff_json(first, second))
        return
    for line in diff_lines(first, second):
        console.say(line)


def diff_lines(first: FinishedRun, second: FinishedRun) -> Iterator[str]:
    """Yield the difference of two runs as lines of text.

    Raises:
        StoreError: one of them has no finished leaderboard.
    """
    from toolkit.diff.inputs import input_changes, recipe_changes, step_changes
    from toolkit.diff.lines import change_lines, number_lines, step_lines
    from toolkit.diff.numbers import number_changes

    yield f"{first.name} -> {second.name}"
    parts = (
        ("recipe", list(change_lines(recipe_changes(first, second)))),
        ("versions and machine", list(change_lines(input_changes(first, second)))),
        ("steps", list(step_lines(step_changes(first, second)))),
        ("numbers", list(number_lines(number_changes(first, second, SEED), first, second))),
    )
    for title, lines in parts:
        yield f"{title}:" if lines else f"{title}: the same"
        yield from lines


def diff_json(first: FinishedRun, second: FinishedRun) -> str:
    """Return the difference of two runs as JSON.

    Raises:
        StoreError: one of them has no finished leaderboard.
    """
    from toolkit.diff.inputs import input_changes, recipe_changes, step_changes
    from toolkit.diff.numbers import number_changes

    found = {
        "first": first.name,
        "second": second.name,
        "recipe": [asdict(change) for change in recipe_changes(first, second)],
        "inputs": [asdict(change) for change in input_changes(first, second)],
        "steps": [asdict(change) for change in step_changes(first, second)],
        "numbers": [asdict(change) for change in number_changes(first, second, SEED)],
    }
    return json.dumps(found, ensure_ascii=False, indent=1, allow_nan=False, default=str)


SEED = 0
"""Of resamples and permutations: two people who compare the same runs see the same numbers."""
