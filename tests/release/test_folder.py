import json
import shutil
from types import SimpleNamespace

import pytest

from toolkit.errors import StoreError, UserError
from toolkit.execute.deliver import deliver
from toolkit.release.folder import publish_release
from toolkit.store.artifact import Artifact
from toolkit.store.manifest import write_manifest


@pytest.fixture
def run_folder(made, tmp_path):
    """Return the folder of a finished run in a workspace of its own."""
    context, manifest = made
    workspace = tmp_path / "workspace"
    artifact = workspace / "artifacts" / "release" / context.folder.name
    shutil.copytree(context.folder, artifact)
    write_manifest(artifact, manifest)
    folder = workspace / "runs" / "demo-12345678"
    folder.mkdir(parents=True)
    steps = {"release": {"fingerprint": manifest.fingerprint}}
    (folder / "run.json").write_text(json.dumps({"steps": steps}))
    deliver(context.plan, {"release": Artifact(artifact, manifest)}, folder)
    return folder


def contents(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_release_is_copied_as_it_is(run_folder, tmp_path):
    out = tmp_path / "deep" / "out"
    paths = publish_release(run_folder, out)
    assert contents(out) == contents(run_folder / "release")
    assert paths == sorted(out / name for name in contents(out))
    assert list(out.parent.iterdir()) == [out]


def test_the_result_of_a_run_is_taken_too(run_folder, tmp_path):
    (tmp_path / "out").mkdir()
    paths = publish_release(SimpleNamespace(folder=run_folder), str(tmp_path / "out"))
    assert (tmp_path / "out" / "README.md") in paths


def test_a_former_release_is_replaced_whole(run_folder, tmp_path):
    out = tmp_path / "out"
    publish_release(run_folder, out)
    before = contents(out)
    publish_release(run_folder, out)
    assert contents(out) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "workspace"]


@pytest.mark.parametrize("stray", ["notes.txt", ".env", "default/extra.parquet", ".git/HEAD"])
def test_a_folder_with_anything_else_in_it_is_left_alone(run_folder, tmp_path, stray):
    out = tmp_path / "out"
    publish_release(run_folder, out)
    (out / stray).parent.mkdir(exist_ok=True)
    (out / stray).write_text("mine")
    before = contents(out)
    with pytest.raises(UserError, match="is not empty and is no release") as caught:
        publish_release(run_folder, out)
    assert stray in caught.value.message
    assert contents(out) == before


def test_a_folder_that_is_no_release_is_left_alone(run_folder, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "README.md").write_text("# My notes\n")
    with pytest.raises(UserError, match=r"has no publish_gate\.json"):
        publish_release(run_folder, out)
    assert contents(out) == {"README.md": b"# My notes\n"}
    with pytest.raises(UserError, match="is a file"):
        publish_release(run_folder, out / "README.md")


def test_a_release_that_was_edited_is_not_published(run_folder, tmp_path):
    card = run_folder / "release" / "README.md"
    whole = card.read_bytes()
    card.write_bytes(whole + b"\nmore\n")
    with pytest.raises(UserError, match=r"README\.md was changed after the run"):
        publish_release(run_folder, tmp_path / "out")
    card.write_bytes(whole)
    (run_folder / "release" / "notes.txt").write_text("x")
    with pytest.raises(UserError, match=r"notes\.txt is not of the release"):
        publish_release(run_folder, tmp_path / "out")
    (run_folder / "release" / "notes.txt").unlink()
    card.unlink()
    with pytest.raises(StoreError, match=r"README\.md is missing"):
        publish_release(run_folder, tmp_path / "out")
    card.symlink_to(tmp_path / "card")
    (tmp_path / "card").write_bytes(whole)
    with pytest.raises(UserError, match="was changed"):
        publish_release(run_folder, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_workspace_is_no_place_for_it(run_folder, tmp_path):
    for out in (run_folder / "out", run_folder.parent.parent, tmp_path):
        with pytest.raises(UserError, match="one inside the other"):
            publish_release(run_folder, out)


def test_a_run_without_a_finished_release_says_what_to_do(run_folder, tmp_path):
    artifacts = run_folder.parent.parent / "artifacts"
    shutil.rmtree(artifacts)
    with pytest.raises(StoreError, match="not finished"):
        publish_release(run_folder, tmp_path / "out")
    (run_folder / "run.json").write_text(json.dumps({"steps": {"corpus": {}}}))
    with pytest.raises(UserError, match="its recipe has no `publish`"):
        publish_release(run_folder, tmp_path / "out")
    with pytest.raises(UserError, match="not the folder of a run"):
        publish_release(tmp_path, tmp_path / "out")
