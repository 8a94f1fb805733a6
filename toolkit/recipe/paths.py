"""Make the paths of a recipe absolute, and let none of them leave the recipe's folder."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from glob import has_magic, iglob
from itertools import chain
from pathlib import Path
from typing import Any

from toolkit.errors import Fault
from toolkit.recipe import sections
from toolkit.recipe.compose import OVERRIDE, is_file
from toolkit.recipe.faults import Places
from toolkit.recipe.human_section import Human
from toolkit.recipe.params import path_values
from toolkit.recipe.splits_section import Splits
from toolkit.recipe.strict_yaml import Path as ValuePath
from toolkit.registry import names, params_class

__all__ = ["resolve_paths"]

_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*://")

_DATA = ("corpus", "splits", "judges", "perturb", "human", "models")
"""Sections whose files are a user's own data: they may be absent until the run."""


def resolve_paths(data: dict[str, Any], places: Places, file: Path) -> list[Fault]:
    """Replace each path in ``data`` by an absolute one.

    Args:
        data: the composed recipe; changed in place.
        places: tells which file each path was written in; paths are relative to that file.
        file: the recipe.

    Returns:
        A fault for each path that leaves the recipe's folder or names a missing file.
    """
    faults: list[Fault] = []
    allowed = [file.parent.resolve()]
    for index, text in enumerate(data.get("allow_paths", [])):
        if isinstance(text, str):
            allowed.append((file.parent / _expanded(text)).resolve())
        else:
            faults.append(places.fault(("allow_paths", index), f"{text!r} is not text"))
    for path, text in _all_paths(data):
        mark = places.fault(path, "").file
        if mark.startswith(OVERRIDE):
            _set(data, path, str(Path.cwd() / _expanded(text)))
            continue
        base = Path(mark).parent
        target = base / _expanded(text)
        reason, suggestion = _refusal(text, base, [*allowed, base.resolve()])
        if not reason and not _may_be_absent(path) and not is_file(target):
            reason, suggestion = f"no file '{text}'", f"looked in {base or Path()}"
        if reason:
            faults.append(places.fault(path, reason, suggestion))
        _set(data, path, str(target.absolute()))
    return faults


def _all_paths(data: Mapping[str, Any]) -> Iterator[tuple[ValuePath, str]]:
    for prefix, cls, value in _sections(data):
        if isinstance(value, dict):
            for path, text in path_values(cls, value):
                yield (*prefix, *path), text


def _sections(data: Mapping[str, Any]) -> Iterator[tuple[ValuePath, type, Any]]:
    corpus = data.get("corpus")
    yield ("corpus",), sections.Corpus, corpus
    yield from _member(("corpus",), "sources", "source", corpus)
    yield ("splits",), Splits, data.get("splits")
    yield ("perturb",), sections.Perturb, data.get("perturb")
    yield ("human",), Human, data.get("human")
    for section, kind, key in (("models", "models", "provider"), ("judges", "judges", "type")):
        entries = data.get(section)
        for name, entry in (entries if isinstance(entries, dict) else {}).items():
            yield from _member((section, name), kind, key, entry)
    for section, cls in (("prompts", sections.Prompt), ("validation", sections.Validation)):
        entries = data.get(section)
        for name, entry in (entries if isinstance(entries, dict) else {}).items():
            yield (section, name), cls, entry
    for section in ("metrics", "analyses"):
        for index, entry in enumerate(data.get(section) or []):
            for name, inner in (entry if isinstance(entry, dict) else {}).items():
                if name in names(section):  # type: ignore[arg-type]
                    yield (section, index, name), params_class(section, name), inner  # type: ignore[arg-type]


def _member(
    prefix: ValuePath, kind: Any, key: str, entry: Any
) -> Iterator[tuple[ValuePath, type, Any]]:
    if isinstance(entry, dict) and entry.get(key) in names(kind):
        yield prefix, params_class(kind, entry[key]), entry


def _may_be_absent(path: ValuePath) -> bool:
    # Prompts and label lists belong to the recipe; what they are applied to may come later.
    if path[0] == "judges":
        return path[-1] == "file" and len(path) == 3
    if path[0] == "analyses":
        return path[3] == "files"
    return path[0] in _DATA and path[-1] not in ("conclusion_labels", "instructions")


def _refusal(text: str, base: Path, allowed: list[Path]) -> tuple[str, str]:
    if _SCHEME.match(text):
        return f"'{text}' is an address, not a file", "download it first, or use source: hub"
    if "$" in text or "\0" in text:
        return f"'{text}' holds a character that no path of a recipe may hold", ""
    path = _expanded(text)
    fixed, pattern = (path, ()) if is_file(base / path) else _divided(path)
    if ".." in pattern:
        return f"'{text}' has '..' after a wildcard", "write the folder without '..'"
    # What a pattern matches may be a link; the fixed part is checked even if nothing matches.
    found = iglob(str(path), root_dir=base, recursive=True) if pattern else ()  # noqa: PTH207
    for one in chain([fixed], map(Path, found)):
        try:
            resolved = (base / one).resolve()
        except (OSError, RuntimeError):
            return f"'{text}' is a link to itself", "remove the link"
        if not any(resolved == root or root in resolved.parents for root in allowed):
            remedy = "move the file beside the recipe, or list its folder under allow_paths"
            return f"'{text}' leads out of the recipe's folder", remedy
    return "", ""


def _divided(path: Path) -> tuple[Path, tuple[str, ...]]:
    """Return the part before the first wildcard, and the parts from there on."""
    for index, part in enumerate(path.parts):
        if has_magic(part):
            return Path(*path.parts[:index]), path.parts[index:]
    return path, ()


def _expanded(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError:
        # There is no such user: the name is taken as it stands.
        return Path(text)


def _set(data: Any, path: ValuePath, value: str) -> None:
    for part in path[:-1]:
        data = data[part]
    data[path[-1]] = value
