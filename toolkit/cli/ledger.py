"""``toolkit ledger``."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.group("ledger")
def command() -> None:
    """Export, import and count paid calls."""
