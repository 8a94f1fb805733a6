"""Names that are safe everywhere, and nothing but plain files of the kinds a release has."""

import re

import pytest
from gate_world import OPEN, gate, names, said, sound
from hypothesis import given, settings
from hypothesis import strategies as st

from toolkit.gate.base import GATE_FILE
from toolkit.gate.outgoing import Outgoing
from toolkit.gate.paths import check
from toolkit.gate.report import check_outgoing


def faults(folder, name, policy=OPEN):
    found = check(Outgoing(folder=folder, names=(name,)), policy)
    return [finding for finding in found if finding.path != "README.md"]


@pytest.mark.parametrize(
    "name",
    [
        "../x.parquet", "/etc/passwd", "a//b.parquet", "a\\b.parquet", "default/../x.parquet",
        "default/.hidden.parquet", ".git/config", ".env", "C:/x.parquet", "x\u202egpj.parquet",
        "default/x y.parquet", "default/\u00e9.parquet", "a/", "", ".", "default/x.parquet\n",
        "-x.parquet", f"default/{'x' * 300}.parquet", GATE_FILE,
    ],
)  # fmt: skip
def test_a_name_that_means_something_elsewhere(tmp_path, name):
    assert faults(tmp_path, name)


@settings(max_examples=100)
@given(st.text(min_size=1, max_size=40))
def test_no_name_outside_the_alphabet_passes(tmp_path_factory, name):
    folder = tmp_path_factory.getbasetemp()
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*", name):
        assert faults(folder, name)


@pytest.mark.parametrize(
    "name",
    [
        "notes.txt", "docs/test_notes.md", "model.safetensors", "default/data.pkl", "loader.py",
        "default/extra.json", "results/1.0/m/x.exe",
    ],
)  # fmt: skip
def test_a_file_that_no_release_is_made_of(tmp_path, name):
    sound(tmp_path)
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("x")
    assert f"{name}: no file that a release is made of" in said(tmp_path)


@pytest.mark.parametrize("place", ["default/train-00000-of-00001.parquet", "default"])
def test_a_link_brings_in_nothing(tmp_path, place):
    folder = sound(tmp_path / "release")
    (folder / place).rename(tmp_path / "elsewhere")
    (folder / place).symlink_to(tmp_path / "elsewhere")
    found = check_outgoing(
        folder, [*names(folder), "default/train-00000-of-00001.parquet"], OPEN
    ).findings
    assert any("a symbolic link" in finding.message for finding in found)


def test_two_names_that_differ_by_case_only(tmp_path):
    folder = sound(tmp_path / "release")
    (folder / "Default").mkdir()
    (folder / "Default" / "train-00000-of-00001.parquet").write_bytes(
        (folder / "default" / "train-00000-of-00001.parquet").read_bytes()
    )
    assert "but for its case" in said(folder)


def test_a_folder_that_is_called_like_a_file(tmp_path):
    (tmp_path / "eval.yaml").mkdir()
    assert "no plain file" in faults(tmp_path, "eval.yaml")[0].message


def test_a_space_holds_pages_and_no_programs(tmp_path):
    for name in ("README.md", "index.html", "style.css", "data.js"):
        (tmp_path / name).write_text("x")
    assert said(tmp_path, configs={}) == ""
    (tmp_path / "app.py").write_text("x")
    assert "app.py: no kind of file that a Space is made of" in said(tmp_path, configs={})


def test_a_release_without_a_card(tmp_path):
    sound(tmp_path)
    (tmp_path / "README.md").unlink()
    assert "README.md: the card is missing" in said(tmp_path)
    assert not gate(tmp_path).passed
