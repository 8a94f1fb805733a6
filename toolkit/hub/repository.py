"""A repository of the Hub: its name, whether it exists, what its branches and tags point to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from toolkit.hub.failures import NotThere
from toolkit.hub.retry import persist

if TYPE_CHECKING:
    from toolkit.hub.client import Client

__all__ = ["Kind", "References", "Repository", "create", "head", "references", "tags"]

Kind = Literal["dataset", "model", "space"]


@dataclass(frozen=True, slots=True, order=True)
class Repository:
    """A repository: ``org/name`` and its kind."""

    kind: Kind
    id: str

    def __str__(self) -> str:
        return f"the {self.kind if self.kind != 'space' else 'Space'} {self.id}"


@dataclass(frozen=True, slots=True)
class References:
    """Commits by name: branches, tags, and pull requests (``refs/pr/1``)."""

    branches: Mapping[str, str]
    tags: Mapping[str, str]
    pull_requests: Mapping[str, str]


def head(client: Client, repository: Repository, revision: str = "main") -> str | None:
    """Return the commit of a branch, tag or commit; None without the repository or the revision.

    Raises:
        UserError: the token may not see it.
        RunError: the Hub cannot be reached.
    """

    def ask() -> str | None:
        info = client.api.repo_info(
            repository.id, repo_type=repository.kind, revision=revision, token=client.token
        )
        return info.sha

    try:
        return persist(ask, f"{repository}", client.patience)
    except NotThere:
        return None


def references(client: Client, repository: Repository) -> References:
    """Return every branch, tag and pull request of a repository, with its commit.

    Raises:
        UserError: no such repository, or the token may not see it.
        RunError: the Hub cannot be reached.
    """
    found = persist(
        lambda: client.api.list_repo_refs(
            repository.id,
            repo_type=repository.kind,
            include_pull_requests=True,
            token=client.token,
        ),
        f"the branches and tags of {repository}",
        client.patience,
    )
    return References(
        branches={ref.name: ref.target_commit for ref in found.branches},
        tags={ref.name: ref.target_commit for ref in found.tags},
        pull_requests={ref.ref: ref.target_commit for ref in found.pull_requests or ()},
    )


def tags(client: Client, repository: Repository) -> Mapping[str, str]:
    """Return the commit of each tag; none where the repository does not exist.

    Raises:
        UserError: the token may not see it.
        RunError: the Hub cannot be reached.
    """
    try:
        return references(client, repository).tags
    except NotThere:
        return {}


def create(client: Client, repository: Repository, *, private: bool) -> None:
    """Make a repository, unless it exists.

    Args:
        client: who asks.
        repository: what to make.
        private: whether only its owner sees it; of one that exists nothing is changed.

    Raises:
        UserError: the token may not make it.
        RunError: the Hub cannot be reached.
    """
    persist(
        lambda: client.api.create_repo(
            repository.id,
            repo_type=repository.kind,
            private=private,
            exist_ok=True,
            space_sdk="static" if repository.kind == "space" else None,
            token=client.token,
        ),
        f"making {repository}",
        client.patience,
    )
