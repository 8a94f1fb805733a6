"""``toolkit ledger``."""

from __future__ import annotations

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
def _export(console: Console, file: str) -> None:
    """Write every finished call to a JSONL file, so that colleagues need not pay again."""
    from toolkit.store.ledger import Ledger
    from toolkit.store.ledger_transfer import export_ledger

    with Ledger(_path(console)) as ledger:
        count = export_ledger(ledger, Path(file))
    console.say(f"{count:,} calls written to {file}; it holds prompts and replies in full")


@command.command("import")
@click.argument("file")
@pass_console
def _import(console: Console, file: str) -> None:
    """Add the calls of an exported JSONL file or of another ledger.sqlite."""
    from toolkit.errors import SourceError
    from toolkit.store.ledger import Ledger
    from toolkit.store.ledger_transfer import import_ledger, merge_ledger

    # Before the ledger is opened, which would make a workspace.
    if not Path(file).is_file():
        raise SourceError(
            f"no file '{file}'", hint="give what `toolkit ledger export` wrote, or a ledger.sqlite"
        )
    with Ledger(_path(console)) as ledger:
        add = merge_ledger if file.endswith(".sqlite") else import_ledger
        added = add(ledger, Path(file))
    console.say(f"{added.new:,} calls added, {added.present:,} were there already")


@command.command("count")
@pass_console
def _count(console: Console) -> None:
    """Count calls by outcome, with tokens and money."""
    from toolkit.store.ledger import Ledger
    from toolkit.store.ledger_types import PICO

    with Ledger(_path(console)) as ledger:
        counts = ledger.counts()
    for what, states in (("requests", counts.requests), ("calls", counts.calls)):
        for state, number in states.items():
            console.say(f"{f'{what} {state}':24} {number:,}")
    console.say(f"{'prompt tokens':24} {counts.prompt_tokens:,}")
    console.say(f"{'completion tokens':24} {counts.completion_tokens:,}")
    console.say(f"{'at most spent':24} ${counts.spent_pico_usd / PICO:.4f}")


def _path(console: Console) -> Path:
    from toolkit.store.workspace import find_workspace

    return find_workspace(console.workspace).ledger
