"""What others may rely on: the names each module offers, types, and the layers beneath."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import toolkit

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "toolkit"
MODULES = sorted(
    path
    for path in PACKAGE.rglob("*.py")
    if path.name != "__main__.py" and "_data" not in path.parts
)


def offered(tree: ast.Module) -> list[str] | None:
    """Return the value of ``__all__``, or None."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets
        ):
            return list(ast.literal_eval(node.value))
    return None


def defined(body: list[ast.stmt]) -> set[str]:
    """Return the names that statements define here, rather than import."""
    found: set[str] = set()
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found |= {item.id for item in node.targets if isinstance(item, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
        elif isinstance(node, ast.If | ast.Try):
            found |= defined(node.body) | defined(node.orelse)
    return {name for name in found if not name.startswith("__")}


def callables(tree: ast.Module) -> set[str]:
    """Return the names of the public functions and classes; a constant may stay a module's own."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return {node.name for node in tree.body if isinstance(node, kinds) and node.name[0] != "_"}


def imported(tree: ast.Module) -> set[str]:
    """Return the names that a module imports, those for type checkers included."""
    return {
        (alias.asname or alias.name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_the_package_offers_what_it_says() -> None:
    assert dir(toolkit) == sorted(toolkit.__all__)
    for name in toolkit.__all__:
        assert callable(getattr(toolkit, name)), name
    with pytest.raises(AttributeError):
        toolkit.no_such_name  # noqa: B018


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_each_module_lists_its_public_names(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    listed = offered(tree)
    public = callables(tree)
    if listed is None:
        assert not public, "has public names and no __all__"
        return
    assert len(listed) == len(set(listed)), "__all__ repeats a name"
    assert public <= set(listed), "public names that __all__ lacks: private ones start with _"
    assert set(listed) <= defined(tree.body) | imported(tree), "__all__ names what is not here"


def test_no_public_name_is_a_subpackage_as_well() -> None:
    # `import toolkit.report` would otherwise replace a function called `report`.
    for path in MODULES:
        if path.name == "__init__.py":
            listed = offered(ast.parse(path.read_text(encoding="utf-8"))) or []
            inside = {item.stem for item in path.parent.iterdir() if item.name[0] not in "_."}
            assert not inside & set(listed), module_name(path)


def test_every_folder_of_code_is_a_package() -> None:
    folders = {path.parent for path in MODULES}
    assert [path for path in sorted(folders) if not (path / "__init__.py").is_file()] == []


def test_types_are_shipped() -> None:
    assert (PACKAGE / "py.typed").is_file()


@pytest.mark.skipif(find_spec("importlinter") is None, reason="import-linter is not installed")
def test_layers_hold() -> None:
    code = "import sys; from importlinter.cli import lint_imports_command as run; sys.exit(run())"
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "0 broken" in result.stdout
