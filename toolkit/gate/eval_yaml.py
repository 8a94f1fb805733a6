"""``eval.yaml``: tasks of a native leaderboard, each on a split that there is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from toolkit.gate.base import Finding, Policy
from toolkit.gate.outgoing import Outgoing

__all__ = ["EVAL_FILE", "check"]

EVAL_FILE = "eval.yaml"
_HINT = "correct publish.tasks and publish again"


def check(outgoing: Outgoing, policy: Policy) -> Iterator[Finding]:
    """Refuse an ``eval.yaml`` without configs in the card, or of tasks that nothing answers to.

    Beside a card without ``configs``, ``datasets`` takes the file for a test split.
    """
    if EVAL_FILE not in outgoing.regular:
        return
    front = outgoing.front
    if front is None or not front.get("configs"):
        message = "it stands beside a card without configs, which no longer loads then"
        yield Finding("eval.yaml", EVAL_FILE, message, "write the card with configs")
    try:
        data = yaml.safe_load(outgoing.path(EVAL_FILE).read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        yield Finding("eval.yaml", EVAL_FILE, f"not YAML: {error}", _HINT)
        return
    tasks = data.get("tasks") if isinstance(data, dict) else None
    if not isinstance(tasks, list) or not tasks:
        yield Finding("eval.yaml", EVAL_FILE, "no list of tasks", _HINT)
        return
    ids = [task.get("id") if isinstance(task, dict) else None for task in tasks]
    if len(set(ids)) != len(ids):
        yield Finding("eval.yaml", EVAL_FILE, "two tasks have one id", _HINT)
    for task in tasks:
        yield from _task(task, policy)


def _task(task: Any, policy: Policy) -> Iterator[Finding]:
    if not isinstance(task, dict) or not isinstance(task.get("id"), str):
        yield Finding("eval.yaml", EVAL_FILE, "a task without an id", _HINT)
        return
    config = task.get("config", next(iter(policy.configs), None))
    splits = policy.configs.get(config, ()) if isinstance(config, str) else ()
    split = task.get("split", "test")
    if config not in policy.data or split not in splits:
        message = f"the task '{task['id']}' is on the split '{split}' of '{config}', which is none"
        yield Finding("eval.yaml", EVAL_FILE, message, _HINT)
