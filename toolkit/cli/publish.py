"""``toolkit publish``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolkit.cli.console import Console, pass_console

if TYPE_CHECKING:
    from toolkit.publish.push import Outcome
    from toolkit.publish.source import Source

__all__ = ["command"]


@click.command("publish")
@click.argument("run", default="latest")
@click.option("--to", "folder", metavar="DIR", help="Write a folder instead; nothing is sent.")
@click.option("--dry-run", is_flag=True, help="Show what would change on the Hub, file by file.")
@click.option(
    "--results",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="Reviewed results to publish with it.",
)
@click.option("--data-only", is_flag=True, help="Leave the results of the run itself out.")
@click.option(
    "--eval-results",
    is_flag=True,
    help="Propose the results to the owners of the models, as pull requests.",
)
@click.option(
    "--released-splits",
    metavar="FILE",
    help="Write the published split of each item for splits.frozen; send nothing.",
)
@click.option("--note", default="", metavar="TEXT", help="What changed in this version.")
@pass_console
def command(
    console: Console,
    run: str,
    folder: str | None,
    dry_run: bool,
    results: str | None,
    data_only: bool,
    eval_results: bool,
    released_splits: str | None,
    note: str,
) -> None:
    """Bring a run's release to the Hub as one commit and a tag, or write it into a folder.

    RUN is the name of a run's folder, latest, or its path. Where it goes stands in the recipe
    under publish; the same command again changes nothing.
    """
    from toolkit.store.workspace import find_workspace

    workspace = find_workspace(console.workspace)
    if folder is not None:
        from toolkit.release.folder import publish_release

        if dry_run or results or data_only or eval_results or released_splits or note:
            raise click.UsageError("--to writes a folder: it goes with no other option")
        for path in publish_release(workspace.run(run), Path(folder)):
            console.say(str(path))
        return
    from toolkit.hub.client import connect
    from toolkit.publish.source import open_source
    from toolkit.publish.stage import Additions

    source = open_source(workspace, run)
    additions = Additions(
        results=Path(results) if results else None,
        own=not data_only,
        note=note,
        propose=eval_results,
    )
    client = connect(source.publish.token_env, folder=source.recipe_folder)
    if released_splits is not None:
        from toolkit.publish.released_splits import write_released_splits

        count = write_released_splits(client, source, Path(released_splits))
        console.say(f"{released_splits}: {count} items")
        return
    if dry_run:
        from toolkit.publish.dry_run import dry_run_lines

        for line in dry_run_lines(client, source, additions, card=console.verbose > 0):
            console.say(line)
        return
    from toolkit.publish.push import publish_run

    outcome = publish_run(client, source, additions, say=console.note)
    _say(console, source, outcome)


def _say(console: Console, source: Source, outcome: Outcome) -> None:
    from toolkit.publish.lines import proposal_lines

    made = "is now at" if outcome.new_commit else "had nothing to change; it is at"
    console.say(f"{source.dataset} {made} {outcome.commit}")
    tag = "made" if outcome.new_tag else "there already"
    console.say(f"tag {outcome.tag}: {tag}, on {outcome.tagged}")
    if outcome.space is not None:
        space = f"is now at {outcome.space}" if outcome.space else "had nothing to change"
        console.say(f"the Space {source.publish.leaderboard} {space}")
    for line in proposal_lines(outcome.proposals, would=False):
        console.say(line)
    console.say(f'load_dataset("{source.dataset}", revision="{outcome.tag}")')
