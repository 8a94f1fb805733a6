"""``toolkit init``."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from toolkit.cli.console import Console, pass_console

__all__ = ["command", "copy_recipe", "next_step", "shipped_recipes"]


@click.command("init")
@click.argument("recipe", required=False)
@click.option("--to", "folder", default=".", metavar="DIR", help="Folder to copy into.")
@pass_console
def command(console: Console, recipe: str | None, folder: str) -> None:
    """Copy a shipped recipe and the files it needs into the current folder."""
    if recipe is None:
        console.say("recipes to start from:")
        for name, about in shipped_recipes().items():
            console.say(f"  {name:14} {about}")
        console.say("copy one: toolkit init NAME")
        return
    copied = copy_recipe(recipe, Path(folder))
    for path in copied:
        console.say(str(path))
    console.say(next_step(copied[0]))


def next_step(file: Path) -> str:
    """Return what to do with a copied recipe: run it, or read what cannot be run yet.

    Raises:
        RecipeError: the recipe has faults.
    """
    from toolkit.plan.unbuilt import unbuilt_sentences
    from toolkit.recipe.load import load_recipe

    missing = len(set(unbuilt_sentences(load_recipe(file))))
    if not missing:
        return f"next: toolkit plan {file}, then toolkit run {file}"
    parts = "one part" if missing == 1 else f"{missing} parts"
    return (
        f"this version checks the whole recipe and cannot run {parts} of it yet\n"
        f"next: toolkit check {file} names them; without them, toolkit run {file} does the rest"
    )


def shipped_recipes() -> dict[str, str]:
    """Return the names of the shipped recipes and the first comment line of each."""
    from toolkit.data import data_dir

    found: dict[str, str] = {}
    for path in sorted(data_dir("recipes").glob("*.yaml")):
        comments = [
            line.lstrip("# ").strip()
            for line in path.read_text(encoding="utf-8").splitlines()[:5]
            if line.startswith("#") and "yaml-language-server" not in line
        ]
        found[path.stem] = comments[0] if comments else ""
    return found


def copy_recipe(name: str, folder: Path) -> list[Path]:
    """Copy a recipe, what it extends, and every shipped file that they name.

    Args:
        name: name of a shipped recipe.
        folder: where to; files that are there already are never overwritten.

    Returns:
        The files copied, the recipe first.

    Raises:
        UserError: there is no such recipe, or a file is in the way with other content.
    """
    from toolkit.data import data_dir
    from toolkit.errors import UserError, suggest
    from toolkit.recipe.strict_yaml import load_yaml

    source = data_dir("recipes")
    file = source / f"{name}.yaml"
    if not file.is_file():
        raise UserError(f"no recipe called '{name}'", hint=suggest(name, list(shipped_recipes())))
    wanted = [file]
    named: set[Path] = set()
    # What a recipe extends, it needs; the list grows while it is read.
    for part in wanted:
        data = load_yaml(part.read_text(encoding="utf-8"), str(part)).data
        named |= _named_files(data, source)
        if (base := data.get("extends")) is not None:
            wanted.append(source / base)
    wanted += sorted(named.difference(wanted))
    targets = [(path, folder / path.relative_to(source)) for path in wanted]
    for path, target in targets:
        if target.is_file() and target.read_bytes() != path.read_bytes():
            raise UserError(
                f"{target} is there already and differs from the shipped one",
                hint="move it away, or copy into another folder with --to",
            )
    for path, target in targets:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return [target for _, target in targets]


def _named_files(data: object, source: Path) -> set[Path]:
    found: set[Path] = set()
    if isinstance(data, dict):
        for value in data.values():
            found |= _named_files(value, source)
    elif isinstance(data, list):
        for value in data:
            found |= _named_files(value, source)
    elif isinstance(data, str) and "/" in data and "://" not in data and not data.startswith("/"):
        found |= {path for path in source.glob(data) if path.is_file()}
        # Notes that explain a folder of samples travel with it.
        found |= {note for path in list(found) if (note := path.parent / "README.md").is_file()}
    return found
