"""What model repositories on the Hub may say of a benchmark: ``.eval_results``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolkit.recipe.publish_section import Task
from toolkit.report.text import number, printable
from toolkit.results.board import Board, Entry, VersionTable

__all__ = ["eval_results"]


def eval_results(board: Board, dataset: str, revision: str) -> dict[str, tuple[str, str]]:
    """Return the headline numbers of models that have a repository on the Hub.

    Only the newest table counts, only numbers that are ranked, and of several records of one
    repository the latest, never the best.

    Args:
        board: the board, with its tasks.
        dataset: ``org/name`` of the benchmark on the Hub.
        revision: commit of the release.

    Returns:
        By repository: the path inside it, and the YAML text.
    """
    import yaml
    from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

    found: dict[str, list[Any]] = {}
    for task in board.tasks:
        for hub_id, entry in sorted(_latest(board.tables[0], task).items()):
            found.setdefault(hub_id, []).append(
                EvalResultEntry(
                    dataset_id=dataset,
                    task_id=task.id,
                    value=entry.number.value,
                    dataset_revision=revision,
                    date=entry.result.date,
                    source_url=f"https://huggingface.co/datasets/{dataset}",
                    source_name=printable(board.title),
                    notes=_notes(entry),
                )
            )
    name = re.sub(r"[^A-Za-z0-9._-]", "-", dataset.partition("/")[2])
    return {
        hub_id: (
            f".eval_results/{name}.yaml",
            yaml.safe_dump(
                eval_result_entries_to_yaml(entries), sort_keys=False, allow_unicode=True
            ),
        )
        for hub_id, entries in sorted(found.items())
    }


def _latest(table: VersionTable, task: Task) -> dict[str, Entry]:
    latest: dict[str, Entry] = {}
    for entry in _about(table, task):
        hub_id = entry.result.model.hub_id
        if hub_id is None or entry.result.model.kind != "model":
            continue
        known = latest.get(hub_id)
        if known is None or _age(entry) > _age(known):
            latest[hub_id] = entry
    return latest


def _about(table: VersionTable, task: Task) -> Iterator[Entry]:
    for entry in table.entries:
        mine = (entry.number.score, entry.mode) == (task.score, task.prompt)
        if mine and entry.rank is not None and task.split in (None, entry.result.split):
            yield entry


def _age(entry: Entry) -> tuple[str, str]:
    return entry.result.date, entry.result.record_id


def _notes(entry: Entry) -> str:
    result, found = entry.result, entry.number
    parts = [f"benchmark version {result.version}", f"prompt mode {printable(result.prompt)}"]
    if found.low is not None and found.high is not None and found.level is not None:
        ends = (number(end, found.digits) for end in (found.low, found.high))
        parts.append(f"{found.level * 100:g} % interval {' to '.join(ends)}")
    parts += [f"n {found.n}", *([f"{found.missing} missing"] if found.missing else [])]
    return ", ".join([*parts, result.tier, f"record {result.record_id}"])
