"""Publish a run: stage, gate, one commit, read back, tag, Space, proposals."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolkit.errors import RunError, StoreError
from toolkit.hub.commit import push
from toolkit.hub.failures import HeadMoved
from toolkit.hub.repository import Repository, create
from toolkit.hub.tags import make_tag
from toolkit.publish.earlier import finish_earlier, missing_tag
from toolkit.publish.expected import expected_splits, load_again
from toolkit.publish.head import Head, look
from toolkit.publish.model_results import entries, open_proposals
from toolkit.publish.space import Page, plan_space, push_space
from toolkit.publish.stage import Additions, Staged, gate, replan, stage

if TYPE_CHECKING:
    from toolkit.errors import ToolkitError
    from toolkit.hub.client import Client
    from toolkit.hub.pull_request import Proposal
    from toolkit.publish.model_results import Entry
    from toolkit.publish.source import Source

__all__ = ["Outcome", "publish_run", "scratch_folder"]

_UNKNOWN: Final = "0" * 40
_PLANS: Final = 3
"""How often a plan is made anew because somebody else committed in between."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a publish has done.

    Attributes:
        commit: the commit that holds the release.
        new_commit: it was made now.
        tag: the tag of the version.
        new_tag: it was made now.
        tagged: the commit that the tag stands on.
        space: commit of the Space that was made now; empty where nothing had to change; None
            where there is no Space or no result to show.
        proposals: the entries for models' pages, with how each stands.
    """

    commit: str
    new_commit: bool
    tag: str
    new_tag: bool
    tagged: str
    space: str | None
    proposals: list[tuple[Entry, Proposal | ToolkitError]] = field(default_factory=list)


def publish_run(
    client: Client,
    source: Source,
    additions: Additions,
    *,
    say: Callable[[str], None] = lambda text: None,
) -> Outcome:
    """Bring a run's release to the Hub.

    Whatever happens on the way, the dataset holds the old commit or the new one, whole; the
    same call again goes on from there. Nothing is written down here: what is done is what
    stands on the Hub.

    Args:
        client: who publishes.
        source: the run.
        additions: what goes beside its data.
        say: is told what is being done.

    Raises:
        UserError: the gate, the version, a split or the Hub refuses it.
        RunError: the Hub cannot be reached, or what it gives back is not what was sent.
    """
    repository = Repository("dataset", source.dataset)
    with scratch_folder(source) as scratch:
        staged, page, head, made = _commit(client, repository, source, additions, scratch, say)
        commit = made or head.commit
        assert commit is not None
        tagged = head.tags.get(source.tag)
        if made is not None or tagged is None:
            say(f"reading {commit[:8]} back")
            _read_back(client, source, staged, commit, scratch / "read_back")
        new_tag = False
        if tagged is None:
            new_tag = make_tag(
                client, repository, source.tag, commit, message=f"Version {source.version}"
            )
            tagged = commit
        space = None
        if page is not None:
            message = f"Results of {source.tag}"
            space = push_space(client, source, page, message=message) or ""
        proposals = []
        if additions.propose:
            found = entries(source, staged, tagged, scratch / "entries")
            proposals = open_proposals(client, source, found)
    return Outcome(
        commit=commit,
        new_commit=made is not None,
        tag=source.tag,
        new_tag=new_tag,
        tagged=tagged,
        space=space,
        proposals=proposals,
    )


def _commit(
    client: Client,
    repository: Repository,
    source: Source,
    additions: Additions,
    scratch: Path,
    say: Callable[[str], None],
) -> tuple[Staged, Page | None, Head, str | None]:
    """Stage and commit; plan again, a few times, when somebody else commits in between."""
    for left in reversed(range(_PLANS)):
        for name in ("staged", "before", "earlier", "space"):
            shutil.rmtree(scratch / name, ignore_errors=True)
        head = look(client, repository)
        left_over = missing_tag(source, head)
        if left_over is not None:
            say(f"reading {left_over} back, which was published and never tagged")
            finish_earlier(client, repository, left_over, head, scratch)
        say(f"looking at all that would go to {repository}")
        staged = stage(client, repository, source, head, scratch, additions)
        # The gate looks at the Space too before anything goes anywhere.
        page = plan_space(client, source, staged, scratch / "space")
        if additions.propose:
            # Whether there is anything to propose is known now.
            entries(source, staged, _UNKNOWN, scratch / "entries")
        if head.commit is None:
            create(client, repository, private=source.publish.private)
            head = look(client, repository)
            staged = replan(staged, source, head)
        if staged.changes.empty:
            return staged, page, head, None
        gate(staged)
        say(f"sending {len(staged.changes.sent)} files in one commit")
        try:
            made = push(client, repository, staged.changes, message=_message(source, head))
        except HeadMoved:
            if not left:
                raise
            say(f"{repository} was changed in the meantime: planning again")
        else:
            return staged, page, head, made
    raise AssertionError("the last round returns or raises")


def _message(source: Source, head: Head) -> str:
    known = {version.version for version in head.history}
    return f"{'Results of version' if source.version in known else 'Version'} {source.version}"


def _read_back(client: Client, source: Source, staged: Staged, commit: str, scratch: Path) -> None:
    expected = expected_splits(staged.folder, staged.names)
    try:
        load_again(client, source.dataset, commit, expected, scratch)
    except RunError as error:
        raise RunError(
            f"the commit {commit[:8]} of {source.dataset} stands, and is not what was sent: "
            f"{error.message}",
            hint=f"no tag was made, so nobody who asks for a version gets it. If the Hub was "
            f"merely slow, the same command goes on from here; if not, revert the commit at "
            f"{client.endpoint}/datasets/{source.dataset}/commits/main",
        ) from error


@contextmanager
def scratch_folder(source: Source) -> Iterator[Path]:
    """Give an empty folder of the workspace, one publish of a dataset at a time.

    Raises:
        StoreError: another process publishes to the dataset from this workspace.
    """
    from filelock import FileLock, Timeout

    workspace = source.run.workspace
    name = source.dataset.replace("/", "--")
    lock = FileLock(workspace.lock(f"publish-{name}"))
    workspace.lock(name).parent.mkdir(parents=True, exist_ok=True)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise StoreError(
            f"{source.dataset} is being published from this workspace by another process",
            hint="wait for it to end",
        ) from None
    folder = workspace.root / "publish" / name
    try:
        # What a publish left behind that was killed.
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        lock.release()
