"""Versions as tags: made once, never moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolkit.errors import UserError
from toolkit.hub.failures import Conflict, NotThere
from toolkit.hub.repository import Repository, tags
from toolkit.hub.retry import persist

if TYPE_CHECKING:
    from toolkit.hub.client import Client

__all__ = ["delete_tag", "make_tag"]


def make_tag(
    client: Client, repository: Repository, tag: str, commit: str, *, message: str = ""
) -> bool:
    """Tag a commit.

    Args:
        client: who asks.
        repository: where.
        tag: name of the tag.
        commit: the commit.
        message: what the tag says.

    Returns:
        Whether the tag was made now; False when it stands on this commit already.

    Raises:
        UserError: the tag stands on another commit; it is not moved.
        RunError: the Hub cannot be reached.
    """
    there = tags(client, repository).get(tag)
    if there == commit:
        return False
    if there is None:
        try:
            persist(
                lambda: client.api.create_tag(
                    repository.id,
                    tag=tag,
                    tag_message=message or None,
                    revision=commit,
                    repo_type=repository.kind,
                    token=client.token,
                ),
                f"the tag {tag} of {repository}",
                client.patience,
            )
        except Conflict:
            # Made by a try whose answer was lost, or by somebody else.
            pass
        else:
            return True
        there = tags(client, repository).get(tag)
        if there == commit:
            return True
    raise UserError(
        f"{repository} has the tag {tag} on another commit ({str(there)[:8]}): a released version "
        "is never moved",
        hint="raise `version` in the recipe and run it again",
    )


def delete_tag(client: Client, repository: Repository, tag: str) -> None:
    """Remove a tag; one that is not there is fine.

    Raises:
        UserError: the token may not do this.
        RunError: the Hub cannot be reached.
    """
    try:
        persist(
            lambda: client.api.delete_tag(
                repository.id, tag=tag, repo_type=repository.kind, token=client.token
            ),
            f"removing the tag {tag} of {repository}",
            client.patience,
        )
    except NotThere:
        return
