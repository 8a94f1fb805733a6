from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from toolkit.errors import MissingError
from toolkit.validate import Validator

NOT_NULL = "expect_column_values_to_not_be_null"
CANARY = "sk-canary-0123456789abcdef"


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Path]:
    """A shard that never arrives: opening it waits for a writer."""
    path = tmp_path / "part-00000.parquet"
    os.mkfifo(path)
    yield path


def test_importing_the_package_brings_nothing_heavy() -> None:
    code = (
        "import sys, toolkit.validate\n"
        "heavy = {'great_expectations', 'pandas', 'numpy', 'pyarrow', 'jsonschema', 'torch'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert out.stdout.strip() == "[]"


SCRIPT = f"""
import os, sys
from pathlib import Path
from toolkit.validate import Expectation, Suite, Validator

one = Expectation("e", {NOT_NULL!r}, {{"column": "item_id"}}, "critical", "Because.")
validator = Validator()
result = validator.validate([Path(sys.argv[1])], Suite("s", "a", (one,)), id_column="item_id")
heavy = {{"great_expectations", "pandas", "numpy", "pyarrow"}}
print(result.success, sorted(heavy & set(sys.modules)), validator.process_id, flush=True)
os.kill(os.getpid(), 9)
"""


@pytest.fixture(scope="module")
def killed_parent(
    tmp_path_factory: pytest.TempPathFactory,
) -> subprocess.CompletedProcess[str]:
    """A program without a __main__ guard that validates, prints what it found, and is killed."""
    path = tmp_path_factory.mktemp("killed") / "part-00000.parquet"
    pq.write_table(pa.table({"item_id": ["a"]}), path)
    return subprocess.run(
        [sys.executable, "-c", SCRIPT, str(path)], capture_output=True, text=True, timeout=120
    )


def test_validating_keeps_great_expectations_out_of_this_process(
    killed_parent: subprocess.CompletedProcess[str],
) -> None:
    success, heavy, _ = killed_parent.stdout.split()
    assert (success, heavy) == ("True", "[]")


def test_validating_says_nothing_on_the_terminal(
    killed_parent: subprocess.CompletedProcess[str],
) -> None:
    assert killed_parent.stderr == ""


def test_process_ends_when_its_parent_is_killed(
    killed_parent: subprocess.CompletedProcess[str],
) -> None:
    assert killed_parent.returncode == -9
    child = int(killed_parent.stdout.split()[-1])
    for _ in range(200):
        if not _alive(child):
            break
        time.sleep(0.05)
    assert not _alive(child)


def test_process_gets_no_secret_and_no_home_and_ends_with_the_block(
    monkeypatch: pytest.MonkeyPatch, shards: Any, suite: Any, expect: Any
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    with Validator() as validator:
        assert validator.process_id is None
        asked = suite(expect(NOT_NULL, column="item_id"))
        assert validator.validate(shards({"item_id": ["a"]}), asked, id_column="item_id").success
        child = validator.process_id
        assert child is not None
        process = Path(f"/proc/{child}")
        if not process.is_dir():
            pytest.skip("needs /proc to read another process's environment")
        environment = (process / "environ").read_bytes()
        assert CANARY.encode() not in environment + (process / "cmdline").read_bytes()
        variables = dict(
            line.split("=", 1) for line in environment.decode().split("\0") if "=" in line
        )
        assert variables["GX_ANALYTICS_ENABLED"] == "False"
        home = Path(variables["HOME"])
        assert home != Path.home()
        assert list(home.iterdir()) == []
    assert not home.exists()
    assert validator.process_id is None
    assert not _alive(child)


def test_one_process_serves_all(validator: Validator, shards: Any, suite: Any, expect: Any) -> None:
    asked = suite(expect(NOT_NULL, column="item_id"))
    paths = shards({"item_id": ["a"]})
    validator.validate(paths, asked, id_column="item_id")
    first = validator.process_id
    validator.validate(paths, asked, id_column="item_id")
    assert validator.process_id == first is not None


def test_process_that_dies_or_hangs_is_an_error_and_the_next_one_works(
    pipe: Path, shards: Any, suite: Any, expect: Any
) -> None:
    asked = suite(expect(NOT_NULL, column="item_id"))
    paths = shards({"item_id": ["a"]})
    with Validator(timeout=120) as validator:
        assert validator.validate(paths, asked, id_column="item_id").success
        killer = threading.Timer(0.3, os.kill, (validator.process_id, 9))
        killer.start()
        died = validator.validate([pipe], asked, id_column="item_id")
        killer.join()
        assert not died.success
        assert died.results[0].reason == "the validation process ended with signal 9"

        assert validator.validate(paths, asked, id_column="item_id").success
        validator.timeout = 0.5
        hung = validator.validate([pipe], asked, id_column="item_id")
    assert not hung.success
    assert hung.results[0].status == "error"
    assert "no sign of life for 0.5 seconds" in hung.results[0].reason


def _alive(pid: int) -> bool:
    # An orphan that nobody waits for stays a zombie in a container without an init.
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")


def test_absent_great_expectations_is_said_with_the_command_that_brings_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, shards: Any, suite: Any, expect: Any
) -> None:
    package = tmp_path / "shadow" / "great_expectations"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise ImportError('not here')")
    monkeypatch.syspath_prepend(str(package.parent))
    with Validator() as validator, pytest.raises(MissingError) as caught:
        validator.validate(
            shards({"item_id": ["a"]}),
            suite(expect(NOT_NULL, column="item_id")),
            id_column="item_id",
        )
    assert "not here" in caught.value.message
    assert "pip install" in caught.value.hint


def test_great_expectations_that_breaks_is_an_error_with_its_last_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, shards: Any, suite: Any, expect: Any
) -> None:
    package = tmp_path / "shadow" / "great_expectations"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise ValueError('broken install')")
    monkeypatch.syspath_prepend(str(package.parent))
    with Validator() as validator:
        result = validator.validate(
            shards({"item_id": ["a"]}),
            suite(expect(NOT_NULL, column="item_id")),
            id_column="item_id",
        )
    assert not result.success
    assert "broken install" in result.results[0].reason


def test_shards_that_cannot_be_told_apart_are_refused(
    validator: Validator, suite: Any, expect: Any
) -> None:
    asked = suite(expect(NOT_NULL, column="item_id"))
    same = [Path("1/a/x.parquet"), Path("2/a/x.parquet")]
    with pytest.raises(ValueError, match="different file or folder names"):
        validator.validate(same, asked, id_column="item_id")


def test_only_two_files_import_great_expectations() -> None:
    package = Path(__file__).parents[2] / "toolkit"
    importers = {
        path.name
        for path in package.rglob("*.py")
        if any(
            line.split()[:1] in (["import"], ["from"]) and "great_expectations" in line
            for line in path.read_text(encoding="utf-8").splitlines()
        )
    }
    assert importers == {"great.py", "own_expectations.py"}
