"""The Space of the leaderboard: a static page, one commit, the gate before it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from toolkit.gate.base import GATE_FILE, Policy
from toolkit.gate.report import check_outgoing, require, verify
from toolkit.hub.commit import push
from toolkit.hub.plan import ChangeSet, plan_changes
from toolkit.hub.repository import Repository, create
from toolkit.publish.head import look
from toolkit.release.withdrawn import WITHDRAWN_FILE, read_withdrawn

if TYPE_CHECKING:
    from toolkit.hub.client import Client
    from toolkit.publish.source import Source
    from toolkit.publish.stage import Staged

__all__ = ["Page", "plan_space", "push_space"]

Page: TypeAlias = tuple[Repository, ChangeSet]
"""The Space, and what a commit to it would do."""


def plan_space(client: Client, source: Source, staged: Staged, folder: Path) -> Page | None:
    """Make the page and compare it with the Space; None without a Space or without results.

    Raises:
        UserError: the gate stops a file of it.
        RunError: the Hub cannot be reached.
    """
    name = source.publish.leaderboard
    if name is None or staged.rendered is None:
        return None
    from toolkit.space.build import SpaceAbout, build_space

    recipe, publish = source.run.recipe, source.publish
    gone = frozenset(item.item_id for item in read_withdrawn(_withdrawn(staged)))
    about = SpaceAbout(
        title=publish.pretty_name or str(recipe.get("title") or recipe["name"]),
        description=str(recipe.get("description") or ""),
        dataset=source.dataset,
        license=publish.license,
        organization=publish.organization or source.dataset.split("/")[0],
        citation=publish.citation or "",
        redistribution=publish.redistribution,
        access=str(recipe["corpus"]["access"]),
        run=source.folder,
        withdrawn=gone,
    )
    names = build_space(staged.rendered.board, staged.store, about, folder)
    policy = Policy(
        access=about.access,
        redistribution=publish.redistribution,
        pubmed=False,
        configs={},
        rights=publish.rights,
        withdrawn=gone,
        secrets=(client.token, *source.secrets),
    )
    report = check_outgoing(folder, names, policy)
    require(report)
    (folder / GATE_FILE).write_text(report.text(), encoding="utf-8")
    repository = Repository("space", name)
    head = look(client, repository)
    changes = plan_changes(folder, report.gated, head.tree, head.commit, owned=head.made_here)
    return repository, changes


def _withdrawn(staged: Staged) -> str:
    there = WITHDRAWN_FILE in staged.names
    return (staged.folder / WITHDRAWN_FILE).read_text(encoding="utf-8") if there else ""


def push_space(client: Client, source: Source, planned: Page, *, message: str) -> str | None:
    """Bring the Space up to date.

    Returns:
        The commit; None where nothing had to change.

    Raises:
        HeadMoved: somebody else changed it in the meantime.
        UserError: the Hub refuses a file, or one changed after the gate looked at it.
        RunError: the Hub cannot be reached.
    """
    repository, changes = planned
    if changes.base is None:
        create(client, repository, private=source.publish.private)
        head = look(client, repository)
        changes = plan_changes(
            changes.folder, changes.gated, head.tree, head.commit, owned=head.made_here
        )
    if changes.empty:
        return None
    text = (changes.folder / GATE_FILE).read_text(encoding="utf-8")
    verify(changes.folder, [name for name in changes.wanted if name != GATE_FILE], text)
    return push(client, repository, changes, message=message)
