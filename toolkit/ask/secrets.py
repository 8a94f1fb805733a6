"""Read the secrets a recipe names, once, and take them out of the environment.

A cluster's workers inherit the environment of the process that starts them. What is not
there any more cannot leak from them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from toolkit.errors import MissingError, SourceError
from toolkit.store.redact import register_secret

__all__ = ["missing_secrets", "take_secrets"]

_LINE: Final = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*")


def take_secrets(names: Iterable[str], *, folder: Path | None = None) -> Mapping[str, str]:
    """Return the values of environment variables and remove these from the environment.

    Each value is registered for redaction. Nothing is removed when one is missing. What the
    environment does not hold is looked for in ``.env`` of ``folder``; that file is never
    copied, and its other variables are never set.

    Args:
        names: names of variables; duplicates are read once.
        folder: the recipe's folder.

    Raises:
        MissingError: variables are not set, or empty; all of them are named.
        SourceError: the ``.env`` file cannot be read.
    """
    values = _values(names, folder)
    if missing := [name for name, value in values.items() if not value]:
        raise MissingError(
            f"environment variable{'s' if len(missing) > 1 else ''} not set: {', '.join(missing)}",
            hint=f"export {missing[0]}=..."
            + ("" if folder is None else ", or write it into a .env file beside the recipe"),
        )
    for name, value in values.items():
        register_secret(value)
        os.environ.pop(name, None)
    return MappingProxyType(values)


def missing_secrets(names: Iterable[str], folder: Path | None = None) -> list[str]:
    """Return the names that neither the environment nor ``.env`` gives a value, sorted.

    Raises:
        SourceError: the ``.env`` file cannot be read.
    """
    return [name for name, value in _values(names, folder).items() if not value]


def _values(names: Iterable[str], folder: Path | None) -> dict[str, str]:
    wanted = sorted(set(names))
    file = {} if folder is None or not wanted else _read_env(folder / ".env")
    return {name: os.environ.get(name, "").strip() or file.get(name, "").strip() for name in wanted}


def _read_env(path: Path) -> dict[str, str]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(
            f"{path} cannot be read: {type(error).__name__}",
            hint="it holds lines of NAME=value in UTF-8",
        ) from error
    values: dict[str, str] = {}
    for line in text.splitlines():
        match = _LINE.fullmatch(line)
        if match is not None:
            values[match[1]] = _unquoted(match[2])
    return values


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    # A comment begins at a blank and a hash; a hash inside a key is part of it.
    return re.split(r"\s#", value, maxsplit=1)[0].rstrip()
