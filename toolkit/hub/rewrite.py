"""Change the past of a repository: branches, squashed histories, large files deleted for good.

For take-downs alone: everything else here only ever adds commits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolkit.hub.failures import Conflict, NotThere
from toolkit.hub.repository import Repository
from toolkit.hub.retry import persist

if TYPE_CHECKING:
    from toolkit.hub.client import Client

__all__ = [
    "LargeFile",
    "delete_branch",
    "delete_large_files",
    "history_length",
    "large_files",
    "make_branch",
    "squash",
]


def make_branch(client: Client, repository: Repository, branch: str, commit: str) -> None:
    """Make a branch at a commit, in place of one of that name.

    Raises:
        UserError: the token may not do this.
        RunError: the Hub cannot be reached.
    """
    delete_branch(client, repository, branch)
    try:
        persist(
            lambda: client.api.create_branch(
                repository.id,
                branch=branch,
                revision=commit,
                repo_type=repository.kind,
                token=client.token,
            ),
            f"the branch {branch} of {repository}",
            client.patience,
        )
    except Conflict:
        # Made by a try whose answer was lost: the name was free a moment ago.
        return


def delete_branch(client: Client, repository: Repository, branch: str) -> None:
    """Remove a branch; one that is not there is fine.

    Raises:
        UserError: the token may not do this.
        RunError: the Hub cannot be reached.
    """
    try:
        persist(
            lambda: client.api.delete_branch(
                repository.id, branch=branch, repo_type=repository.kind, token=client.token
            ),
            f"removing the branch {branch} of {repository}",
            client.patience,
        )
    except NotThere:
        return


def history_length(client: Client, repository: Repository, revision: str) -> int:
    """Return how many commits lead to a revision, itself included.

    Raises:
        UserError: there is no such revision.
        RunError: the Hub cannot be reached.
    """
    found = persist(
        lambda: client.api.list_repo_commits(
            repository.id, revision=revision, repo_type=repository.kind, token=client.token
        ),
        f"the history of {repository}",
        client.patience,
    )
    return len(found)


def squash(client: Client, repository: Repository, branch: str, message: str) -> None:
    """Make one commit without a past of a branch; its files stay as they are.

    Raises:
        UserError: there is no such branch, or the token may not do this.
        RunError: the Hub cannot be reached.
    """
    persist(
        lambda: client.api.super_squash_history(
            repository.id,
            branch=branch,
            commit_message=message,
            repo_type=repository.kind,
            token=client.token,
        ),
        f"squashing {branch} of {repository}",
        client.patience,
    )


@dataclass(frozen=True, slots=True)
class LargeFile:
    """A large file that the repository keeps, in any commit.

    Attributes:
        names: the ids that the Hub lists it under; its sha256 is one of them.
        item: what the library deletes it by.
    """

    names: frozenset[str]
    item: Any


def large_files(client: Client, repository: Repository) -> list[LargeFile]:
    """Return every large file that the repository keeps.

    Raises:
        UserError: the token may not list them.
        RunError: the Hub cannot be reached.
    """
    found = persist(
        lambda: list(
            client.api.list_lfs_files(repository.id, repo_type=repository.kind, token=client.token)
        ),
        f"the large files of {repository}",
        client.patience,
    )
    return [LargeFile(frozenset((item.file_oid, item.oid)), item) for item in found]


def delete_large_files(
    client: Client, repository: Repository, doomed: Callable[[LargeFile], bool]
) -> int:
    """Delete large files for good; every commit that named one lacks it from then on.

    Args:
        client: who asks.
        repository: where.
        doomed: whether one goes.

    Returns:
        How many are gone.

    Raises:
        UserError: the token may not do this.
        RunError: the Hub cannot be reached.
    """
    gone: set[frozenset[str]] = set()

    def ask() -> None:
        # Listed anew for each try: one whose answer was lost has deleted them already.
        now = [file for file in large_files(client, repository) if doomed(file)]
        gone.update(file.names for file in now)
        if now:
            client.api.permanently_delete_lfs_files(
                repository.id,
                [file.item for file in now],
                repo_type=repository.kind,
                token=client.token,
            )

    persist(ask, f"deleting large files of {repository}", client.patience)
    return len(gone)
