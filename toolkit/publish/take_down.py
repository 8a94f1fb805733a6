"""Take items down from every revision of a dataset."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolkit.errors import RunError, UserError
from toolkit.hub.commit import push
from toolkit.hub.plan import ChangeSet, plan_changes
from toolkit.hub.repository import References, Repository, head, references
from toolkit.hub.rewrite import (
    delete_branch,
    delete_large_files,
    history_length,
    large_files,
    make_branch,
    squash,
)
from toolkit.hub.tags import delete_tag, make_tag
from toolkit.hub.tree import remote_tree
from toolkit.publish.effects import Effect, effects
from toolkit.publish.expected import expected_splits, load_again
from toolkit.publish.revisions import BRANCH, Revision, check_found, fetch, named_revisions, remake
from toolkit.publish.space_without import SpaceWithout, clear_space, plan_space_without
from toolkit.release.withdrawn import WITHDRAWN_FILE, Withdrawn, read_withdrawn
from toolkit.results.store import ResultStore

if TYPE_CHECKING:
    from toolkit.hub.client import Client

__all__ = ["TakeDown", "plan_take_down", "take_down"]

_MESSAGE: Final = "Items taken down"


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeDown:
    """What taking items down will do.

    Attributes:
        dataset: the dataset.
        items: the ids.
        refs: its branches, tags and pull requests, as they are.
        revisions: what is made anew, ``main`` first.
        changes: what a commit to each would do.
        files: the files of each, with their sha256, by name of the revision.
        effects: scores with and without the items.
        foreign: tags that were not made here; they are left alone.
        copies: branches, tags and pull requests that are left alone, and lose a file with the
            items.
        spaces: the Spaces of its versions, without the texts of the items.
    """

    dataset: Repository
    items: tuple[str, ...]
    refs: References
    revisions: tuple[Revision, ...]
    changes: Mapping[str, ChangeSet]
    files: Mapping[str, Mapping[str, str]]
    effects: Sequence[Effect]
    foreign: Sequence[str]
    copies: Sequence[str]
    spaces: Sequence[SpaceWithout]

    @property
    def objects(self) -> set[str]:
        """sha256 of the files that hold the items."""
        return {sha for revision in self.revisions for sha in revision.old_objects}


def plan_take_down(
    client: Client, dataset: Repository, withdrawn: Sequence[Withdrawn], scratch: Path
) -> TakeDown:
    """Make every revision anew on this disk, without the items.

    Args:
        client: reads only.
        dataset: the dataset.
        withdrawn: the items; their ``version`` is filled in.
        scratch: an empty folder.

    Raises:
        UserError: no version holds an item, a split would be empty, or the gate stops a file.
        RunError: the Hub cannot be reached.
    """
    refs = references(client, dataset)
    items = {item.item_id for item in withdrawn}
    found: list[Revision] = []
    foreign: list[str] = []
    for number, (name, commit) in enumerate(named_revisions(refs).items()):
        one = fetch(client, dataset, name, commit, scratch / f"{number:04d}", items)
        if one is None:
            foreign.append(name)
        else:
            found.append(one)
    if "main" in foreign:
        raise UserError(
            f"{dataset} was not published by this program: it cannot be made anew",
            hint="publish a run to it first, or remove the rows by hand",
        )
    check_found(items, found)
    newest = found[0].version
    dated = [
        Withdrawn(item_id=i.item_id, reason=i.reason, date=i.date, version=newest)
        for i in withdrawn
    ]
    files = {one.name: remake(one, found, dated, client.token) for one in found}
    changes = {
        one.name: plan_changes(
            one.folder, files[one.name], one.head.tree, one.commit, owned=one.head.made_here
        )
        for one in found
    }
    old = {sha for one in found for sha in one.old_objects}
    return TakeDown(
        dataset=dataset,
        items=tuple(sorted(items)),
        refs=refs,
        revisions=tuple(found),
        changes=changes,
        files=files,
        effects=effects(ResultStore(found[0].folder), items),
        foreign=foreign,
        copies=list(_copies(client, dataset, refs, old, foreign)),
        spaces=list(_spaces(client, found, items, scratch)),
    )


def _spaces(
    client: Client, found: Sequence[Revision], items: Collection[str], scratch: Path
) -> Iterator[SpaceWithout]:
    # Whatever was taken down before may not come back either.
    gone = set(items)
    for one in found:
        gone |= {i.item_id for i in read_withdrawn(one.head.texts.get(WITHDRAWN_FILE))}
    texts = {text for one in found for text in one.texts}
    facts = {name: one.facts.card for one in reversed(found) if (name := one.facts.leaderboard)}
    for number, (name, card) in enumerate(sorted(facts.items())):
        folder = scratch / f"space-{number:04d}"
        yield plan_space_without(client, name, gone, texts, card, folder)


def _copies(
    client: Client,
    dataset: Repository,
    refs: References,
    old: Collection[str],
    foreign: Collection[str],
) -> Iterator[str]:
    others = {name: refs.tags[name] for name in foreign if name in refs.tags} | {
        name: commit
        for name, commit in refs.branches.items()
        if name != "main" and not name.startswith(BRANCH)
    }
    for name, commit in sorted((others | dict(refs.pull_requests)).items()):
        tree = remote_tree(client, dataset, commit)
        if any(file.sha256 in old for file in tree.values()):
            yield name


def take_down(client: Client, plan: TakeDown, scratch: Path, say: Callable[[str], None]) -> int:
    """Carry out a plan.

    The Spaces go first, then ``main``; each version then gets a commit without a past, which is
    read back before its tag is made again on it. A take-down that was interrupted goes on with
    the same command.

    Args:
        client: needs the right to write.
        plan: what to do.
        scratch: an empty folder.
        say: is told what is being done.

    Returns:
        How many large files were deleted for good.

    Raises:
        HeadMoved: somebody else changed the dataset since it was planned.
        UserError: the Hub refuses something.
        RunError: the Hub cannot be reached, or holds something else than was sent; or the items
            are gone from the dataset, and a Space could not be changed.
    """
    _check_listed(client, plan)
    left = list(_clear_spaces(client, plan, say))
    for revision in plan.revisions:
        if revision.name == "main":
            _main(client, plan, revision, say)
        else:
            _version(client, plan, revision, scratch, say)
    say("deleting the files that held them")
    used = _used(client, plan.dataset)
    gone = delete_large_files(
        client,
        plan.dataset,
        lambda file: bool(file.names & plan.objects) or not file.names & used,
    )
    _check(client, plan)
    if left:
        raise RunError(
            f"the items are gone from {plan.dataset}, and their texts may still be shown: "
            + "; ".join(left),
            hint="run the same command again with a token that may write there, or delete the "
            "Space on the Hub",
        )
    return gone


def _clear_spaces(client: Client, plan: TakeDown, say: Callable[[str], None]) -> Iterator[str]:
    """Change the Spaces; yield what could not be done, which keeps nothing in the dataset."""
    for one in plan.spaces:
        fault = one.fault
        try:
            clear_space(client, one, say)
        except UserError as error:
            fault = error.message
        if fault:
            yield f"{one.space}: {fault}"


def _main(client: Client, plan: TakeDown, revision: Revision, say: Callable[[str], None]) -> None:
    changes = plan.changes["main"]
    if not changes.empty:
        say("main: a commit without them")
        push(client, plan.dataset, changes, message=_MESSAGE)
    if history_length(client, plan.dataset, "main") > 1:
        say("main: its history becomes one commit")
        squash(client, plan.dataset, "main", _MESSAGE)


def _version(
    client: Client,
    plan: TakeDown,
    revision: Revision,
    scratch: Path,
    say: Callable[[str], None],
) -> None:
    tag, branch = revision.name, BRANCH + revision.name
    changes = plan.changes[tag]
    done = tag in plan.refs.tags and changes.empty
    if done and history_length(client, plan.dataset, tag) == 1:
        if branch in plan.refs.branches:
            delete_branch(client, plan.dataset, branch)
        return
    say(f"{tag}: a commit without them and without a past")
    if tag in plan.refs.tags:
        make_branch(client, plan.dataset, branch, revision.commit)
    if not changes.empty:
        push(client, plan.dataset, changes, message=_MESSAGE, branch=branch)
    squash(client, plan.dataset, branch, f"Version {revision.version}")
    fresh = head(client, plan.dataset, branch)
    assert fresh is not None
    say(f"{tag}: reading {fresh[:8]} back")
    expected = expected_splits(revision.folder, list(plan.files[tag]))
    load_again(client, plan.dataset.id, fresh, expected, scratch / "read_back")
    delete_tag(client, plan.dataset, tag)
    make_tag(client, plan.dataset, tag, fresh, message=f"Version {revision.version}")
    delete_branch(client, plan.dataset, branch)


def _used(client: Client, dataset: Repository) -> set[str]:
    """Return the sha256 of every large file that a branch, tag or pull request refers to."""
    refs = references(client, dataset)
    commits = {*refs.branches.values(), *refs.tags.values(), *refs.pull_requests.values()}
    trees = [remote_tree(client, dataset, commit) for commit in sorted(commits)]
    return {file.sha256 for tree in trees for file in tree.values() if file.sha256 is not None}


def _check_listed(client: Client, plan: TakeDown) -> None:
    """Refuse to begin what could not be brought to its end.

    Raises:
        RunError: the Hub does not list a file that holds the items, so it could not be deleted.
    """
    names = {name for file in large_files(client, plan.dataset) for name in file.names}
    unlisted = sorted(plan.objects - names)
    if unlisted:
        raise RunError(
            f"{plan.dataset}: the Hub does not list the file {unlisted[0][:12]} among those that "
            "can be deleted; nothing was changed",
            hint="look at Settings, Storage usage, of the dataset on the Hub",
        )


def _check(client: Client, plan: TakeDown) -> None:
    """Look at what stands there now.

    Raises:
        RunError: a file that held the items is still there, or a tag is missing.
    """
    kept = {name for file in large_files(client, plan.dataset) for name in file.names}
    left = plan.objects & kept
    refs = references(client, plan.dataset)
    missing = [one.name for one in plan.revisions[1:] if one.name not in refs.tags]
    if left or missing:
        what = [f"the file {sha[:12]} is still kept" for sha in sorted(left)]
        what += [f"the tag {name} is missing" for name in missing]
        raise RunError(f"{plan.dataset}: {'; '.join(what)}", hint="run the same command again")
