"""Say what a publish would change on the Hub, and change nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolkit.hub.repository import Repository
from toolkit.publish.earlier import missing_tag
from toolkit.publish.head import Head, look
from toolkit.publish.lines import card_lines, change_lines, proposal_lines
from toolkit.publish.model_results import entries, look_up
from toolkit.publish.push import scratch_folder
from toolkit.publish.space import plan_space
from toolkit.publish.stage import Additions, stage
from toolkit.results.eval_yaml import eval_notes

if TYPE_CHECKING:
    from toolkit.hub.client import Client
    from toolkit.publish.source import Source

__all__ = ["dry_run_lines"]

_UNKNOWN = "0" * 40


def dry_run_lines(
    client: Client,
    source: Source,
    additions: Additions,
    *,
    card: bool = False,
) -> Iterator[str]:
    """Yield every change, file by file.

    The gate looks at everything as it does before a push.

    Args:
        client: reads only.
        source: the run.
        additions: what goes beside its data.
        card: show what changes in the card.

    Raises:
        UserError: as a publish would.
        RunError: the Hub cannot be reached.
    """
    repository = Repository("dataset", source.dataset)
    with scratch_folder(source) as scratch:
        head = look(client, repository)
        staged = stage(client, repository, source, head, scratch, additions)
        yield from change_lines(repository, staged.changes)
        if card:
            yield from card_lines(head, staged)
        left_over = missing_tag(source, head)
        if left_over is not None:
            yield f"the tag {left_over}, which is missing, would be made on {str(head.commit)[:8]}"
        yield _tag_line(source, head)
        planned = plan_space(client, source, staged, scratch / "space")
        if planned is not None:
            yield from change_lines(*planned)
        elif source.publish.leaderboard is not None:
            yield f"the Space {source.publish.leaderboard}: no results, nothing to show"
        yield from eval_notes(source.publish, source.folder)
        if additions.propose:
            revision = head.tags.get(source.tag, _UNKNOWN)
            found = entries(source, staged, revision, scratch / "entries")
            yield from proposal_lines(look_up(client, found), would=True)
    yield "nothing was changed"


def _tag_line(source: Source, head: Head) -> str:
    there = head.tags.get(source.tag)
    if there is not None:
        return f"the tag {source.tag} stays on {there[:8]}"
    return f"the tag {source.tag} would be made on the new commit, once it was read back"
