from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from toolkit.errors import MissingError, SourceError, UserError
from toolkit.models.model_folder import PACKAGED, WeightsName, identify, locate

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def run(code: str, **environment: str) -> str:
    """Run code in a fresh interpreter, where the Hub library reads its settings anew."""
    process = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        cwd=Path(__file__).resolve().parents[2],
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


@pytest.mark.parametrize("model", ["all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2"])
def test_packaged_weights_are_known_by_their_declared_hash(model: str) -> None:
    assert identify(WeightsName(model)) == {"sha256": PACKAGED["all-MiniLM-L6-v2"].sha256}
    assert (locate(WeightsName(model)) / "model.safetensors").is_file()


def test_a_folder_is_known_by_its_content_not_its_place(tmp_path: Path) -> None:
    first = model_folder(tmp_path / "one")
    second = model_folder(tmp_path / "two")
    (second / "README.md").write_text("not read when the model loads")
    other = model_folder(tmp_path / "three", b"other weights")
    names = [WeightsName("all-MiniLM-L6-v2", folder=path) for path in (first, second, other)]
    assert identify(names[0]) == identify(names[1])
    assert identify(names[0]) != identify(names[2])
    assert locate(names[0]) == first


def test_a_changed_file_changes_the_identity(tmp_path: Path) -> None:
    name = WeightsName("all-MiniLM-L6-v2", folder=model_folder(tmp_path / "model"))
    before = identify(name)
    (tmp_path / "model" / "modules.json").write_text('[{"idx": 0}]')
    assert identify(name) != before


def test_a_folder_with_pickled_weights_only_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x04")
    with pytest.raises(SourceError, match="no model in safetensors"):
        locate(WeightsName("all-MiniLM-L6-v2", folder=tmp_path))


def test_a_commit_is_an_identity_without_any_network() -> None:
    name = WeightsName("all-mpnet-base-v2", revision=COMMIT)
    assert identify(name) == {"hub": "sentence-transformers/all-mpnet-base-v2", "revision": COMMIT}
    packaged = WeightsName("all-MiniLM-L6-v2", revision=COMMIT)
    assert identify(packaged)["revision"] == COMMIT


@pytest.mark.parametrize("revision", ["main", "v1.0", COMMIT[:12], COMMIT.upper()])
def test_branches_tags_and_short_commits_are_refused(revision: str) -> None:
    with pytest.raises(UserError, match="40 hex digits"):
        identify(WeightsName("all-mpnet-base-v2", revision=revision))


@pytest.mark.parametrize("model", ["", "a/b/c", "../model", "https://example.org/m"])
def test_malformed_names_are_refused(model: str) -> None:
    with pytest.raises(UserError, match="not the name of an embedding model"):
        identify(WeightsName(model))


def test_what_is_missing_is_named_with_all_three_ways(tmp_path: Path) -> None:
    output = run(
        "from toolkit.errors import MissingError\n"
        "from toolkit.models.model_folder import WeightsName, locate\n"
        "try:\n"
        "    locate(WeightsName('all-mpnet-base-v2'))\n"
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
        "from toolkit.models.model_folder import WeightsName, identify, locate\n"
        "name = WeightsName('all-mpnet-base-v2')\n"
        "print(identify(name)['revision'], locate(name).name)\n",
        HF_HUB_OFFLINE="1",
        HF_HUB_CACHE=str(tmp_path),
    )
    assert output.split() == [COMMIT, COMMIT]


def test_without_a_package_or_a_cache_identify_asks_for_a_revision(tmp_path: Path) -> None:
    output = run(
        "from toolkit.errors import MissingError\n"
        "from toolkit.models.model_folder import WeightsName, identify\n"
        "try:\n"
        "    identify(WeightsName('owner/unknown'))\n"
        "except MissingError as error:\n"
        "    print(error)\n",
        HF_HUB_CACHE=str(tmp_path),
    )
    assert "revision: COMMIT" in output


def test_missing_is_a_user_error() -> None:
    assert issubclass(MissingError, UserError)
