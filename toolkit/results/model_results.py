"""What model repositories on the Hub may say of a benchmark: ``.eval_results``."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from toolkit.recipe.publish_section import Task
from toolkit.report.text import number, printable
from toolkit.results.board import Board, Entry, VersionTable
from toolkit.results.names import same_name
from toolkit.results.record import TIERS, Result

__all__ = ["eval_results"]


def eval_results(
    board: Board, dataset: str, revision: str, own: Collection[str]
) -> dict[str, tuple[str, str]]:
    """Return the headline numbers of models that have a repository on the Hub.

    Only the newest table counts, only numbers that are ranked, and only models that the
    maintainer names or has run: whose repository it is, is a submitter's word. Of several
    records of one repository the highest tier counts, then the maintainer's own, then the
    latest, never the best.

    Args:
        board: the board, with its tasks.
        dataset: ``org/name`` of the benchmark on the Hub.
        revision: commit of the release.
        own: repositories of the models in the maintainer's recipe.

    Returns:
        By repository: the path inside it, and the YAML text.
    """
    import yaml
    from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

    found: dict[str, list[Any]] = {}
    for task in board.tasks:
        for hub_id, entry in sorted(_counting(board.tables[0], task, own).items()):
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


def _counting(table: VersionTable, task: Task, own: Collection[str]) -> dict[str, Entry]:
    counting: dict[str, Entry] = {}
    for entry in _about(table, task):
        hub_id = entry.result.model.hub_id
        if hub_id is None or entry.result.model.kind != "model":
            continue
        if hub_id not in own and entry.result.tier != "re-generated":
            continue
        known = counting.get(hub_id)
        if known is None or _weight(entry.result) > _weight(known.result):
            counting[hub_id] = entry
    # Where the one that counts has no rank, no other speaks for it.
    return {hub_id: entry for hub_id, entry in counting.items() if entry.rank is not None}


def _about(table: VersionTable, task: Task) -> Iterator[Entry]:
    for entry in table.entries:
        mine = (entry.number.score, entry.mode) == (task.score, task.prompt)
        if mine and task.split in (None, entry.result.split):
            yield entry


def _weight(result: Result) -> tuple[int, bool, str, str]:
    own = same_name(result.submitter, result.organization)
    return TIERS.index(result.tier), own, result.date, result.record_id


def _notes(entry: Entry) -> str:
    result, found = entry.result, entry.number
    parts = [f"benchmark version {result.version}", f"prompt mode {printable(result.prompt)}"]
    if found.low is not None and found.high is not None and found.level is not None:
        ends = (number(end, found.digits) for end in (found.low, found.high))
        parts.append(f"{found.level * 100:g} % interval {' to '.join(ends)}")
    parts += [f"n {found.n}", *([f"{found.missing} missing"] if found.missing else [])]
    # A name that nobody on the Hub has checked: in the notes, not as `source.user`.
    who = " ".join(printable(result.submitter).split())
    return ", ".join([*parts, result.tier, f"submitted by {who}", f"record {result.record_id}"])
