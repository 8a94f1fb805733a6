"""Fault catalogue 13, 14: the disk is full, or the process dies at a chosen write."""

import os
import shutil
import signal
import subprocess

import pytest
import tiny_recipe

from tests.faults.runs import children_end, finish, output, start, tree, wrapped
from tests.tiny_recipe import UNCHECKED


def light(folder):
    """Write a recipe of twelve rows whose runs cost little: no validation process."""
    recipe = tiny_recipe.data(
        validation=UNCHECKED, metrics=["word_ratio"], analyses=[{"means": {"resamples": 100}}]
    )
    return tiny_recipe.write(folder, recipe)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    file = light(folder / "recipe")
    finish(start(folder / "workspace", "run", file), folder / "workspace")
    return tree(folder / "workspace")


@pytest.fixture
def small_disk(tmp_path):
    """Mount a disk of 2 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        pytest.skip(f"mount cannot be started: {error}")
    if done.returncode:
        pytest.skip(f"no small disk can be mounted here: {done.stderr.strip()}")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def complete_artifacts(workspace):
    """Return the files that belong to finished artifacts, with their checksums."""
    done = {path.parent.name for path in workspace.rglob("manifest.json")}
    return {name: found for name, found in tree(workspace).items() if name.split("/")[1] in done}


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_13_a_full_disk_is_one_message_and_a_run_that_goes_on(tmp_path, small_disk, undisturbed):
    file = light(tmp_path / "recipe")
    workspace, ballast = small_disk / "workspace", small_disk / "ballast"
    log = tmp_path / "output"
    for free in (0, 6, 60):
        with ballast.open("wb") as out:
            room = os.statvfs(small_disk)
            out.write(bytes(max(room.f_bavail * room.f_frsize - free * 1024, 0)))
        process = start(log, "--workspace", workspace, "run", file)
        finish(process, log, code=3)
        said = output(log)
        (log / "output.txt").unlink()
        assert "No space left on device" in said, free
        assert "Traceback" not in said, free
        assert "Logging error" not in said, free
        assert children_end(process)
        assert complete_artifacts(workspace).items() <= undisturbed.items(), free
        ballast.unlink()
    finish(start(log, "--workspace", workspace, "run", file), log)
    assert tree(workspace) == undisturbed
    assert not list(workspace.rglob("*.tmp"))


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_13_a_limit_on_the_size_of_files_is_no_bug_either(tmp_path, undisturbed):
    file, workspace = light(tmp_path / "recipe"), tmp_path / "workspace"
    prefix = ["bash", "-c", 'ulimit -f 12; exec "$@"', "bash"]
    process = wrapped(workspace, prefix, "run", file)
    finish(process, workspace, code=3)
    said = output(workspace)
    assert "File too large" in said
    assert "Traceback" not in said
    assert complete_artifacts(workspace)
    assert complete_artifacts(workspace).items() < undisturbed.items()
    finish(start(workspace, "run", file), workspace)
    assert tree(workspace) == undisturbed


def strace(call, number):
    """Return the command that kills whichever process makes its ``number``-th such call."""
    return [
        *("strace", "-f", "-qq", "-o", "/dev/null"),
        *("-e", "trace=rename,renameat2,fsync"),
        *("-e", f"inject={call}:signal=KILL:when={number}"),
    ]


def may_trace():
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed; apt-get install strace brings it")
    probe = [*strace("rename", 10**4), "true"]
    done = subprocess.run(probe, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"strace is refused here: {done.stderr.strip()[-200:]}")


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("call", "numbers"), [("rename", (1, 2, 5, 9)), ("fsync", (1, 3, 8, 14))])
def test_14_killed_at_any_write_a_run_goes_on(tmp_path, undisturbed, call, numbers):
    may_trace()
    file, workspace = light(tmp_path / "recipe"), tmp_path / "workspace"
    killed = 0
    # Each thread and process counts for itself, so small numbers meet every one of them.
    for number in numbers:
        process = wrapped(workspace, strace(call, number), "run", file)
        code = process.wait(timeout=280)
        said = output(workspace)
        (workspace / "output.txt").unlink()
        assert code in (0, 3, -signal.SIGKILL, 128 + signal.SIGKILL), (number, said[-2000:])
        # Children of a killed process may complain of its death; a run that ends by itself not.
        assert code not in (0, 3) or "Traceback" not in said, (number, said[-2000:])
        killed += code != 0
        assert children_end(process)
        assert complete_artifacts(workspace).items() <= undisturbed.items(), number
    assert killed >= 2
    process = start(workspace, "run", file)
    finish(process, workspace)
    assert children_end(process)
    assert tree(workspace) == undisturbed
    assert not list(workspace.rglob("*.tmp"))
