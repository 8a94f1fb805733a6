"""``toolkit ledger``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from toolkit.cli.console import Console, pass_console

__all__ = ["command"]


@click.group("ledger")
def command() -> None:
    """Export, import and count paid calls."""


@command.command("export")
@click.argument("file")
@pass_console
def export(console: Console, file: str) -> None:
    """Write every finished call to a JSONL file, so that colleagues need not pay again."""
    from toolkit.store.ledger import Ledger
    from toolkit.store.ledger_transfer import export_ledger

    with Ledger(_path(console)) as ledger:
        count = export_ledger(ledger, Path(file))
    console.say(f"{count:,} calls written to {file}; it holds prompts and replies in full")


@command.command("import")
@click.argument("file")
@pass_console
def import_(console: Console, file: str) -> None:
    """Add the calls of an exported JSONL file or of another ledger.sqlite."""
    from toolkit.store.ledger import Ledger
    from toolkit.store.ledger_transfer import import_ledger, merge_ledger

    with Ledger(_path(console)) as ledger:
        add = merge_ledger if file.endswith(".sqlite") else import_ledger
        added = add(ledger, Path(file))
    console.say(f"{added.new:,} calls added, {added.present:,} were there already")


@command.command("count")
@pass_console
def count(console: Console) -> None:
    """Count calls by outcome, with tokens and money."""
    from toolkit.store.ledger import Ledger

    with Ledger(_path(console)) as ledger:
        for name, value in asdict(ledger.counts()).items():
            console.say(f"{name:24} {value:,}")


def _path(console: Console) -> Path:
    from toolkit.store.workspace import find_workspace

    return find_workspace(console.workspace).ledger
