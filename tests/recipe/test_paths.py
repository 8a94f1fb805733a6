"""Paths are relative to the recipe, and none of them leaves its folder unasked."""

from __future__ import annotations

from pathlib import Path

import pytest
import small_recipe

from toolkit.recipe.load import load_recipe


def corpus(files, **more):
    return {"source": "jsonl", "files": files, "access": "open", "reference": "answer", **more}


def refused(file: Path, **options) -> str:
    (fault,) = small_recipe.faults(file, **options)
    assert fault.line or fault.file.startswith("--set")
    return fault.reason


def test_paths_become_absolute_and_may_be_absent_when_they_are_data(tmp_path, monkeypatch):
    file = small_recipe.write(tmp_path / "recipes", corpus=corpus(["a.jsonl", "data/*.jsonl"]))
    monkeypatch.chdir(tmp_path)
    recipe = load_recipe("recipes/small.yaml")
    folder = file.parent
    assert recipe.corpus.params.files == (str(folder / "a.jsonl"), str(folder / "data/*.jsonl"))
    assert recipe.prompts["A"].file == str(folder / "ask.j2")
    # The run's folder keeps the paths as they were written.
    assert recipe.data["corpus"]["files"] == ["a.jsonl", "data/*.jsonl"]


@pytest.mark.parametrize(
    "path",
    [
        "../a.jsonl",
        "data/../../a.jsonl",
        "/etc/passwd",
        "~/a.jsonl",
        "~root/a.jsonl",
        "*/../../etc/passwd",
        "data/*/../../../*",
        "$HOME/a.jsonl",
        "${HOME}/a.jsonl",
        "https://example.org/a.jsonl",
        "s3://bucket/a.jsonl",
        "file:///etc/passwd",
    ],
)
def test_what_leads_out_is_refused(tmp_path, path):
    file = small_recipe.write(tmp_path / "recipes", corpus=corpus(path))
    reason = refused(file)
    assert path in reason


def test_inside_its_folder_dots_are_harmless(tmp_path):
    file = small_recipe.write(tmp_path, corpus=corpus("data/../a.jsonl"))
    assert small_recipe.faults(file) == []


def test_links_that_lead_out_are_refused_by_name_and_by_pattern(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.jsonl").write_text("{}", encoding="utf-8")
    folder = tmp_path / "recipes"
    folder.mkdir()
    (folder / "link").symlink_to(outside)
    for path in ("link/a.jsonl", "link/*.jsonl", "l*/a.jsonl", "**/a.jsonl"):
        file = small_recipe.write(folder, corpus=corpus(path))
        assert "leads out" in refused(file), path


def test_links_inside_are_followed(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.jsonl").write_text("{}", encoding="utf-8")
    (tmp_path / "link").symlink_to("real")
    assert small_recipe.faults(small_recipe.write(tmp_path, corpus=corpus("link/*.jsonl"))) == []


def test_allow_paths_opens_folders_and_nothing_beside_them(tmp_path):
    folder = tmp_path / "recipes"
    options = {"allow_paths": ["../shared"]}
    good = small_recipe.write(folder, corpus=corpus("../shared/a.jsonl"), **options)
    assert small_recipe.faults(good) == []
    absolute = small_recipe.write(
        folder, corpus=corpus(str(tmp_path / "shared/b.jsonl")), **options
    )
    assert small_recipe.faults(absolute) == []
    for path in ("../sharedother/a.jsonl", "../a.jsonl", "../shared/../a.jsonl"):
        assert "leads out" in refused(small_recipe.write(folder, corpus=corpus(path), **options))


def test_paths_of_the_command_line_are_the_users_own(tmp_path, monkeypatch):
    file = small_recipe.write(tmp_path / "recipes")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    recipe = load_recipe(file, overrides=["corpus.files=../x.jsonl"])
    assert recipe.corpus.params.files == (str(tmp_path / "here" / "../x.jsonl"),)
    monkeypatch.setenv("HOME", str(tmp_path))
    recipe = load_recipe(file, overrides=["corpus.files=~/x.jsonl"])
    assert recipe.corpus.params.files == (str(tmp_path / "x.jsonl"),)


def test_a_folder_whose_name_looks_like_a_pattern_is_a_folder(tmp_path):
    file = small_recipe.write(tmp_path / "a[b]*c", corpus=corpus("data/*.jsonl"))
    assert small_recipe.faults(file) == []
    file = small_recipe.write(tmp_path / "a[b]*c", corpus=corpus("../*.jsonl"))
    assert "leads out" in refused(file)


def test_prompts_labels_and_suites_must_be_there(tmp_path):
    prompts = {"A": {"file": "no.j2", "slots": {"question": "field:question"}}}
    assert refused(small_recipe.write(tmp_path, prompts=prompts)) == "no file 'no.j2'"
    suites = {"splits": {"suite": "no.json"}}
    assert refused(small_recipe.write(tmp_path, validation=suites)) == "no file 'no.json'"
    pubmed = {
        "source": "pubmed_xml",
        "files": "*.xml",
        "access": "open",
        "where": {"conclusion_labels": "no.txt"},
    }
    prompts = {"A": {"file": "ask.j2", "slots": {"question": "field:title"}}}
    file = small_recipe.write(tmp_path, corpus=pubmed, prompts=prompts)
    assert refused(file) == "no file 'no.txt'"


def test_paths_of_an_extended_recipe_are_relative_to_it(tmp_path):
    base = small_recipe.write(tmp_path / "base")
    own = tmp_path / "base" / "mine"
    own.mkdir()
    child = own / "child.yaml"
    child.write_text("extends: ../small.yaml\nname: child\n", encoding="utf-8")
    recipe = load_recipe(child)
    assert recipe.prompts["A"].file == str(own / "../ask.j2")
    assert Path(str(recipe.prompts["A"].file)).samefile(base.parent / "ask.j2")
    child.write_text(
        "extends: ../small.yaml\nname: child\nprompts: {A: {file: ../ask.j2}}\n", encoding="utf-8"
    )
    assert "leads out" in refused(child)
