"""Every revision of a dataset that people load: ``main`` and the versions' tags."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolkit.errors import UserError
from toolkit.gate.base import BOARD_CONFIG, GATE_FILE
from toolkit.gate.report import check_outgoing, require
from toolkit.hub.repository import References
from toolkit.hub.tree import download
from toolkit.publish.card_facts import FACTS_FILE, CardFacts, read_facts
from toolkit.publish.head import Head, look
from toolkit.publish.results import render_board
from toolkit.publish.without import drop_items, texts_of
from toolkit.release.compose import ExtraConfig, compose
from toolkit.release.compose import Head as Beside
from toolkit.release.history import HISTORY_FILE, Version, history_text, read_history, version_key
from toolkit.release.publish_files import facts_policy
from toolkit.release.shard_facts import read_config
from toolkit.release.withdrawn import WITHDRAWN_FILE, Withdrawn, read_withdrawn, withdrawn_text
from toolkit.results.store import ResultStore

if TYPE_CHECKING:
    from toolkit.hub.client import Client
    from toolkit.hub.repository import Repository

__all__ = ["BRANCH", "Revision", "check_found", "fetch", "named_revisions", "remake"]

BRANCH: Final = "take-down-"
"""Beginning of the branches on which versions are made anew; the tag's name follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """A revision, and the folder in which it is made anew.

    Attributes:
        name: ``main``, or the name of a tag.
        commit: the commit it stands on now.
        head: its files.
        folder: a copy of them.
        facts: what its card is made of.
        data: its data shards.
        dropped: ids taken out of each shard that had any, by the name it had.
        texts: what stood in the rows that were taken out.
    """

    name: str
    commit: str
    head: Head
    folder: Path
    facts: CardFacts
    data: tuple[str, ...]
    dropped: dict[str, list[str]]
    texts: Collection[str] = field(repr=False)

    @property
    def version(self) -> str:
        """The version of the benchmark that it holds."""
        return str(self.facts.card["version"])

    @property
    def items(self) -> set[str]:
        """The ids taken out of it."""
        return {item for found in self.dropped.values() for item in found}

    @property
    def old_objects(self) -> set[str]:
        """sha256 of the shards that held one of them."""
        found = {self.head.tree[name].sha256 for name in self.dropped}
        return {sha for sha in found if sha is not None}


def named_revisions(refs: References) -> dict[str, str]:
    """Return what is made anew: ``main`` and every tag, by name.

    A tag that an interrupted take-down has removed is found by its branch.
    """
    left = {
        name.removeprefix(BRANCH): commit
        for name, commit in refs.branches.items()
        if name.startswith(BRANCH)
    }
    return {"main": refs.branches["main"], **dict(sorted((left | dict(refs.tags)).items()))}


def fetch(
    client: Client,
    repository: Repository,
    name: str,
    commit: str,
    folder: Path,
    items: Collection[str],
) -> Revision | None:
    """Fetch a revision and take items out of its shards; None for one that was not made here.

    Raises:
        UserError: a split would be empty, or a file is damaged.
        RunError: the Hub cannot be reached.
    """
    head = look(client, repository, commit)
    if FACTS_FILE not in head.texts:
        return None
    facts = read_facts(head.texts[FACTS_FILE])
    files = {n: head.tree[n] for n in head.made_here if n in head.tree and n not in head.texts}
    download(client, repository, commit, files, folder)
    (folder / FACTS_FILE).write_text(head.texts[FACTS_FILE], encoding="utf-8")
    shards = sorted(head.shards(facts.card["config"]))
    texts = texts_of(folder, shards, items)
    data, dropped = drop_items(folder, shards, items)
    return Revision(
        name=name,
        commit=commit,
        head=head,
        folder=folder,
        facts=facts,
        data=tuple(data),
        dropped=dropped,
        texts=texts,
    )


def remake(
    revision: Revision, others: Collection[Revision], withdrawn: Collection[Withdrawn], token: str
) -> dict[str, str]:
    """Write everything beside the shards anew, and let the gate look at it.

    Args:
        revision: what is made anew.
        others: all revisions, for the digests of their versions.
        withdrawn: the items that are taken down now.
        token: looked for in what goes out.

    Returns:
        The files of the revision, sorted, with the sha256 that the gate has seen of each.

    Raises:
        UserError: the gate stops a file.
    """
    folder = revision.folder
    known = {item.item_id: item for item in read_withdrawn(revision.head.texts.get(WITHDRAWN_FILE))}
    gone = [*known.values(), *(item for item in withdrawn if item.item_id not in known)]
    texts = dict(revision.head.texts) | {
        WITHDRAWN_FILE: withdrawn_text(gone),
        HISTORY_FILE: history_text(_history(revision, others)),
    }
    store = ResultStore(folder)
    board = sorted(n for n in revision.head.tree if n.startswith(f"{BOARD_CONFIG}/"))
    extra = None
    if board:
        splits = tuple(dict.fromkeys(Path(name).name.split("-")[0] for name in _ordered(revision)))
        extra = ExtraConfig(name=BOARD_CONFIG, splits=splits)
    made = compose(
        revision.facts.card,
        folder,
        Beside(texts=texts),
        extra=extra,
        board=render_board(store, revision.facts.tasks, revision.facts.max_failed),
    )
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")
    kept = [name for name in ("eval.yaml", FACTS_FILE) if name in revision.head.tree]
    names = sorted({*revision.data, *board, *store.paths(), *made, *kept})
    policy = facts_policy(revision.facts.card, extra=extra, secrets=(token,))
    report = check_outgoing(folder, names, policy)
    require(report)
    (folder / GATE_FILE).write_text(report.text(), encoding="utf-8")
    return dict(sorted(report.gated.items()))


def _ordered(revision: Revision) -> Iterator[str]:
    """Yield the shards of the board in the order of the card."""
    from toolkit.gate.front_matter import parse_card

    card = parse_card(revision.head.texts["README.md"])
    for config in card["configs"]:
        if config["config_name"] == BOARD_CONFIG:
            yield from (entry["path"] for entry in config["data_files"])


def _history(revision: Revision, others: Collection[Revision]) -> list[Version]:
    """Return the versions of a revision, with the data that they have from now on."""
    now = {version_key(other.version): other for other in others}
    found = []
    for version in read_history(revision.head.texts.get(HISTORY_FILE)):
        other = now.get(version_key(version.version))
        if other is not None:
            card = other.facts.card
            data = read_config(other.folder, card["config"], card["splits"])
            version = replace(version, data_digest=data.data_digest, splits=data.versions)
        found.append(version)
    return found


def check_found(asked: Collection[str], revisions: Collection[Revision]) -> None:
    """Refuse ids that no revision holds, and that were not taken down before.

    Raises:
        UserError: ids are unknown; all are listed.
    """
    known = {item for revision in revisions for item in revision.items}
    for revision in revisions:
        known |= {i.item_id for i in read_withdrawn(revision.head.texts.get(WITHDRAWN_FILE))}
    unknown = sorted(set(asked) - known)
    if unknown:
        raise UserError(
            f"no version holds the item{'s' if len(unknown) > 1 else ''} {', '.join(unknown[:10])}",
            hint="name ids as the column item_id spells them",
        )
