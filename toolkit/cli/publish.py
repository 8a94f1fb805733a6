"""``toolkit publish``."""

from __future__ import annotations

from pathlib import Path

import click

from toolkit.cli.console import Console, pass_console

__all__ = ["command"]


@click.command("publish")
@click.argument("run", default="latest")
@click.option("--to", "folder", required=True, metavar="DIR", help="Folder to write into.")
@pass_console
def command(console: Console, run: str, folder: str) -> None:
    """Write a run's release into a folder that is exactly a Hub dataset repository."""
    from toolkit.release.folder import publish_release
    from toolkit.store.workspace import find_workspace

    source = find_workspace(console.workspace).run(run)
    for path in publish_release(source, Path(folder)):
        console.say(str(path))
