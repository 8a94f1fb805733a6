"""Atomic writes, locks, the index of sources, the workspace, cleaning."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.errors import SourceError, StoreError
from toolkit.store.atomic import replacing, sweep, write_json, write_text
from toolkit.store.canonical import canonical_json, digest, file_digest, text_digest
from toolkit.store.clean import remove, unused_artifacts
from toolkit.store.lock import locked
from toolkit.store.source_index import SourceIndex
from toolkit.store.workspace import Workspace, find_workspace

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), JSON))
def test_key_order_never_changes_a_digest(value):
    turned = dict(reversed(list(value.items())))
    assert digest(turned) == digest(value)
    assert json.loads(canonical_json(value)) == value


def test_nan_has_no_canonical_text():
    with pytest.raises(ValueError, match="JSON"):
        canonical_json({"x": float("nan")})


def test_joined_texts_are_told_apart():
    assert text_digest(["a", "bc"]) != text_digest(["ab", "c"])


def test_a_failed_write_leaves_the_old_file(tmp_path):
    target = tmp_path / "a.json"
    write_json(target, {"n": 1})
    with pytest.raises(RuntimeError), replacing(target) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert json.loads(target.read_text()) == {"n": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_a_full_disk_is_reported_and_leaves_the_old_file(tmp_path):
    target = tmp_path / "a.txt"
    write_text(target, "old")
    with pytest.raises(OSError, match="space"), replacing(target) as temporary:
        Path("/dev/full").write_text("x" * 100_000)
        temporary.write_text("never reached")
    assert target.read_text() == "old"


def test_sweep_spares_the_files_of_a_living_process(tmp_path):
    (tmp_path / f".a.parquet.{os.getppid()}.tmp").write_text("living")
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    (tmp_path / f".b.parquet.{dead.pid}.tmp").write_text("dead")
    assert sweep(tmp_path) == 1
    assert [path.name for path in tmp_path.iterdir()] == [f".a.parquet.{os.getppid()}.tmp"]


def test_a_lock_names_its_owner_and_goes_with_it(tmp_path):
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom toolkit.store.lock import locked\n"
        "with locked(Path(sys.argv[1]), 'x'):\n    print('held', flush=True)\n    time.sleep(60)"
    )
    lock = tmp_path / "locks" / "run.lock"
    owner = subprocess.Popen([sys.executable, "-c", code, str(lock)], stdout=subprocess.PIPE)
    assert owner.stdout.readline() == b"held\n"
    with (
        pytest.raises(StoreError, match=f"the run x is in use by process {owner.pid}"),
        locked(lock, "the run x"),
    ):
        pytest.fail("held twice")
    owner.kill()
    owner.communicate()
    with locked(lock, "the run x"):
        pass


def test_the_index_knows_a_file_until_it_changes(tmp_path):
    source = tmp_path / "a.xml"
    source.write_text("one")
    index = SourceIndex(tmp_path / "sources.json")
    assert index.hash([source]) == {source: file_digest(source)}
    index.save()
    again = SourceIndex(tmp_path / "sources.json")
    assert again.lookup(source) == file_digest(source)
    source.write_text("two")
    os.utime(source, ns=(time.time_ns(), time.time_ns() + 5))
    assert again.lookup(source) == file_digest(source)


def test_a_damaged_index_costs_only_another_reading(tmp_path):
    (tmp_path / "sources.json").write_text("{")
    source = tmp_path / "a.xml"
    source.write_text("one")
    assert SourceIndex(tmp_path / "sources.json").hash([source])[source] == file_digest(source)


def test_a_missing_source_is_named(tmp_path):
    with pytest.raises(SourceError, match=r"nowhere\.xml"):
        SourceIndex(tmp_path / "sources.json").hash([tmp_path / "nowhere.xml"])


def test_the_workspace_is_given_or_named_or_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOOLKIT_WORKSPACE", raising=False)
    assert find_workspace().root == tmp_path / ".toolkit"
    monkeypatch.setenv("TOOLKIT_WORKSPACE", str(tmp_path / "other"))
    assert find_workspace().root == tmp_path / "other"
    assert find_workspace(tmp_path / "given").root == tmp_path / "given"


def run_folder(workspace, name, steps):
    folder = workspace.runs / name
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps({"steps": steps}))
    return folder


def test_runs_are_found_by_name_and_by_latest(tmp_path):
    workspace = Workspace(tmp_path)
    with pytest.raises(StoreError, match="no run in the workspace"):
        workspace.run("latest")
    first = run_folder(workspace, "demo-1", {})
    os.utime(first / "run.json", (1, 1))
    second = run_folder(workspace, "demo-2", {})
    assert workspace.run("latest") == second
    assert workspace.run("demo-1") == first
    with pytest.raises(StoreError, match="no run called") as caught:
        workspace.run("demo-11")
    assert "did you mean 'demo-1'" in caught.value.hint


def test_clean_takes_only_what_no_run_refers_to(tmp_path):
    workspace = Workspace(tmp_path)
    for fingerprint in ("a" * 64, "b" * 64):
        folder = workspace.artifact("corpus", fingerprint)
        folder.mkdir(parents=True)
        (folder / "manifest.json").write_text("{}")
    workspace.ledger.write_text("paid")
    run_folder(workspace, "demo-1", {"corpus": {"stage": "corpus", "fingerprint": "a" * 64}})
    unused = unused_artifacts(workspace)
    assert [entry.folder.name for entry in unused] == ["b" * 32]
    assert remove(workspace, unused) == 2
    assert workspace.artifact("corpus", "a" * 64).is_dir()
    assert not workspace.artifact("corpus", "b" * 64).exists()
    assert workspace.ledger.read_text() == "paid"


def test_clean_refuses_to_guess_what_a_damaged_run_uses(tmp_path):
    workspace = Workspace(tmp_path)
    run_folder(workspace, "demo-1", {})
    (workspace.runs / "demo-1" / "run.json").write_text("{")
    with pytest.raises(StoreError, match=r"run\.json"):
        unused_artifacts(workspace)
