"""``toolkit clean``."""

from __future__ import annotations

import click

from toolkit.cli.console import Console, pass_console

__all__ = ["command"]


@click.command("clean")
@click.option("--yes", is_flag=True, help="Delete; without it, only what would go is listed.")
@pass_console
def command(console: Console, yes: bool) -> None:
    """Remove artifacts that no run refers to; the ledger of paid calls always stays."""
    from toolkit.store.clean import remove, unused_artifacts
    from toolkit.store.workspace import find_workspace

    workspace = find_workspace(console.workspace)
    unused = unused_artifacts(workspace)
    for entry in unused:
        console.say(f"{entry.bytes / 1e6:10.1f} MB  {entry.folder}")
    total = sum(entry.bytes for entry in unused)
    if not yes:
        console.say(
            f"{len(unused)} artifacts, {total / 1e6:.1f} MB, would be deleted; say --yes to do it"
        )
        return
    console.say(f"{remove(workspace, unused) / 1e6:.1f} MB freed")
