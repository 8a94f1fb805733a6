"""What stands on the Hub before a push."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from toolkit.gate.base import GATE_FILE
from toolkit.hub.repository import Repository, head, tags
from toolkit.hub.tree import RemoteFile, download_texts, remote_tree
from toolkit.publish.card_facts import FACTS_FILE
from toolkit.release.compose import META_FILES
from toolkit.release.history import HISTORY_FILE, Version, read_history

if TYPE_CHECKING:
    from toolkit.hub.client import Client

__all__ = ["Head", "look"]

_TEXTS: Final[tuple[str, ...]] = (*META_FILES, FACTS_FILE, GATE_FILE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """A commit of a dataset, mostly the newest of its branch ``main``.

    Attributes:
        commit: the commit; None where the repository does not exist.
        tree: its files.
        texts: the texts beside the data that are there, by name.
        tags: commit of each tag of the repository.
    """

    commit: str | None
    tree: Mapping[str, RemoteFile]
    texts: Mapping[str, str] = field(repr=False)
    tags: Mapping[str, str]

    @property
    def history(self) -> tuple[Version, ...]:
        """The versions so far, the oldest first."""
        return read_history(self.texts.get(HISTORY_FILE))

    @property
    def made_here(self) -> tuple[str, ...]:
        """The files that an earlier push has made."""
        text = self.texts.get(GATE_FILE)
        if text is None:
            return ()
        try:
            files = json.loads(text).get("files", {})
        except (ValueError, AttributeError):
            return ()
        return (*sorted(files), GATE_FILE)

    def shards(self, *configs: str) -> dict[str, RemoteFile]:
        """Return the Parquet files of configurations."""
        return {
            name: file
            for name, file in self.tree.items()
            if name.endswith(".parquet") and name.split("/")[0] in configs
        }


def look(client: Client, repository: Repository, revision: str = "main") -> Head:
    """Read what stands in a repository.

    Raises:
        UserError: the token may not see it, or a text is damaged.
        RunError: the Hub cannot be reached.
    """
    commit = head(client, repository, revision)
    if commit is None:
        return Head(commit=None, tree={}, texts={}, tags={})
    tree = remote_tree(client, repository, commit)
    there = {name: tree[name] for name in _TEXTS if name in tree}
    texts = download_texts(client, repository, commit, there)
    return Head(commit=commit, tree=tree, texts=texts, tags=tags(client, repository))
