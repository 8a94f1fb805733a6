"""Propose a file to somebody else's repository: a pull request, never a push."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.hub.repository import Repository, head, references
from toolkit.hub.retry import persist
from toolkit.hub.tree import matches, remote_tree

if TYPE_CHECKING:
    from toolkit.hub.client import Client

__all__ = ["Proposal", "find_proposal", "propose"]


@dataclass(frozen=True, slots=True)
class Proposal:
    """Where a file stands in a repository.

    Attributes:
        state: ``absent``, ``proposed`` (a pull request, open or closed, holds these bytes) or
            ``merged`` (the repository itself does).
        reference: the pull request, e.g. ``refs/pr/3``; empty for none.
    """

    state: str
    reference: str = ""


def find_proposal(client: Client, repository: Repository, path: Path, name: str) -> Proposal:
    """Look whether a file stands in a repository, or is proposed to it already.

    Raises:
        UserError: no such repository, or the token may not see it.
        RunError: the Hub cannot be reached.
    """
    refs = references(client, repository)
    main = refs.branches.get("main") or head(client, repository) or ""
    if _holds(client, repository, main, path, name):
        return Proposal("merged")
    for reference, commit in sorted(refs.pull_requests.items()):
        if _holds(client, repository, commit, path, name):
            return Proposal("proposed", reference)
    return Proposal("absent")


def propose(
    client: Client,
    repository: Repository,
    path: Path,
    name: str,
    *,
    title: str,
    description: str = "",
) -> Proposal:
    """Open a pull request with one file, unless it is there or proposed already.

    Args:
        client: who asks; no more than the right to read is needed.
        repository: somebody's repository.
        path: the file.
        name: its name there.
        title: of the pull request.
        description: its text.

    Raises:
        UserError: no such repository, or it takes no pull requests.
        RunError: the Hub cannot be reached.
    """
    from huggingface_hub import CommitOperationAdd

    def ask() -> Proposal:
        # Looked at before each try: an answer that was lost leaves a pull request behind.
        found = find_proposal(client, repository, path, name)
        if found.state != "absent":
            return found
        made = client.api.create_commit(
            repository.id,
            [CommitOperationAdd(name, str(path))],
            commit_message=title,
            commit_description=description,
            repo_type=repository.kind,
            create_pr=True,
            token=client.token,
        )
        return Proposal("proposed", str(made.pr_revision or ""))

    return persist(ask, f"a pull request to {repository}", client.patience)


def _holds(client: Client, repository: Repository, commit: str, path: Path, name: str) -> bool:
    there = remote_tree(client, repository, commit).get(name) if commit else None
    return there is not None and matches(path, there)
