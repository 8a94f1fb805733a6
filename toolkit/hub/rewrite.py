"""Change the past of a repository: branches, squashed histories, large files deleted for good.

For take-downs alone: everything else here only ever adds commits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from toolkit.hub.failures import Conflict, NotThere
from toolkit.hub.repository import Repository
from toolkit.hub.retry import persist

if TYPE_CHECKING:
    from toolkit.hub.client import Client

__all__ = [
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


def large_files(client: Client, repository: Repository) -> Mapping[str, Any]:
    """Return every large file that the repository keeps, in any commit, by its sha256.

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
    return {item.file_oid: item for item in found}


def delete_large_files(client: Client, repository: Repository, files: Iterable[str]) -> list[str]:
    """Delete large files for good; every commit that named one lacks it from then on.

    Args:
        client: who asks.
        repository: where.
        files: their sha256.

    Returns:
        Those that were there and are gone now, sorted.

    Raises:
        UserError: the token may not do this.
        RunError: the Hub cannot be reached.
    """
    wanted = set(files)
    gone: set[str] = set()

    def ask() -> None:
        # Listed anew for each try: one whose answer was lost has deleted them already.
        there = large_files(client, repository)
        now = sorted(wanted & set(there))
        gone.update(now)
        if now:
            client.api.permanently_delete_lfs_files(
                repository.id,
                [there[sha] for sha in now],
                repo_type=repository.kind,
                token=client.token,
            )

    persist(ask, f"deleting large files of {repository}", client.patience)
    return sorted(gone)
