"""A wheel, installed away from the checkout, has all it needs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = {"cards", "recipes", "validation"}


def run(*command: str | Path, cwd: Path, code: int = 0) -> str:
    """Run a command without this environment's Python settings; return what it printed."""
    foreign = ("PYTHON", "TOOLKIT_", "COV_", "COVERAGE_", "PYTEST_", "VIRTUAL_ENV")
    env = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    result = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert result.returncode == code, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of what the source distribution would hold."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    ignored = shutil.ignore_patterns("__pycache__", "_data")
    for name in ("toolkit", *sorted(SHIPPED)):
        shutil.copytree(ROOT / name, source / name, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copyfile(ROOT / name, source / name)
    # Where the build backend is installed the build asks no network.
    isolation = ["--no-isolation"] if find_spec("hatchling") else []
    command = [sys.executable, "-m", "build", *isolation, "--wheel", "--outdir", folder, source]
    run(*command, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts' folder of a fresh environment that holds the wheel."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    run(sys.executable, "-m", "venv", folder, cwd=folder.parent)
    python = folder / "bin" / "python"
    run(python, "-m", "pip", "install", "-q", "--no-deps", "--no-index", wheel, cwd=folder.parent)
    own = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))",
                   cwd=folder.parent).strip())  # fmt: skip
    # Dependencies come from the running environment, since a second copy takes gigabytes. A
    # folder named in a .pth file is searched, but the .pth files in it are not read, so an
    # installation in place there does not bring the checkout in.
    paths = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (own / "dependencies.pth").write_text("\n".join(sorted(paths)), encoding="utf-8")
    return python.parent


def test_the_wheel_holds_the_data_files_and_no_more_than_the_package(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        f"toolkit/_data/{path.relative_to(ROOT).as_posix()}"
        for folder in SHIPPED
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert wanted and wanted <= names
    assert "toolkit/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    top = {name.partition("/")[0] for name in names}
    assert {name for name in top if not name.endswith(".dist-info")} == {"toolkit"}


def test_the_installed_package_is_not_the_checkout(installed: Path, tmp_path: Path) -> None:
    python = installed / "python"
    where = Path(run(python, "-c", "import toolkit; print(toolkit.__file__)", cwd=tmp_path).strip())
    assert where.is_relative_to(installed.parent)
    found = run(python, "-c", "import sys; print('\\n'.join(sys.path))", cwd=tmp_path).splitlines()
    assert str(ROOT) not in found


def test_the_quickstart_is_copied_out_checked_and_planned(installed: Path, tmp_path: Path) -> None:
    toolkit = installed / "toolkit"
    run(toolkit, "init", "quickstart", cwd=tmp_path)
    assert (tmp_path / "quickstart.yaml").is_file()
    run(toolkit, "check", "quickstart.yaml", cwd=tmp_path)
    before = sorted(tmp_path.rglob("*"))
    run(toolkit, "plan", "quickstart.yaml", cwd=tmp_path)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_fault_in_the_copy_is_found_with_its_line(installed: Path, tmp_path: Path) -> None:
    toolkit = installed / "toolkit"
    run(toolkit, "init", "quickstart", cwd=tmp_path)
    recipe = tmp_path / "quickstart.yaml"
    text = recipe.read_text(encoding="utf-8")
    assert "\nsplits:" in text
    recipe.write_text(text.replace("\nsplits:", "\nsplitz:"), encoding="utf-8")
    run(toolkit, "check", "quickstart.yaml", cwd=tmp_path, code=2)


def test_the_version_is_the_project_s(installed: Path, tmp_path: Path) -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] in run(installed / "toolkit", "--version", cwd=tmp_path)
