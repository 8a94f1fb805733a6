"""``eval.yaml``: what the Hub reads to make a dataset a benchmark with leaderboards of its own."""

from __future__ import annotations

from typing import Any, Final

from toolkit.recipe.publish_section import Publish, Task
from toolkit.report.text import printable
from toolkit.results.board import Board, VersionTable

__all__ = ["FRAMEWORKS", "eval_yaml", "framework_note"]

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


def framework_note(publish: Publish) -> str:
    """Return what to know of the framework before a push; empty where it is a known one."""
    if not publish.tasks or publish.framework is None or publish.framework in FRAMEWORKS:
        return ""
    return (
        f"publish.framework '{publish.framework}' is none that the Hub was known to accept "
        f"({', '.join(FRAMEWORKS)}); where it refuses eval.yaml, write a known one or null"
    )


def eval_yaml(board: Board, publish: Publish) -> str | None:
    """Return ``eval.yaml``; None without ``publish.tasks``.

    Args:
        board: the board; its newest table says which split was answered.
        publish: the section of the recipe.
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
    data["tasks"] = [_task(table, task, publish) for task in publish.tasks]
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True)


def _task(table: VersionTable, task: Task, publish: Publish) -> dict[str, Any]:
    return {"id": task.id, "config": publish.config, "split": task.split or _split(table, task)}


def _split(table: VersionTable, task: Task) -> str:
    """Return the split that was answered under the prompt of a task."""
    splits = sorted({split for split, mode in table.groups if mode == task.prompt})
    return splits[0] if splits else "test"


def _line(text: str) -> str:
    return " ".join(printable(text).split())
