"""Put a recipe together: the file, what it extends, and what the command line sets."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolkit.errors import Fault, RecipeError, UserError
from toolkit.recipe.faults import Places
from toolkit.recipe.strict_yaml import Document, Mark, load_yaml, parse_value
from toolkit.recipe.strict_yaml import Path as ValuePath

__all__ = ["OVERRIDE", "Composed", "compose", "is_file"]

OVERRIDE = "--set"
MAX_EXTENDS = 8


@dataclass(frozen=True, slots=True)
class Composed:
    """The merged data and where each value of it stands."""

    data: dict[str, Any]
    places: Places


def compose(file: Path, overrides: Sequence[str] = ()) -> Composed:
    """Load a recipe, merge it over the one it extends, and apply overrides.

    Mappings merge key by key; lists and values replace; ``null`` takes out what the extended
    recipe has (RFC 7396). Deeper files win over what they extend.

    Args:
        file: the recipe.
        overrides: texts ``a.b.c=VALUE``; values are YAML.

    Raises:
        RecipeError: a file is no strict YAML mapping, or extends itself.
        UserError: a file cannot be read, or an override has no ``=``.
    """
    places = Places(str(file))
    data: dict[str, Any] = {}
    for document in reversed(_chain(file)):
        own = dict(document.data)
        own.pop("extends", None)
        _merge(data, own, (), document, places)
    for text in overrides:
        _override(data, text, places)
    return Composed(data, places)


def _chain(file: Path) -> list[Document]:
    current = file
    chain: list[Document] = []
    seen: set[Path] = set()
    while True:
        document = _read(current)
        seen.add(current.resolve())
        chain.append(document)
        parent = document.data.get("extends")
        if not isinstance(parent, str):
            return chain
        mark = document.values[("extends",)]
        target = current.parent / parent
        reason = ""
        if not is_file(target):
            reason = f"no file '{parent}' beside this recipe"
        elif target.resolve() in seen:
            reason = f"'{parent}' extends itself"
        elif len(chain) > MAX_EXTENDS:
            reason = f"more than {MAX_EXTENDS} recipes extend one another"
        if reason:
            raise RecipeError([Fault(mark.file, mark.line, mark.column, "extends", reason)])
        current = target


def is_file(path: Path) -> bool:
    """Return whether there is such a file; a name that no file can have names none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _read(file: Path) -> Document:
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise RecipeError(
            [Fault(str(file), 1, 1, "", f"not UTF-8 text at byte {error.start}")],
            hint="save the recipe as UTF-8",
        ) from None
    except OSError as error:
        raise UserError(
            f"{file}: {error.strerror or error}",
            hint="name a recipe file, or start from one: toolkit init",
        ) from None
    document = load_yaml(text.removeprefix("\ufeff"), str(file))
    if not isinstance(document.data, dict):
        raise RecipeError(
            [Fault(str(file), 1, 1, "", "a recipe is a mapping of keys such as name: and corpus:")]
        )
    return document


def _merge(
    base: dict[str, Any], own: dict[str, Any], path: ValuePath, document: Document, places: Places
) -> None:
    for key, value in own.items():
        here = (*path, key)
        places.keys[here] = document.keys[here]
        places.values[here] = document.values[here]
        current = base.get(key)
        if value is None and key in base:
            del base[key]
            for marks in (places.values, places.keys):
                for old in [old for old in marks if old[: len(here)] == here]:
                    del marks[old]
            continue
        if isinstance(current, dict) and isinstance(value, dict):
            # An anchor gives several places one mapping: only this one is to change.
            base[key] = dict(current)
            _merge(base[key], value, here, document, places)
            continue
        base[key] = deepcopy(value)
        for marks, source in ((places.values, document.values), (places.keys, document.keys)):
            for old in [old for old in marks if old[: len(here)] == here and old != here]:
                del marks[old]
            marks.update({new: mark for new, mark in source.items() if new[: len(here)] == here})


def _override(data: dict[str, Any], text: str, places: Places) -> None:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise UserError(f"--set {text}: no '='", hint="write --set key.inner=value")
    parsed = parse_value(value, f"{OVERRIDE} {name}")
    path: ValuePath = tuple(name.strip().split("."))
    target = data
    for part in path[:-1]:
        inner = target.setdefault(str(part), {})
        if not isinstance(inner, dict):
            raise UserError(
                f"--set {text}: '{part}' is not a mapping in this recipe",
                hint="override the whole value instead",
            )
        # As where recipes merge: other places may hold the same mapping.
        target[str(part)] = target = dict(inner)
    if parsed is None:
        # As in a recipe that extends another, null takes a value out.
        target.pop(str(path[-1]), None)
    else:
        target[str(path[-1])] = parsed
    for marks in (places.values, places.keys):
        for old in [old for old in marks if old[: len(path)] == path]:
            del marks[old]
        marks[path] = Mark(f"{OVERRIDE} {name.strip()}", 0, 0)
