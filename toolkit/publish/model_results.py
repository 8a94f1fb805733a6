"""Entries for the pages of models: proposed to their owners, never pushed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.errors import ToolkitError, UserError
from toolkit.hub.pull_request import Proposal, find_proposal, propose
from toolkit.hub.repository import Repository

if TYPE_CHECKING:
    from toolkit.hub.client import Client
    from toolkit.publish.source import Source
    from toolkit.publish.stage import Staged

__all__ = ["Entry", "entries", "look_up", "open_proposals"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A file for a model's repository."""

    model: Repository
    name: str
    path: Path


def entries(source: Source, staged: Staged, revision: str, folder: Path) -> list[Entry]:
    """Write the entries of the models that have a repository on the Hub.

    A repository that only a submitter names gets none: somebody else's word for whose it is.

    Args:
        source: the run.
        staged: the results.
        revision: commit of the release they were measured on.
        folder: where the files are written.

    Raises:
        UserError: the recipe names no headline number, or no model has a repository.
    """
    from toolkit.results.render import eval_results

    if not source.publish.tasks:
        raise UserError(
            "results can be proposed to models only with headline numbers",
            hint="add `publish.tasks`: {id, score, prompt} each",
        )
    board = staged.rendered.board if staged.rendered else None
    models = (source.run.recipe.get("models") or {}).values()
    own = {model["hub_id"] for model in models if model.get("hub_id")}
    found = eval_results(board, source.dataset, revision, own) if board else {}
    if not found:
        raise UserError(
            "no ranked model of the leaderboard has a repository on the Hub that the recipe names",
            hint="add `hub_id: org/name` to the models in the recipe; what others submit is not "
            "proposed",
        )
    written = []
    for number, (model, (name, text)) in enumerate(sorted(found.items())):
        path = folder / f"{number:04d}" / Path(name).name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        written.append(Entry(Repository("model", model), name, path))
    return written


def look_up(client: Client, found: list[Entry]) -> list[tuple[Entry, Proposal | ToolkitError]]:
    """Say of each entry whether it stands there, is proposed, or why nobody can tell."""
    states: list[tuple[Entry, Proposal | ToolkitError]] = []
    for entry in found:
        try:
            states.append((entry, find_proposal(client, entry.model, entry.path, entry.name)))
        except UserError as error:
            states.append((entry, error))
    return states


def open_proposals(
    client: Client, source: Source, found: list[Entry]
) -> list[tuple[Entry, Proposal | ToolkitError]]:
    """Open a pull request for each entry that is not there or proposed yet.

    One model whose repository takes none does not keep the others from theirs.

    Raises:
        RunError: the Hub cannot be reached.
    """
    title = f"Add evaluation results on {source.dataset}"
    states: list[tuple[Entry, Proposal | ToolkitError]] = []
    for entry in found:
        try:
            state = propose(client, entry.model, entry.path, entry.name, title=title)
            states.append((entry, state))
        except UserError as error:
            states.append((entry, error))
    return states
