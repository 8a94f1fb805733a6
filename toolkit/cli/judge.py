"""``toolkit judge``."""

from __future__ import annotations

import click

from toolkit.cli.console import Console, pass_console, recipe_options

__all__ = ["command"]


@click.command("judge")
@click.argument("recipe")
@recipe_options
@pass_console
def command(
    console: Console, recipe: str, overrides: tuple[str, ...], limit: int | None, trust_local: bool
) -> None:
    """Judge a recipe's answers again; finished calls are reused, new ones within the budget."""
    from toolkit.cli.run import run_and_tell
    from toolkit.recipe.load import load_recipe

    loaded = load_recipe(recipe, overrides=overrides, limit=limit, trust_local=trust_local)
    run_and_tell(console, loaded, "judge")
