"""Put together, in one folder, all that a commit is to hold, and let the gate look at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.gate.base import GATE_FILE
from toolkit.gate.report import check_outgoing, require, verify
from toolkit.hub.plan import ChangeSet, plan_changes
from toolkit.hub.tree import RemoteFile, download
from toolkit.publish.card_facts import FACTS_FILE, facts_text
from toolkit.publish.earlier import check_spelling, check_tag, earlier_data
from toolkit.publish.head import Head
from toolkit.publish.items import check_frozen, split_of_items
from toolkit.publish.results import FOLDER, LEADERBOARD, Rendered, collect, render
from toolkit.publish.without import drop_items
from toolkit.release.publish_files import (
    ExtraConfig,
    meta_files,
    release_manifest,
    run_policy,
)
from toolkit.release.withdrawn import WITHDRAWN_FILE, read_withdrawn
from toolkit.results.store import ResultStore

if TYPE_CHECKING:
    from toolkit.hub.client import Client
    from toolkit.hub.repository import Repository
    from toolkit.publish.source import Source

__all__ = ["Additions", "Staged", "gate", "replan", "stage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Additions:
    """What is published beside the data of the run.

    Attributes:
        results: a folder of reviewed results; None for none.
        own: publish the results of the run itself, too.
        note: what changed in this version, in a person's words.
        propose: propose the results to the owners of the models.
    """

    results: Path | None = None
    own: bool = True
    note: str = ""
    propose: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """A folder that is ready to go.

    Attributes:
        folder: the folder.
        names: its files, the gate's own among them.
        changes: what a commit would do.
        store: the results in it.
        rendered: the leaderboard made of them; None without results.
    """

    folder: Path
    names: tuple[str, ...]
    changes: ChangeSet
    store: ResultStore
    rendered: Rendered | None


def stage(
    client: Client,
    repository: Repository,
    source: Source,
    head: Head,
    scratch: Path,
    additions: Additions,
) -> Staged:
    """Make the folder of the next commit.

    Args:
        client: reads what stands on the Hub.
        repository: the dataset.
        source: the run.
        head: what stands in the dataset now.
        scratch: an empty folder; ``staged`` and ``before`` are made in it.
        additions: what goes beside the data.

    Raises:
        UserError: the gate stops a file; items moved between splits; the version exists with
            other data or another spelling; results are damaged.
        RunError: the Hub cannot be reached.
    """
    check_spelling(source, head)
    folder = scratch / "staged"
    data = source.place_data(folder)
    gone = {item.item_id for item in read_withdrawn(head.texts.get(WITHDRAWN_FILE))}
    if gone:
        # A version stays what it is since they were taken down, and can still get results.
        data, _ = drop_items(folder, data, gone)
    check_tag(client, repository, source, head, folder, data)
    before = earlier_data(client, repository, source, head, scratch, data)
    now = split_of_items(folder, data)
    if head.history and before is not None:
        check_frozen(split_of_items(before, _shards(before)), now)
    _fetch_results(client, repository, head, folder)
    store = collect(source, folder, additions.results, own=additions.own)
    rendered = render(source, store, folder)
    extra = ExtraConfig(name=LEADERBOARD, splits=rendered.splits) if rendered else None
    texts = _write_texts(source, head, folder, extra, rendered, before, additions.note)
    names = [*data, *store.paths(), *(rendered.names if rendered else ()), *texts]
    policy = run_policy(source.folder, extra=extra, secrets=(client.token, *source.secrets))
    report = check_outgoing(folder, names, policy)
    require(report)
    (folder / GATE_FILE).write_text(report.text(), encoding="utf-8")
    made = report.gated
    return Staged(
        folder=folder,
        names=tuple(sorted(made)),
        changes=plan_changes(folder, made, head.tree, head.commit, owned=_owned(source, head)),
        store=store,
        rendered=rendered,
    )


def _write_texts(
    source: Source,
    head: Head,
    folder: Path,
    extra: ExtraConfig | None,
    rendered: Rendered | None,
    before: Path | None,
    note: str,
) -> list[str]:
    """Write the card and what else says what the shards are; return the names of the files."""
    texts = meta_files(
        source.folder,
        folder,
        previous=head.texts,
        extra=extra,
        board=rendered.markdown if rendered else "",
        previous_data=before,
        note=note,
    )
    facts = release_manifest(source.folder).facts["card"]
    texts[FACTS_FILE] = facts_text(facts, source.publish)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return list(texts)


def replan(staged: Staged, source: Source, head: Head) -> Staged:
    """Compare a staged folder with another head: that of a repository made after it was."""
    changes = plan_changes(
        staged.folder, staged.changes.gated, head.tree, head.commit, owned=_owned(source, head)
    )
    return replace(staged, changes=changes)


def _owned(source: Source, head: Head) -> list[str]:
    # Shards that no push of ours has made are of the same splits to whoever loads them.
    return [*head.made_here, *head.shards(source.publish.config, LEADERBOARD)]


def gate(staged: Staged) -> None:
    """Compare the staged files once more with what the gate looked at, right before they go.

    Raises:
        UserError: a file was changed in the meantime.
    """
    text = (staged.folder / GATE_FILE).read_text(encoding="utf-8")
    verify(staged.folder, [name for name in staged.names if name != GATE_FILE], text)


def _fetch_results(client: Client, repository: Repository, head: Head, folder: Path) -> None:
    files: Mapping[str, RemoteFile] = {
        name: file for name, file in head.tree.items() if name.startswith(f"{FOLDER}/")
    }
    if head.commit is not None:
        download(client, repository, head.commit, files, folder)


def _shards(folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*.parquet"))]
