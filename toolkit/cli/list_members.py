"""``toolkit list``."""

from __future__ import annotations

import click

from toolkit.cli.console import Console, pass_console
from toolkit.registry import KINDS, Kind

__all__ = ["command", "describe"]


@click.command("list")
@click.argument("kind", type=click.Choice(KINDS))
@pass_console
def command(console: Console, kind: Kind) -> None:
    """List what a recipe may name: metrics, sources, models, judges or analyses."""
    for name, about, built in describe(kind):
        console.say(f"{name:22} {about}" + ("" if built else " (not built yet)"))


def describe(kind: Kind) -> list[tuple[str, str, bool]]:
    """Return (name, first line of its documentation, whether it can run) of each member."""
    from toolkit.registry import is_built, member, names, params_class

    rows = []
    for name in names(kind):
        built = is_built(kind, name)
        documented = member(kind, name) if built else params_class(kind, name)
        about = (documented.__doc__ or "").strip().splitlines()[0].rstrip(".")
        rows.append((name, about, built))
    return rows
