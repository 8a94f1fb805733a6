"""A Space without the texts of items that are taken down: its page and its history."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolkit.errors import UserError
from toolkit.gate.base import GATE_FILE, Policy
from toolkit.gate.report import check_outgoing, require
from toolkit.hub.commit import push
from toolkit.hub.plan import ChangeSet, plan_changes
from toolkit.hub.repository import Repository, references
from toolkit.hub.rewrite import delete_large_files, history_length, squash
from toolkit.hub.tree import RemoteFile, download, remote_tree
from toolkit.publish.head import Head, look
from toolkit.recipe.publish_section import Rights
from toolkit.report.chunks import chunk_text, read_chunk
from toolkit.report.text import printable
from toolkit.space.leave_out import leave_out, rows_of
from toolkit.space.texts import as_shown

if TYPE_CHECKING:
    from toolkit.hub.client import Client

__all__ = ["SpaceWithout", "clear_space", "plan_space_without"]

_MESSAGE: Final = "Items taken down"
_PARTS: Final = "data/record-"
_WORDS: Final = 3
"""Fewest words of a text that an answer is compared with as a whole: fewer are a label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceWithout:
    """What taking items down does to a Space.

    Attributes:
        space: the Space.
        changes: what a commit would do; None where it does not exist, or nothing can be done.
        rows: rows of texts that go, in all records.
        commits: commits of its history, which become one.
        copies: branches, tags and pull requests with records of their own; they are left alone.
        fault: why nothing can be done; empty where it can.
    """

    space: Repository
    changes: ChangeSet | None = None
    rows: int = 0
    commits: int = 0
    copies: tuple[str, ...] = ()
    old_objects: frozenset[str] = field(default=frozenset(), repr=False)
    fault: str = ""


def plan_space_without(
    client: Client,
    name: str,
    items: Collection[str],
    texts: Collection[str],
    facts: Mapping[str, Any],
    folder: Path,
) -> SpaceWithout:
    """Make the page of a Space anew on this disk, without texts of items.

    Their rows lose title, input, reference and answer; so does every other row in which one of
    these, or one of ``texts``, stands word for word. Ids and scores stay.

    Args:
        client: reads only.
        name: ``org/name`` of the Space.
        items: ids.
        texts: what stood in the rows of the dataset.
        facts: what the card of the dataset is made of: the terms for the gate.
        folder: an empty folder.

    Raises:
        RunError: the Hub cannot be reached.
    """
    space = Repository("space", name)
    try:
        head = look(client, space)
        if head.commit is None:
            return SpaceWithout(space=space)
        files = {n: head.tree[n] for n in head.made_here if n in head.tree and n != GATE_FILE}
        download(client, space, head.commit, files, folder)
        rows = _clear(folder, files, items, texts)
        changes = _changes(client, folder, files, head, items, facts)
        touched = {change.path: head.tree[change.path] for change in changes.update}
        return SpaceWithout(
            space=space,
            changes=changes,
            rows=rows,
            commits=history_length(client, space, "main"),
            copies=tuple(_copies(client, space)),
            old_objects=frozenset(f.sha256 for f in touched.values() if f.sha256 is not None),
        )
    except UserError as error:
        # The dataset must not keep the items because of its Space.
        return SpaceWithout(space=space, fault=error.message)


def clear_space(client: Client, plan: SpaceWithout, say: Callable[[str], None]) -> None:
    """Commit the page without the texts, and make one commit of its history.

    Raises:
        UserError: the Hub refuses something.
        RunError: the Hub cannot be reached.
    """
    if plan.changes is None:
        return
    if not plan.changes.empty:
        say(f"{plan.space}: a commit without them")
        push(client, plan.space, plan.changes, message=_MESSAGE)
    if history_length(client, plan.space, "main") > 1:
        say(f"{plan.space}: its history becomes one commit")
        squash(client, plan.space, "main", _MESSAGE)
    if plan.old_objects:
        delete_large_files(client, plan.space, lambda file: bool(file.names & plan.old_objects))


def _clear(
    folder: Path,
    files: Collection[str],
    items: Collection[str],
    texts: Collection[str],
) -> int:
    """Take texts out of the records' parts; return how many rows lost theirs."""
    records = {name: _record(folder, name) for name in files if name.startswith(_PARTS)}
    gone = {printable(item) for item in items}
    kept_back = set(texts)
    before = sum(row is not None for record in records.values() for row in rows_of(record))
    for record in records.values():
        rows = rows_of(record)
        # Only the first items have texts.
        ids = (record["items"] or {}).get("ids", [])[: len(rows)]
        for at, (item, row) in enumerate(zip(ids, rows, strict=True)):
            if row is not None and item in gone:
                kept_back.update(row)
                rows[at] = None
    whole = {as_shown(text) for text in kept_back if len(text.split()) >= _WORDS}
    for record in records.values():
        rows = rows_of(record)
        rows[:] = [None if row and row[-1] in whole else row for row in rows]
    leave_out(records, kept_back)
    after = sum(row is not None for record in records.values() for row in rows_of(record))
    if after != before:
        for name, record in records.items():
            text = chunk_text(Path(name).stem, record)
            (folder / name).write_text(text, encoding="utf-8")
    return before - after


def _record(folder: Path, name: str) -> dict[str, Any]:
    try:
        content: dict[str, Any] = read_chunk((folder / name).read_text(encoding="utf-8"))[1]
        rows_of(content)
    except (ValueError, AttributeError):
        raise UserError(
            f"{name} cannot be read", hint="publish the newest run again, or delete the Space"
        ) from None
    return content


def _changes(
    client: Client,
    folder: Path,
    files: Mapping[str, RemoteFile],
    head: Head,
    items: Collection[str],
    facts: Mapping[str, Any],
) -> ChangeSet:
    policy = Policy(
        access=facts["access"],
        redistribution=facts["level"],
        pubmed=False,
        configs={},
        rights=Rights(**facts["rights"]) if facts["rights"] else None,
        withdrawn=frozenset(items),
        secrets=(client.token,),
    )
    report = check_outgoing(folder, sorted(files), policy)
    require(report)
    (folder / GATE_FILE).write_text(report.text(), encoding="utf-8")
    return plan_changes(folder, report.gated, head.tree, head.commit, owned=head.made_here)


def _copies(client: Client, space: Repository) -> Iterator[str]:
    refs = references(client, space)
    others = {name: commit for name, commit in refs.branches.items() if name != "main"}
    for name, commit in sorted({**others, **refs.tags, **refs.pull_requests}.items()):
        if any(path.startswith(_PARTS) for path in remote_tree(client, space, commit)):
            yield name
