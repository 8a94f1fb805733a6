"""What a push would change, file by file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from toolkit.errors import UserError
from toolkit.hub.paths import check_paths
from toolkit.hub.tree import Fingerprint, RemoteFile, fingerprint

__all__ = ["Change", "ChangeSet", "check_gated", "plan_changes"]

Letter = Literal["A", "M", "D", "="]


@dataclass(frozen=True, slots=True)
class Change:
    """One file: its name, its bytes now on the Hub, its bytes to be; None where it is not."""

    path: str
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeSet:
    """What one commit would do.

    Attributes:
        base: the commit it was planned from; None where the repository does not exist yet.
        folder: where the files to be sent lie, under their names.
        add: files that are new.
        update: files that get other bytes.
        delete: files that go.
        same: files that stay as they are.
        foreign: files of the repository that nobody here has made; they are left alone.
        files: what the bytes of each file of ours must be, as the gate has seen them.
    """

    base: str | None
    folder: Path
    add: Sequence[Change] = ()
    update: Sequence[Change] = ()
    delete: Sequence[Change] = ()
    same: Sequence[Change] = ()
    foreign: Sequence[Change] = ()
    files: Mapping[str, Fingerprint] = field(default_factory=dict, repr=False)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to commit."""
        return not (self.add or self.update or self.delete)

    @property
    def sent(self) -> tuple[str, ...]:
        """Names of the files whose bytes are sent, sorted."""
        return tuple(sorted(change.path for change in (*self.add, *self.update)))

    @property
    def wanted(self) -> tuple[str, ...]:
        """Names of all files of ours that stand in the repository afterwards, sorted."""
        return tuple(sorted(change.path for change in (*self.add, *self.update, *self.same)))

    @property
    def gated(self) -> dict[str, str]:
        """The sha256 of each file of ours, to plan the same files anew."""
        return {name: file.sha256 for name, file in self.files.items()}

    def lines(self) -> list[tuple[Letter, Change]]:
        """Return every file with its letter: added, modified, deleted, or the same."""
        parts: tuple[tuple[Letter, Sequence[Change]], ...] = (
            ("A", self.add),
            ("M", self.update),
            ("D", self.delete),
            ("=", self.same),
        )
        found = [(letter, change) for letter, changes in parts for change in changes]
        return sorted(found, key=lambda pair: pair[1].path)


def plan_changes(
    folder: Path,
    names: Iterable[str] | Mapping[str, str],
    tree: Mapping[str, RemoteFile],
    base: str | None,
    *,
    owned: Iterable[str] = (),
) -> ChangeSet:
    """Compare a folder with a commit.

    Args:
        folder: holds the files as they are to be.
        names: the files, relative POSIX names, with the sha256 that the gate has seen of each;
            without sha256, they are to be what they are now. Nothing else of the folder is
            looked at.
        tree: the files of the commit.
        base: the commit; None for none.
        owned: files of the commit that were made here, and go when ``names`` lacks them.

    Raises:
        UserError: a name cannot stand in a repository, a file is a link, is missing, or would
            change between upper and lower case only, or has other bytes than the gate has seen;
            all are listed.
    """
    wanted = sorted(set(names))
    check_paths(folder, wanted)
    files = {name: fingerprint(folder / name) for name in wanted}
    if isinstance(names, Mapping):
        check_gated({name: file.sha256 for name, file in files.items()}, names)
    mine = set(owned) & set(tree)
    add, update, same = [], [], []
    for name in wanted:
        size = files[name].size
        there = tree.get(name)
        if there is None:
            add.append(Change(name, None, size))
        elif files[name].matches(there):
            same.append(Change(name, there.size, size))
        else:
            update.append(Change(name, there.size, size))
    gone = sorted(mine - set(wanted))
    left = sorted(set(tree) - set(wanted) - mine)
    _check_letters(wanted, left)
    return ChangeSet(
        base=base,
        folder=folder,
        add=add,
        update=update,
        delete=[Change(name, tree[name].size, None) for name in gone],
        same=same,
        foreign=[Change(name, tree[name].size, tree[name].size) for name in left],
        files=files,
    )


def check_gated(found: Mapping[str, str], gated: Mapping[str, str]) -> None:
    """Refuse bytes that the gate has not seen.

    Args:
        found: sha256 of each file that is about to go.
        gated: sha256 of each file as the gate has seen it.

    Raises:
        UserError: files have other bytes; all are listed.
    """
    changed = [name for name, sha256 in found.items() if gated.get(name) != sha256]
    if changed:
        raise UserError(
            "these files changed after the gate looked at them:\n"
            + "\n".join(f"  {name}" for name in changed),
            hint="nothing was committed; publish again: the gate looks at what is there then",
        )


def _check_letters(wanted: Sequence[str], left: Sequence[str]) -> None:
    # A clone on a disk that knows no case would keep one of the two.
    lower = {name.casefold(): name for name in left}
    clash = [(name, lower[name.casefold()]) for name in wanted if name.casefold() in lower]
    if clash:
        raise UserError(
            f"the repository holds {clash[0][1]}, which differs from {clash[0][0]} in case only",
            hint="rename or delete it on the Hub",
        )
