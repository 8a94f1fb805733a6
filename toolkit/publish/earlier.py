"""What earlier publishes have left on the Hub: data, tags, and tags that are missing."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.errors import UserError
from toolkit.gate.base import GATE_FILE
from toolkit.hub.tags import make_tag
from toolkit.hub.tree import RemoteFile, download, matches, remote_tree
from toolkit.publish.expected import expected_splits, load_again
from toolkit.release.history import version_key
from toolkit.report.text import printable

if TYPE_CHECKING:
    from toolkit.hub.client import Client
    from toolkit.hub.repository import Repository
    from toolkit.publish.head import Head
    from toolkit.publish.source import Source

__all__ = ["check_spelling", "check_tag", "earlier_data", "finish_earlier", "missing_tag"]


def earlier_data(
    client: Client,
    repository: Repository,
    source: Source,
    head: Head,
    scratch: Path,
    data: Collection[str],
) -> Path | None:
    """Return a folder with the data shards of the head; None where there are none.

    A shard that is the same as before is not fetched.

    Args:
        client: reads them.
        repository: the dataset.
        source: the run.
        head: what stands there.
        scratch: holds the folder ``staged``; ``before`` is made beside it.
        data: the staged data shards.

    Raises:
        RunError: the Hub cannot be reached.
    """
    wanted = head.shards(source.publish.config)
    if head.commit is None or not wanted:
        return None
    folder, staged = scratch / "before", scratch / "staged"
    missing: dict[str, RemoteFile] = {}
    for name, file in wanted.items():
        if name in data and matches(staged / name, file):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).hardlink_to(staged / name)
        else:
            missing[name] = file
    download(client, repository, head.commit, missing, folder)
    return folder


def check_spelling(source: Source, head: Head) -> None:
    """Refuse a version that is released already, spelled in another way.

    ``1.0.0`` is ``1.0``: a second tag and a second table would hold the same data.

    Raises:
        UserError: the recipe spells it otherwise; the spelling to use is named.
    """
    key = version_key(source.version)
    for known in head.history:
        if version_key(known.version) == key and known.version != source.version:
            raise UserError(
                f"version {printable(source.version)} is the released version "
                f"{printable(known.version)}, spelled otherwise",
                hint=f'write version: "{printable(known.version)}" in the recipe and run it '
                "again, or raise it for other data",
            )


def check_tag(
    client: Client,
    repository: Repository,
    source: Source,
    head: Head,
    folder: Path,
    data: Collection[str],
) -> None:
    """Refuse a version whose tag stands on other data.

    Args:
        client: reads the files of the tag.
        repository: the dataset.
        source: the run.
        head: what stands there.
        folder: holds the staged shards.
        data: their names.

    Raises:
        UserError: the tag was made for something else.
        RunError: the Hub cannot be reached.
    """
    commit = head.tags.get(source.tag)
    if commit is None:
        return
    tree = remote_tree(client, repository, commit)
    if all(name in tree and matches(folder / name, tree[name]) for name in data):
        return
    raise UserError(
        f"{repository} has the tag {source.tag} on other data ({commit[:8]}): a released version "
        "is never moved",
        hint="raise `version` in the recipe and run it again",
    )


def missing_tag(source: Source, head: Head) -> str | None:
    """Return the tag of the head's version when it is another than the run's and has none.

    A publish was then stopped between its commit and its tag, and never done again.
    """
    if not head.history:
        return None
    newest = head.history[-1].version
    tag = f"v{newest}"
    if version_key(newest) == version_key(source.version) or tag in head.tags:
        return None
    return tag


def finish_earlier(
    client: Client, repository: Repository, tag: str, head: Head, scratch: Path
) -> None:
    """Read the head back and tag it, before another version takes its place.

    Raises:
        RunError: it is not what its files say, or the Hub cannot be reached.
    """
    assert head.commit is not None
    folder = scratch / "earlier"
    names = [name for name in head.made_here if name in head.tree and name != GATE_FILE]
    download(client, repository, head.commit, {name: head.tree[name] for name in names}, folder)
    expected = expected_splits(folder, names)
    load_again(client, repository.id, head.commit, expected, scratch / "read_back")
    make_tag(client, repository, tag, head.commit, message=f"Version {tag.removeprefix('v')}")
