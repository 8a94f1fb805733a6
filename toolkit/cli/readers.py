"""``toolkit readers``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolkit.cli.console import Console, pass_console, recipe_options

if TYPE_CHECKING:
    from toolkit.readers.collect import Collected

__all__ = ["command"]


@click.group("readers")
def command() -> None:
    """Give readers a form of a recipe as files, and bring their ratings back."""


@command.command("export")
@click.argument("recipe")
@click.option("--form", metavar="NAME", help="Form of human.forms; may be left out if it is alone.")
@click.option("--out", required=True, metavar="DIR", help="Folder to be written.")
@recipe_options
@pass_console
def _export(
    console: Console,
    recipe: str,
    form: str | None,
    out: str,
    overrides: tuple[str, ...],
    limit: int | None,
    trust_local: bool,
) -> None:
    """Draw the cases of a form from a finished run.

    Writes cases.csv, a copy of it for each reader (rater_1.csv, ...), instructions.txt, and
    key.csv and form.json, which readers do not get.
    """
    from toolkit.readers.export import export_form
    from toolkit.recipe.load import load_recipe
    from toolkit.report.text import printable
    from toolkit.store.workspace import find_workspace

    loaded = load_recipe(recipe, overrides=overrides, limit=limit, trust_local=trust_local)
    made = export_form(loaded, form, find_workspace(console.workspace), Path(out))
    for line in (*made.counts, *made.notes):
        console.say(printable(line))
    console.say(f"{out}: {', '.join(made.files)}; key.csv and form.json are not for readers")
    console.say(f"next: toolkit readers import {out}")


@command.command("import")
@click.argument("folder", metavar="DIR")
@click.argument("files", nargs=-1, metavar="[RATED.csv]...")
@click.option("--out", metavar="DIR", help="Where ratings go; 'ratings' in DIR by default.")
@pass_console
def _import(console: Console, folder: str, files: tuple[str, ...], out: str | None) -> None:
    """Check the files that readers filled in and write their ratings.

    DIR is what the export wrote; without files, its rater_*.csv are read. A file's name is the
    reader's name. Every fault is named with its line, and nothing is written then.
    """
    from toolkit.readers.collect import collect_ratings
    from toolkit.report.text import printable

    collected = collect_ratings(
        Path(folder), [Path(name) for name in files], None if out is None else Path(out)
    )
    for one in collected:
        console.say(printable(_line(one)))
        if one.file is not None:
            console.say(f"  judge of the recipe: {{type: human, file: {one.file}, scores: ...}}")


def _line(one: Collected) -> str:
    if one.file is None:
        return f"{one.rater}: no case rated, nothing written"
    parts = [f"{one.rater}: {one.rated:,} cases rated"]
    if one.partly:
        parts.append(f"in part {', '.join(one.partly)}")
    if one.unrated:
        parts.append(f"not rated {', '.join(one.unrated)}")
    return "; ".join(parts)
