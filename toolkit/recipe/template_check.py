"""Check prompts before anything runs: templates compile, and each slot has a filling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path as FilePath

from toolkit.errors import Fault, suggest
from toolkit.recipe.faults import Places, schema_faults
from toolkit.recipe.params import json_schema
from toolkit.recipe.parser_check import parser_problems
from toolkit.recipe.parsers import PARSERS
from toolkit.recipe.recipe import Recipe
from toolkit.recipe.sections import Prompt
from toolkit.recipe.slots import parse_slot
from toolkit.recipe.strict_yaml import Path
from toolkit.records import TABLES

__all__ = ["prompt_faults"]


def prompt_faults(recipe: Recipe, prompt: Prompt, path: Path, places: Places) -> Iterator[Fault]:
    """Yield the faults of one prompt: files, slots, parser, shots."""
    if (prompt.file is None) == (prompt.user is None):
        yield places.fault(path, "write either file:, or system: and user:", key=True)
        return
    if prompt.system is not None and prompt.user is None:
        yield places.fault((*path, "system"), "system: goes with user:, not with file:", key=True)
    yield from _slot_faults(recipe, prompt, path, places)
    yield from _template_faults(prompt, path, places)
    yield from _parser_faults(prompt, (*path, "parser"), places)
    if prompt.shots is not None:
        known = list(recipe.splits.names) if recipe.splits else []
        if known and prompt.shots.from_ not in known:
            yield places.fault(
                (*path, "shots", "from"),
                f"there is no split called '{prompt.shots.from_}'",
                suggest(prompt.shots.from_, known),
            )


def _parser_faults(prompt: Prompt, path: Path, places: Places) -> Iterator[Fault]:
    declared = prompt.parser
    named: Mapping[str, object] = {declared: {}} if isinstance(declared, str) else declared
    if len(named) != 1:
        yield places.fault(path, "wants exactly one parser", "write parser: {name: parameters}")
        return
    name, params = next(iter(named.items()))
    if name not in PARSERS:
        known = sorted(PARSERS)
        yield places.fault(path, f"there is no parser called '{name}'", suggest(name, known))
        return
    # A parser's name without parameters must be enough for it, too.
    faults = schema_faults(params, json_schema(PARSERS[name]), places, (*path, name))
    yield from faults
    if not faults and isinstance(params, Mapping):
        for problem in parser_problems(name, params):
            here = (*path, name, *problem.path)
            yield places.fault(here, problem.reason, problem.suggestion)


def _columns(recipe: Recipe) -> dict[str, str]:
    """Return the columns of the items and their types; nothing where only the data can tell."""
    if recipe.corpus.source not in ("pubmed_xml", "eutils") or recipe.corpus.join:
        return {}
    group = {"group": "string"} if recipe.splits is not None else {}
    return {column.name: column.type for column in TABLES["items"]} | group


def _slot_faults(recipe: Recipe, prompt: Prompt, path: Path, places: Places) -> Iterator[Fault]:
    columns = _columns(recipe)
    for name, value in prompt.slots.items():
        here = (*path, "slots", name)
        try:
            slot = parse_slot(value)
        except ValueError as error:
            yield places.fault(here, str(error))
            continue
        if slot.kind in ("field", "derive") and columns and slot.name not in columns:
            # Lists of structs may be shown to a model, but nobody means them by mistake.
            likely = [name for name, type_ in columns.items() if not type_.startswith("list")]
            yield places.fault(
                here, f"no item has a column '{slot.name}'", suggest(slot.name, likely)
            )
        if slot.kind == "judged" and path[0] == "prompts":
            yield places.fault(
                here, "judged: slots belong to judges", "write field:, derive: or answer:"
            )
        if (
            slot.kind in ("answer", "run")
            and path[0] == "prompts"
            and slot.name not in recipe.prompts
        ):
            yield places.fault(
                here,
                f"there is no prompt called '{slot.name}'",
                suggest(slot.name, list(recipe.prompts)),
            )


def _template_faults(prompt: Prompt, path: Path, places: Places) -> Iterator[Fault]:
    from jinja2 import TemplateSyntaxError, meta
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment()
    used: set[str] = set()
    for key in ("file", "system", "user"):
        file = getattr(prompt, key)
        if file is None or not FilePath(file).is_file():
            continue
        try:
            tree = environment.parse(FilePath(file).read_text(encoding="utf-8"))
        except (TemplateSyntaxError, UnicodeDecodeError) as error:
            line = getattr(error, "lineno", 1)
            yield places.fault((*path, key), f"{FilePath(file).name}:{line}: {error}")
            continue
        names = meta.find_undeclared_variables(tree) - {"shots"}
        used |= names
        for name in sorted(names - set(prompt.slots)):
            yield places.fault(
                (*path, key),
                f"{FilePath(file).name} has the slot '{name}', which nothing fills",
                f"add it under slots:, e.g. {name}: field:COLUMN",
            )
    if prompt.file is None or FilePath(prompt.file).is_file():
        for name in sorted(set(prompt.slots) - used):
            yield places.fault(
                (*path, "slots", name),
                f"no template of this prompt has the slot '{name}'",
                suggest(name, sorted(used)),
                key=True,
            )
