"""Where the values of named secrets come from: the environment, or ``.env`` beside the recipe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

__all__ = ["env_file_values", "missing_secrets"]


def env_file_values(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the wanted values that a ``.env`` file holds; it is read and never copied.

    Lines are ``NAME=VALUE`` with an optional ``export`` and optional quotes; others are ignored.
    """
    file = folder / ".env"
    wanted = set(names)
    found: dict[str, str] = {}
    if not wanted or not file.is_file():
        return found
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        if equals and name.strip() in wanted:
            found[name.strip()] = value.strip().strip("\"'")
    return found


def missing_secrets(
    names: Iterable[str], folder: Path, environment: Mapping[str, str]
) -> list[str]:
    """Return the names that neither the environment nor ``.env`` gives a value, sorted."""
    wanted = sorted(set(names))
    beside = env_file_values(folder, wanted)
    return [name for name in wanted if not environment.get(name) and not beside.get(name)]
