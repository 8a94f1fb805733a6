from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from toolkit.errors import MissingError, SourceError, UserError
from toolkit.models.weights.folder import ModelFolder
from toolkit.models.weights.packaged import FOLDERS

PACKAGED = "sentence-transformers/all-MiniLM-L6-v2"
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def run(code: str, **environment: str) -> str:
    """Run code in a fresh interpreter, where the Hub library reads its settings anew."""
    process = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        cwd=Path(__file__).resolve().parents[3],
        capture_output=True,
        text=True,
        check=True,
    )
    return process.stdout


def model_folder(folder: Path, weights: bytes = b"weights") -> Path:
    folder.mkdir(parents=True)
    (folder / "modules.json").write_text("[]")
    (folder / "model.safetensors").write_bytes(weights)
    return folder


@pytest.mark.parametrize(
    "name",
    [ModelFolder("all-MiniLM-L6-v2", owner="sentence-transformers"), ModelFolder(PACKAGED)],
)
def test_packaged_weights_are_known_by_their_declared_hash(name: ModelFolder) -> None:
    assert name.identify() == {"sha256": FOLDERS[PACKAGED].sha256}
    assert (name.locate() / "model.safetensors").is_file()


def test_a_bare_name_without_an_owner_is_no_package() -> None:
    with pytest.raises(MissingError, match="'all-MiniLM-L6-v2' are not here"):
        ModelFolder("all-MiniLM-L6-v2").identify()


def test_code_counts_where_it_is_to_run(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "model")
    (folder / "modeling.py").write_text("ONE = 1")
    plain, code = ModelFolder(None, folder=folder), ModelFolder(None, folder=folder, code=True)
    before = plain.identify(), code.identify()
    (folder / "modeling.py").write_text("ONE = 2")
    assert plain.identify() == before[0]
    assert code.identify() != before[1]


def test_a_folder_is_known_by_its_content_not_its_place(tmp_path: Path) -> None:
    first = model_folder(tmp_path / "one")
    second = model_folder(tmp_path / "two")
    (second / "README.md").write_text("not read when the model loads")
    other = model_folder(tmp_path / "three", b"other weights")
    names = [ModelFolder(None, folder=path) for path in (first, second, other)]
    assert names[0].identify() == names[1].identify()
    assert names[0].identify() != names[2].identify()
    assert names[0].locate() == first


def test_a_changed_file_changes_the_identity(tmp_path: Path) -> None:
    name = ModelFolder(None, folder=model_folder(tmp_path / "model"))
    before = name.identify()
    (tmp_path / "model" / "modules.json").write_text('[{"idx": 0}]')
    assert name.identify() != before


def test_a_folder_with_pickled_weights_only_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x04")
    with pytest.raises(SourceError, match="no model in safetensors"):
        ModelFolder(None, folder=tmp_path).locate()


def test_a_commit_is_an_identity_without_any_network() -> None:
    name = ModelFolder("sentence-transformers/all-mpnet-base-v2", revision=COMMIT)
    assert name.identify() == {"hub": "sentence-transformers/all-mpnet-base-v2", "revision": COMMIT}
    packaged = ModelFolder(PACKAGED, revision=COMMIT)
    assert packaged.identify()["revision"] == COMMIT


@pytest.mark.parametrize("revision", ["main", "v1.0", COMMIT[:12], COMMIT.upper()])
def test_branches_tags_and_short_commits_are_refused(revision: str) -> None:
    with pytest.raises(UserError, match="40 hex digits"):
        ModelFolder("sentence-transformers/all-mpnet-base-v2", revision=revision).identify()


@pytest.mark.parametrize("model", ["", "a/b/c", "../model", "https://example.org/m"])
def test_malformed_names_are_refused(model: str) -> None:
    with pytest.raises(UserError, match="not the name of a model"):
        ModelFolder(model).identify()


def test_what_is_missing_is_named_with_all_three_ways(tmp_path: Path) -> None:
    output = run(
        "from toolkit.errors import MissingError\n"
        "from toolkit.models.weights.folder import ModelFolder\n"
        "try:\n"
        "    ModelFolder('sentence-transformers/all-mpnet-base-v2').locate()\n"
        "except MissingError as error:\n"
        "    print(error)\n",
        HF_HUB_OFFLINE="1",
        HF_HUB_CACHE=str(tmp_path),
    )
    for way in ("folder:", "package", "hf download sentence-transformers/all-mpnet-base-v2"):
        assert way in output


def test_the_commit_of_a_cached_model_is_found_offline(tmp_path: Path) -> None:
    repository = tmp_path / "models--sentence-transformers--all-mpnet-base-v2"
    model_folder(repository / "snapshots" / COMMIT)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(COMMIT)
    output = run(
        "from toolkit.models.weights.folder import ModelFolder\n"
        "name = ModelFolder('sentence-transformers/all-mpnet-base-v2')\n"
        "print(name.identify()['revision'], name.locate().name)\n",
        HF_HUB_OFFLINE="1",
        HF_HUB_CACHE=str(tmp_path),
    )
    assert output.split() == [COMMIT, COMMIT]


def test_without_a_package_or_a_cache_identify_asks_for_a_revision(tmp_path: Path) -> None:
    output = run(
        "from toolkit.errors import MissingError\n"
        "from toolkit.models.weights.folder import ModelFolder\n"
        "try:\n"
        "    ModelFolder('owner/unknown').identify()\n"
        "except MissingError as error:\n"
        "    print(error)\n",
        HF_HUB_CACHE=str(tmp_path),
    )
    assert "revision: COMMIT" in output


def test_missing_is_a_user_error() -> None:
    assert issubclass(MissingError, UserError)
