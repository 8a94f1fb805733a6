"""``toolkit schema``."""

from __future__ import annotations

import json

import click

from toolkit.cli.console import Console, pass_console

__all__ = ["command"]


@click.command("schema")
@pass_console
def command(console: Console) -> None:
    """Print the JSON Schema (draft 2020-12) of recipes, for editors and other tools."""
    from toolkit.recipe.language import recipe_schema

    console.say(json.dumps(recipe_schema(), indent=2, ensure_ascii=False))
