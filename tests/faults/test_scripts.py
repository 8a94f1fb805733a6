"""Scripts that cannot start worker processes are told so, and never hang."""

import os
import subprocess
import sys

import pytest
import tiny_recipe

from tests.faults.runs import ROOT
from tests.tiny_recipe import UNCHECKED

BODY = """import toolkit

recipe = toolkit.load_recipe({file!r})
result = toolkit.run_recipe(recipe, workspace={workspace!r}, until="splits")
print("made", len(result.made))
"""
GUARDED = """import toolkit

def main():
    recipe = toolkit.load_recipe({file!r})
    result = toolkit.run_recipe(recipe, workspace={workspace!r}, until="splits")
    print("made", len(result.made))

if __name__ == "__main__":
    main()
"""


@pytest.fixture
def script(tmp_path):
    file = tiny_recipe.write(tmp_path / "recipe", tiny_recipe.data(validation=UNCHECKED))

    def write(text):
        return text.format(file=str(file), workspace=str(tmp_path / "workspace"))

    return write


def python(*arguments, text=None, folder=ROOT):
    """Run Python as a person does; a hang fails the test."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        input=text,
        stdin=subprocess.DEVNULL if text is None else None,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


@pytest.mark.timeout(120)
@pytest.mark.parametrize("arguments", [(), ("-",)])
def test_a_script_on_standard_input_is_refused(script, arguments):
    done = python(*arguments, text=script(BODY))
    assert done.returncode != 0
    assert "the script came on standard input" in done.stderr
    assert "toolkit run RECIPE" in done.stderr
    assert "made" not in done.stdout


@pytest.mark.timeout(120)
def test_a_script_without_a_guard_is_refused_with_its_line(script, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(script(BODY))
    done = python(file)
    assert done.returncode != 0
    assert f"{file}:4: the run is started at module level" in done.stderr
    assert 'if __name__ == "__main__":' in done.stderr
    assert "made" not in done.stdout


@pytest.mark.timeout(120)
def test_a_script_with_a_guard_runs_once(script, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(script(GUARDED))
    done = python(file)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout == "made 2\n"


@pytest.mark.timeout(120)
def test_a_command_line_program_runs(script):
    done = python("-c", script(BODY))
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout == "made 2\n"


@pytest.mark.timeout(120)
def test_an_interactive_session_is_not_refused(script):
    done = python("-i", "-q", text=script(BODY))
    assert "made 2" in done.stdout, done.stderr[-2000:]
    assert "standard input" not in done.stderr
