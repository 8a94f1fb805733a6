"""``eval.yaml``: what the Hub reads to make a dataset a benchmark with leaderboards of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from toolkit.recipe.publish_section import Publish, Task
from toolkit.report.text import printable
from toolkit.results.board import Board, VersionTable
from toolkit.results.inspect_parts import InspectParts, inspect_parts

__all__ = ["FRAMEWORKS", "eval_notes", "eval_yaml"]

FRAMEWORKS: Final = (
    "apex-evals",
    "archipelago",
    "benchflow",
    "claw-eval",
    "exgentic",
    "harbor",
    "inspect-ai",
    "math-arena",
    "mdpbench",
    "mteb",
    "nemo-evaluator",
    "olmocr-bench",
    "open-asr-leaderboard",
    "parsebench",
    "real5-omnidocbench",
    "researchclawbench",
    "screenspot-pro",
    "swe-bench",
    "swe-bench-pro",
    "video-mme-v2",
    "wildclawbench",
    "yc-bench",
)
"""What the Hub accepted as ``evaluation_framework`` in August 2026; the list grows."""


def eval_notes(publish: Publish, run: Path | None = None) -> list[str]:
    """Return what to know of ``eval.yaml`` before a push, a sentence each.

    Args:
        publish: the section of the recipe.
        run: folder of the run that is released.
    """
    notes = []
    if publish.tasks and publish.framework not in (None, *FRAMEWORKS):
        notes.append(
            f"publish.framework '{publish.framework}' is none that the Hub was known to accept "
            f"({', '.join(FRAMEWORKS)}); where it refuses eval.yaml, write a known one or null"
        )
    reasons = _inspect(publish, run).reasons
    if reasons:
        notes.append(f"inspect-ai cannot run eval.yaml: {'; '.join(reasons)}")
    return notes


def eval_yaml(board: Board, publish: Publish, *, run: Path | None = None) -> str | None:
    """Return ``eval.yaml``; None without ``publish.tasks``.

    Args:
        board: the board; its newest table says which split was answered.
        publish: the section of the recipe.
        run: folder of the run that is released; with it, and where every task allows it, the
            file holds what ``inspect eval hf/org/benchmark`` needs.
    """
    import yaml

    if not publish.tasks:
        return None
    table = board.tables[0]
    data: dict[str, Any] = {
        "name": _line(publish.pretty_name or board.title),
        "description": _line(f"{board.title}, version {table.version}"),
    }
    if publish.framework is not None:
        data["evaluation_framework"] = publish.framework
    parts = _inspect(publish, run).parts
    data["tasks"] = [
        {
            "id": task.id,
            "config": publish.config,
            "split": task.split or _split(table, task),
            **parts.get(task.id, {}),
        }
        for task in publish.tasks
    ]
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=100)


def _inspect(publish: Publish, run: Path | None) -> InspectParts:
    if run is None or publish.framework != "inspect-ai" or not publish.tasks:
        return InspectParts({})
    return inspect_parts(run, publish.tasks)


def _split(table: VersionTable, task: Task) -> str:
    """Return the split that was answered under the prompt of a task."""
    splits = sorted({split for split, mode in table.groups if mode == task.prompt})
    return splits[0] if splits else "test"


def _line(text: str) -> str:
    return " ".join(printable(text).split())
