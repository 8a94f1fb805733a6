"""Asking for help, checking and planning load none of the heavy libraries."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
QUICKSTART = ROOT / "recipes" / "quickstart.yaml"

HEAVY = {
    "dask", "datasets", "distributed", "great_expectations", "nltk", "openai", "pandas",
    "rouge_score", "scipy", "sentence_transformers", "sklearn", "torch", "transformers",
}  # fmt: skip

LIGHT = [
    "toolkit",
    "toolkit.cli.main",
    "toolkit.errors",
    "toolkit.plan.make",
    "toolkit.recipe.language",
    "toolkit.recipe.load",
    "toolkit.records",
    "toolkit.registry",
    *(
        f"toolkit.{package}.{path.stem}"
        for package in ("plan", "recipe", "store")
        for path in sorted((ROOT / "toolkit" / package).glob("[a-z]*.py"))
    ),
]


def loaded_by(code: str, folder: Path) -> set[str]:
    """Run code in a fresh interpreter; return the top-level names of what it imported."""
    script = (
        f"{code}\n"
        "import json as j, sys as s\n"
        "s.stderr.write('\\n' + j.dumps(sorted({n.partition('.')[0] for n in s.modules})))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"},
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    return set(json.loads(result.stderr.splitlines()[-1]))


def test_the_guard_sees_a_heavy_import(tmp_path: Path) -> None:
    assert loaded_by("import pandas", tmp_path) & HEAVY == {"pandas"}


def test_light_modules_import_nothing_heavy(tmp_path: Path) -> None:
    code = "import importlib\n" + "\n".join(f"importlib.import_module({name!r})" for name in LIGHT)
    loaded = loaded_by(code, tmp_path)
    assert "toolkit" in loaded
    assert not loaded & HEAVY


def test_help_does_not_even_import_yaml(tmp_path: Path) -> None:
    code = (
        "from toolkit.cli.main import cli\n"
        "try:\n    cli.main(['--help'], standalone_mode=False)\nexcept SystemExit:\n    pass"
    )
    assert not loaded_by(code, tmp_path) & {*HEAVY, "jsonschema", "numpy", "pyarrow", "yaml"}


@pytest.mark.parametrize("command", ["check", "plan"])
def test_commands_on_the_quickstart_import_nothing_heavy(command: str, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    arguments = ["--workspace", str(workspace), command, str(QUICKSTART)]
    code = f"from toolkit.cli.main import cli\ncli.main({arguments!r}, standalone_mode=False)"
    assert not loaded_by(code, tmp_path) & HEAVY
    assert not workspace.exists(), f"{command} has side effects"
