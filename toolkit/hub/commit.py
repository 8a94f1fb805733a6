"""Make exactly one commit, whatever the connection does in the meantime."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from toolkit.errors import RunError
from toolkit.hub.failures import HeadMoved, Passing
from toolkit.hub.paths import check_paths
from toolkit.hub.plan import ChangeSet, check_gated
from toolkit.hub.repository import Repository, head
from toolkit.hub.retry import attempt, wait
from toolkit.hub.tree import RemoteFile, remote_tree

if TYPE_CHECKING:
    from toolkit.hub.client import Client

__all__ = ["check_landed", "push"]

_REGULAR: Final = 10 << 20
"""Most bytes of a file that git holds itself; the Hub stores larger ones as large files."""


def push(
    client: Client,
    repository: Repository,
    changes: ChangeSet,
    *,
    message: str,
    description: str = "",
    branch: str = "main",
) -> str:
    """Commit changes to a branch that still stands where they were planned from.

    The library sends a commit once; here it is sent again after an answer of 429 or 5xx, or a
    broken connection, but only after a look at the head: a commit that was made although its
    answer was lost is recognised by its files and not made twice.

    Args:
        client: who asks.
        repository: it must exist.
        changes: what to do; not empty, and planned from a commit.
        message: first line of the commit.
        description: further lines.
        branch: where to.

    Returns:
        The commit, whose files were compared with those that were to be.

    Raises:
        HeadMoved: somebody else committed in the meantime; nothing was changed.
        UserError: a file is not what it was when it was planned; the Hub refuses the token, the
            card or a file.
        RunError: the Hub stayed unreachable; or it made a commit with other files.
    """
    assert changes.base is not None and not changes.empty
    what = f"the commit to {repository}"
    send = partial(
        client.api.create_commit,
        repository.id,
        commit_message=message,
        commit_description=description,
        repo_type=repository.kind,
        revision=branch,
        parent_commit=changes.base,
        token=client.token,
    )
    for number in range(1, client.patience.tries + 1):
        # Used up by each try.
        operations = _operations(changes)
        try:
            made = attempt(partial(send, operations), what, client.patience)
            check_landed(client, repository, changes, made.oid)
            return str(made.oid)
        except (Passing, HeadMoved) as error:
            if isinstance(error, Passing):
                wait(error, number, client.patience)
            found = _landed(client, repository, changes, branch)
            if found is not None:
                return found
            if isinstance(error, HeadMoved) or number == client.patience.tries:
                raise
    raise AssertionError("the last try returns or raises")


def _operations(changes: ChangeSet) -> list[Any]:
    """Return the operations of a commit, whose bytes are those that the gate has seen.

    The library reads a file of git's again when it commits, so such files are read once, here,
    and their bytes are handed over. A large file goes by its path: the library takes its sha256
    now, and the server takes no other bytes under that name.

    Raises:
        UserError: a file has other bytes.
    """
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    check_paths(changes.folder, changes.sent)
    added, found = [], {}
    for name in changes.sent:
        path = changes.folder / name
        size = path.stat().st_size
        data = path.read_bytes() if size <= _REGULAR else str(path)
        operation = CommitOperationAdd(name, data)
        added.append(operation)
        found[name] = operation.upload_info.sha256.hex()
    check_gated(found, changes.gated)
    gone = [CommitOperationDelete(change.path, is_folder=False) for change in changes.delete]
    return [*added, *gone]


def _landed(client: Client, repository: Repository, changes: ChangeSet, branch: str) -> str | None:
    """Return the head when it holds the changes already, None when it has not moved.

    Raises:
        HeadMoved: it has moved to something else.
    """
    now = head(client, repository, branch)
    if now == changes.base:
        return None
    if now is not None and not _differences(changes, remote_tree(client, repository, now)):
        return now
    raise HeadMoved(
        f"{repository} was changed by somebody else while it was being written",
        hint="run the same command again: it plans from what stands there now",
    )


def check_landed(client: Client, repository: Repository, changes: ChangeSet, commit: str) -> None:
    """Compare the files of a commit with those that the gate has seen, not with the folder.

    Raises:
        RunError: files differ: the server left some out, say because of a ``.gitignore``.
    """
    found = _differences(changes, remote_tree(client, repository, commit))
    if found:
        raise RunError(
            f"{repository}: the commit {commit[:8]} is not what was sent; it differs in "
            f"{', '.join(found[:5])}",
            hint="a .gitignore in the repository leaves files out: remove it there; no tag was "
            "made",
        )


def _differences(changes: ChangeSet, tree: Mapping[str, RemoteFile]) -> list[str]:
    wrong = [
        name
        for name in changes.wanted
        if name not in tree or not changes.files[name].matches(tree[name])
    ]
    return wrong + [change.path for change in changes.delete if change.path in tree]
