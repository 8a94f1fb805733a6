"""``toolkit check``."""

from __future__ import annotations

import click

from toolkit.cli.console import Console, pass_console, recipe_options

__all__ = ["check_recipe", "command"]


@click.command("check")
@click.argument("recipe")
@recipe_options
@pass_console
def command(
    console: Console, recipe: str, overrides: tuple[str, ...], limit: int | None, trust_local: bool
) -> None:
    """Check a recipe and report every fault at once; nothing is started."""
    for note in check_recipe(recipe, overrides, limit=limit, trust_local=trust_local):
        console.note(f"note: {note}")
    console.say(f"{recipe}: the recipe is good")


def check_recipe(
    file: str,
    overrides: tuple[str, ...] = (),
    *,
    limit: int | None = None,
    trust_local: bool = False,
) -> list[str]:
    """Check a recipe, its prompts, its label lists and its suites.

    Returns:
        Sentences about what is not wrong but missing for a run: variables that are not set,
        parts that this version cannot run yet.

    Raises:
        RecipeError: the recipe has faults.
        UserError: a file cannot be read, or a suite has faults.
    """
    from toolkit.ask.secrets import missing_secrets
    from toolkit.plan.graph import suite_path
    from toolkit.plan.unbuilt import unbuilt_sentences
    from toolkit.recipe.language import VALIDATED
    from toolkit.recipe.load import load_recipe
    from toolkit.release.gate import refuse_unpublishable
    from toolkit.validate.suite import load_suite

    recipe = load_recipe(file, overrides=overrides, limit=limit, trust_local=trust_local)
    for kind in VALIDATED:
        load_suite(suite_path(recipe, kind))
    refuse_unpublishable(recipe)
    missing = missing_secrets(recipe.secret_names, recipe.folder)
    notes = [f"the environment variable {name} is not set; a run needs it" for name in missing]
    return notes + list(dict.fromkeys(unbuilt_sentences(recipe)))
