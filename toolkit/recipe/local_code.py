"""What a file of a user's own code defines and imports, found out without running it."""

from __future__ import annotations

import ast
import sys
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from toolkit.store.canonical import digest, file_digest

__all__ = ["code_digest", "code_files", "defined_names"]


def code_digest(file: Path) -> str:
    """Return one sha256 (64 hex digits) for a file and the files beside it that it imports.

    Raises:
        OSError: a file cannot be read.
    """
    return digest([[path.name, file_digest(path)] for path in code_files(file)])


def code_files(file: Path) -> tuple[Path, ...]:
    """Return a file and those it imports, directly or not, from its own folder.

    ``import other`` and ``from other import x`` count wherever they stand in the code, when
    ``other.py`` lies in the folder and ``other`` is no module of Python's own. Packages in
    folders of their own and imports by a computed name do not.

    Returns:
        The file itself first, then the others by name.

    Raises:
        OSError: a file cannot be read.
    """
    found: set[Path] = set()
    waiting = [file]
    while waiting:
        path = waiting.pop()
        for name in _imported(path):
            beside = file.parent / f"{name}.py"
            if beside not in found and beside != file and beside.is_file():
                found.add(beside)
                waiting.append(beside)
    return (file, *sorted(found))


def defined_names(file: Path) -> set[str] | None:
    """Return the names that a file's top level defines, or None when it imports ``*``.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is not Python; the message says where.
    """
    names = set(_bound(_parsed(file)))
    return None if "*" in names else names


def _imported(file: Path) -> Iterator[str]:
    try:
        tree = _parsed(file)
    except ValueError:
        # It cannot be imported either, which the run says better; its bytes count all the same.
        return
    for node in ast.walk(tree):
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            modules = [node.module]
        for module in modules:
            name = module.partition(".")[0]
            if name not in sys.stdlib_module_names:
                yield name


# Steps load code in several threads. CPython keeps the depth of the tree that it builds in one
# place for all threads (gh-106905), and filters of warnings belong to all of them, too.
_PARSING: Final = threading.Lock()


def _parsed(file: Path) -> ast.Module:
    source = file.read_bytes()
    with _PARSING, warnings.catch_warnings():
        # Whoever runs the code is told of them; whoever reads it need not be.
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source, file.name)
        except SyntaxError as error:
            raise ValueError(f"line {error.lineno or 1}: {error.msg}") from error
        except RecursionError as error:
            raise ValueError("nested too deeply") from error


def _bound(node: ast.AST) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield child.name
        elif isinstance(child, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in child.names)
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            yield child.id
        elif not isinstance(child, ast.Lambda):
            yield from _bound(child)
